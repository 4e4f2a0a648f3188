#include <nlohmann/json.hpp>

#include "harness/protocol/json.hpp"

namespace bench::reports {

std::string json(const Document& document) {
  return protocol::dump(protocol::to_json(document), 2) + "\n";
}

}  // namespace bench::reports
