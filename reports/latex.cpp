#include "reports/latex_text.hpp"
#include "reports/results_table.hpp"

namespace bench::reports {

std::string latex(const Document& document) {
  return latex_table(results_table(document));
}

}  // namespace bench::reports
