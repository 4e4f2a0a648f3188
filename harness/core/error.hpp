#pragma once

#include <stdexcept>
#include <string>

namespace bench {

// What stops the whole program. A thing that stops one case is data instead: Status and a reason.
enum class ErrorKind {
  usage,        // the person asked for something that does not exist or cannot be: exit 2
  environment,  // this machine or build lacks something that the message names: exit 5
  io,           // a result could not be written: exit 5
  internal,     // a bug in bench itself: exit 1
};

// Thrown anywhere, caught once in main(), printed as one sentence that names the remedy.
class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& sentence) : std::runtime_error(sentence), kind_(kind) {}
  ErrorKind kind() const { return kind_; }

 private:
  ErrorKind kind_;
};

}  // namespace bench
