#include "harness/registry/registry.hpp"
#include "workloads/attention/definition.hpp"

namespace bench::attention {
namespace {

const registry::Registration registration{make_spec()};

}  // namespace
}  // namespace bench::attention
