#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/core/document.hpp"

namespace bench::reports {

// One way to write a document. Pure: the same document gives the same bytes.
struct Format {
  std::string name;       // what --format takes
  std::string summary;    // one line for --help
  std::string extension;  // of a file that holds it, without the dot
  std::string (*render)(const Document& document);
};

const std::vector<Format>& formats();

// Throws Error(usage) that names the nearest format.
const Format& format_named(std::string_view name);

}  // namespace bench::reports
