#include "harness/cli/completion.hpp"

#include <fmt/format.h>

#include "harness/core/error.hpp"
#include "harness/core/text.hpp"

namespace bench::cli {
namespace {

// From `typed`, the words before the cursor without `bench`, and `cur`, what is typed of the next one, to
// `offered`: what may come next, and to `is_value`: "word" or "file" where it is a value. Reads the same in
// both shells.
constexpr const char* kLookup = R"(  local command= before= word= offered= is_value= takes_files=
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
  [[ -n $takes_files && $cur != -* ]] && is_value=file
)";

// A comma list is completed after its last comma. Files are left to readline, which quotes their names; "="
// is a word of its own.
constexpr const char* kBash = R"(# bash: source <(bench completion bash)
_bench() {
  local typed=() cur=${COMP_WORDS[COMP_CWORD]#=} begun= at
  for at in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    [[ $at == = ]] || typed+=("$at")
  done
@LOOKUP@  COMPREPLY=()
  if [[ $is_value == file ]]; then
    compopt -o default
  else
    [[ -n $is_value && $cur == *,* ]] && begun=${cur%,*},
    mapfile -t COMPREPLY < <(compgen -P "$begun" -W "$offered" -- "${cur#"$begun"}")
  fi
}
complete -F _bench bench
)";

constexpr const char* kZsh = R"(# zsh, after compinit: source <(bench completion zsh)
_bench() {
  local -a typed=("${(@)words[2,CURRENT-1]}")
  local cur=$words[CURRENT]
  if [[ $cur == --*=* ]]; then
    typed+=("${cur%%=*}")
    compset -P '*='
  fi
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
    words.insert(words.end(), command.values.begin(), command.values.end());
    for (const CompletedOption& option : command.options) {
      words.push_back(option.name);
      if (option.takes_value)
        values.push_back(fmt::format("    \"{} {}\") is_value={} offered=\"{}\" ;;", path, option.name,
                                     option.takes_file ? "file" : "word", join(option.values, " ")));
    }
    next.push_back(fmt::format("      \"{}\") offered=\"{}\"{} ;;", path, join(words, " "),
                               command.takes_files ? " takes_files=yes" : ""));
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
