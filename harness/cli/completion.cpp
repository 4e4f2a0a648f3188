#include "harness/cli/completion.hpp"

#include <fmt/format.h>

#include "harness/core/error.hpp"
#include "harness/core/text.hpp"

namespace bench::cli {
namespace {

// From `typed`, the words before the cursor without `bench`, to `offered`: what may come next, and to
// `is_value`: whether it is the value of an option. Reads the same in both shells.
constexpr const char* kLookup = R"(  local command= before= word= offered= is_value=
  for word in "${typed[@]}"; do
    before=$word
    case "$command $word" in
@COMMANDS@
    esac
  done
  case "$command $before" in
@VALUES@
    *) case "$command" in
@NEXT@
    esac ;;
  esac
)";

// A comma list is completed after its last comma.
constexpr const char* kBash = R"(# bash: source <(bench completion bash)
_bench() {
  local typed=("${COMP_WORDS[@]:1:COMP_CWORD-1}") cur=${COMP_WORDS[COMP_CWORD]} begun=
@LOOKUP@  COMPREPLY=()
  if [[ $is_value == file ]]; then
    COMPREPLY=($(compgen -f -- "$cur"))
  else
    [[ -n $is_value && $cur == *,* ]] && begun=${cur%,*},
    COMPREPLY=($(compgen -P "$begun" -W "$offered" -- "${cur#"$begun"}"))
  fi
}
complete -o filenames -F _bench bench
)";

constexpr const char* kZsh = R"(# zsh, after compinit: source <(bench completion zsh)
_bench() {
  local -a typed=("${(@)words[2,CURRENT-1]}")
@LOOKUP@  if [[ $is_value == file ]]; then
    _files
  else
    [[ -n $is_value ]] && compset -P '*,'
    compadd -- ${=offered}
  fi
}
compdef _bench bench
)";

std::string replaced(std::string text, const std::string& mark, const std::string& with) {
  const std::size_t at = text.find(mark);
  return text.replace(at, mark.size(), with);
}

std::string lookup_of(const std::vector<CompletedCommand>& commands) {
  std::vector<std::string> known, next, values;
  for (const CompletedCommand& command : commands) {
    const std::string path = command.words.empty() ? "" : " " + join(command.words, " ");
    if (!path.empty()) known.push_back(fmt::format("      \"{0}\") command=\"{0}\" ;;", path));
    std::vector<std::string> words = command.commands;
    for (const CompletedOption& option : command.options) {
      words.push_back(option.name);
      if (option.takes_value)
        values.push_back(fmt::format("    \"{} {}\") is_value={} offered=\"{}\" ;;", path, option.name,
                                     option.takes_file ? "file" : "word", join(option.values, " ")));
    }
    next.push_back(fmt::format("      \"{}\") offered=\"{}\" ;;", path, join(words, " ")));
  }
  std::string text = replaced(kLookup, "@COMMANDS@", join(known, "\n"));
  text = replaced(std::move(text), "@VALUES@", join(values, "\n"));
  return replaced(std::move(text), "@NEXT@", join(next, "\n"));
}

}  // namespace

std::string completion_script(const std::string& shell, const std::vector<CompletedCommand>& commands) {
  const std::vector<std::string> shells{"bash", "zsh"};
  if (shell == "bash") return replaced(kBash, "@LOOKUP@", lookup_of(commands));
  if (shell == "zsh") return replaced(kZsh, "@LOOKUP@", lookup_of(commands));
  throw Error(ErrorKind::usage, fmt::format("there is no completion for \"{}\"{}", printable(shell),
                                            did_you_mean(shell, shells)));
}

}  // namespace bench::cli
