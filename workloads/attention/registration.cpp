#include "harness/worker/workload.hpp"
#include "workloads/attention/workload.hpp"

namespace bench::attention {
namespace {

const worker::WorkloadRegistration registration{"attention", make_attention_workload};

}  // namespace
}  // namespace bench::attention
