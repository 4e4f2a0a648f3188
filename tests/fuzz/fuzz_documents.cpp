// Whatever bytes a file holds: it is refused with one printable sentence, or every report and a comparison of
// it with itself can be made. Anything else (a crash, another exception, undefined behaviour, a control
// character) is a bug.

#include <cstdint>
#include <cstdlib>
#include <functional>
#include <sstream>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "harness/core/error.hpp"
#include "harness/core/text.hpp"
#include "harness/protocol/json.hpp"
#include "reports/compare/comparison.hpp"
#include "reports/formats.hpp"
#include "reports/load.hpp"
#include "reports/pivot/pivot.hpp"
#include "reports/results_table.hpp"
#include "reports/terminal_table.hpp"

namespace {

using bench::Document;
using bench::Error;
using bench::ErrorKind;

void require(bool condition) {
  if (!condition) std::abort();
}

template <class Action>
void refusable(Action&& action) {
  try {
    action();
  } catch (const Error& error) {
    require(error.kind() == ErrorKind::usage);
    require(bench::printable(error.what()) == error.what());
  }
}

// One kind of report an input, chosen by its bytes: as good as all of them over many inputs, and ten times as
// fast.
template <class Formats>
const auto& one_of(const Formats& formats, std::size_t choice) {
  return formats[choice % formats.size()];
}

void use(const Document& document, std::size_t choice) {
  const std::string text = one_of(bench::reports::formats(), choice).render(document);
  require(!text.empty() && text.find('\x1b') == std::string::npos);
  require(!bench::reports::terminal_table(bench::reports::results_table(document)).empty());
  refusable([&] {
    const auto comparison = bench::reports::compare({"a", &document}, {{"b", &document}, {"c", &document}},
                                                    {.metrics = {"all"}, .despite_differences = true});
    require(!one_of(bench::reports::compare_formats(), choice).render(comparison).empty());
  });
  refusable([&] {
    const auto pivot = bench::reports::make_pivot({{"a", &document}}, {});
    require(!one_of(bench::reports::pivot_formats(), choice).render(pivot).empty());
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  const std::size_t choice = std::hash<std::string_view>{}(text);
  refusable([&] {
    if (text.starts_with("{\"kind\"")) {
      std::istringstream journal{std::string(text)};
      use(bench::protocol::document_from_journal(journal, "cases.jsonl", nullptr), choice);
    } else {
      use(bench::reports::document_from_text(text, "run.json"), choice);
    }
  });
  return 0;
}
