#include "harness/registry/registry.hpp"
#include "workloads/model/definition.hpp"

namespace bench::model {
namespace {

const registry::Registration registration{make_spec()};

}  // namespace
}  // namespace bench::model
