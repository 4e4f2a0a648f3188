#include "reports/latex_text.hpp"

namespace bench::reports {

std::string latex(const Document& document) {
  return latex_table(results_table(document));
}

}  // namespace bench::reports
