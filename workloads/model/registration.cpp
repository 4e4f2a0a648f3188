#include "harness/worker/workload.hpp"
#include "workloads/model/workload.hpp"

namespace bench::model {
namespace {

const worker::WorkloadRegistration registration{"model", make_model_workload};

}  // namespace
}  // namespace bench::model
