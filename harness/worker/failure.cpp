#include "harness/worker/failure.hpp"

#include <new>

#include <c10/util/Exception.h>
#include <fmt/format.h>

#include "harness/core/error.hpp"
#include "harness/core/text.hpp"
#include "harness/worker/workload.hpp"

namespace bench::worker {
namespace {

// LibTorch's messages go on for lines; the first one says what happened.
std::string first_line(std::string_view text) {
  return printable(text.substr(0, text.find('\n')));
}

Failure out_of_memory(std::string_view phase, std::string_view why) {
  return {Status::out_of_memory, fmt::format("{}: {}", phase, first_line(why))};
}

}  // namespace

Failure describe_failure(std::exception_ptr exception, std::string_view phase) {
  try {
    std::rethrow_exception(exception);
  } catch (const c10::OutOfMemoryError& error) {
    return out_of_memory(phase, error.what_without_backtrace());
  } catch (const c10::Error& error) {
    // The system's own refusal is a plain c10::Error in LibTorch 2.11 (c10/core/impl/alloc_cpu.cpp).
    const std::string_view what = error.what_without_backtrace();
    // So are refusals that LibTorch's caching allocator had no part in: handles, workspaces, graphs.
    for (const char* const refusal :
         {"can't allocate memory", "CUDA error: out of memory", "CUBLAS_STATUS_ALLOC_FAILED"})
      if (what.find(refusal) != std::string_view::npos) return out_of_memory(phase, what);
    return {Status::failed, fmt::format("{}: {}", phase, first_line(what))};
  } catch (const Unsupported& refusal) {
    return {Status::skipped, first_line(refusal.what())};
  } catch (const std::bad_alloc&) {
    return out_of_memory(phase, "the system gave no more memory");
  } catch (const std::exception& error) {
    return {Status::failed, fmt::format("{}: {}", phase, first_line(error.what()))};
  } catch (...) {
    return {Status::failed, fmt::format("{}: an exception of an unknown type", phase)};
  }
}

}  // namespace bench::worker
