#pragma once

#include <string>
#include <vector>

#include "harness/core/document.hpp"
#include "reports/pivot/pivot.hpp"

namespace bench::reports {

// One self-contained page of one run or several: style, script and data in it, nothing fetched.
std::string html_report(const std::vector<NamedRun>& runs);

// The page's parts, as their files in this folder hold them; embedded when bench is built.
extern const char* const kHtmlPage;
extern const char* const kHtmlStyle;
extern const char* const kHtmlScript;

}  // namespace bench::reports
