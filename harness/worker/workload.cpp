#include "harness/worker/workload.hpp"

#include <map>

#include "harness/core/error.hpp"

namespace bench::worker {
namespace {

// A function's static: registrations run before main in an order that nobody chose.
std::map<std::string, WorkloadFactory, std::less<>>& factories() {
  static std::map<std::string, WorkloadFactory, std::less<>> instance;
  return instance;
}

}  // namespace

void Workload::write_check(const std::string&) {
  throw Error(ErrorKind::internal, "this workload writes no check for other programs");
}

WorkloadRegistration::WorkloadRegistration(std::string name, WorkloadFactory factory) {
  factories().emplace(std::move(name), factory);
}

WorkloadFactory find_workload_factory(std::string_view name) {
  const auto found = factories().find(name);
  return found == factories().end() ? nullptr : found->second;
}

}  // namespace bench::worker
