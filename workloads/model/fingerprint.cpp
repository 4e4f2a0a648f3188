#include "workloads/model/fingerprint.hpp"

#include <ATen/ops/zeros.h>

namespace bench::model {
namespace {

void append(std::vector<std::int64_t>& to, const at::Tensor& sums) {
  const at::Tensor on_host = sums.cpu();
  const auto* const first = on_host.const_data_ptr<std::int64_t>();
  to.insert(to.end(), first, first + on_host.numel());
}

}  // namespace

Fingerprint::Fingerprint(const at::Tensor& tensor) {
  const at::ScalarType bits = tensor.element_size() == 2 ? at::kShort : at::kInt;
  const at::Tensor matrix = tensor.view(bits).view({-1, tensor.size(-1)});
  const at::Tensor columns = at::zeros({matrix.size(1)}, matrix.options().dtype(at::kLong));
  // A sum in int64 may hold a widened copy of its input: 1,024 rows at a time keep that small.
  for (const at::Tensor& part : matrix.split(1024, 0)) {
    append(rows_, part.sum(1, /*keepdim=*/false, at::kLong));
    columns.add_(part.sum(0, /*keepdim=*/false, at::kLong));
  }
  append(columns_, columns);
}

}  // namespace bench::model
