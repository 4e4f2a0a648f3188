#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "harness/core/document.hpp"

namespace bench::protocol {

// A document's text, read a case at a time. `head` is all but the cases: it may turn out to be another
// program's file.
struct DocumentText {
  nlohmann::ordered_json head;
  std::vector<CaseResult> cases;
};

// Throws Error(usage) with place and reason, as parse() and document_from_json() do.
DocumentText read_document_text(std::string_view text, const std::string& where);
Document document_from_text(DocumentText&& text, const std::string& where);

}  // namespace bench::protocol
