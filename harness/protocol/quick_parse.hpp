#pragma once

#include <memory>
#include <string_view>

#include <rapidjson/fwd.h>

namespace bench::protocol {

// Parses ordinary JSON four times as fast as parse() does and keeps its memory for the next text. What
// parse() would refuse or might read otherwise (damage, \u escapes, a member twice, deep nesting, very many
// members) is left to it.
class QuickParser {
 public:
  QuickParser();
  ~QuickParser();

  // nullptr: ask parse(). The tree lives until the next call.
  const rapidjson::Value* parse(std::string_view text);

 private:
  struct Memory;
  std::unique_ptr<Memory> memory_;
};

}  // namespace bench::protocol
