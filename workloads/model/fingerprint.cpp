#include "workloads/model/fingerprint.hpp"

#include <ATen/ops/cat.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/zeros.h>

#include <vector>

namespace bench::model {

Fingerprint::Fingerprint(const at::Tensor& tensor) {
  const at::ScalarType bits = tensor.element_size() == 2 ? at::kShort : at::kInt;
  const at::Tensor matrix = tensor.view(bits).view({-1, tensor.size(-1)});
  columns_ = at::zeros({matrix.size(1)}, matrix.options().dtype(at::kLong));
  // A sum in int64 may hold a widened copy of its input: 1,024 rows at a time keep that small.
  std::vector<at::Tensor> row_sums;
  for (const at::Tensor& part : matrix.split(1024, 0)) {
    row_sums.push_back(part.sum(1, /*keepdim=*/false, at::kLong));
    columns_.add_(part.sum(0, /*keepdim=*/false, at::kLong));
  }
  rows_ = at::cat(row_sums);
}

bool Fingerprint::operator==(const Fingerprint& other) const {
  return rows_.sizes() == other.rows_.sizes() && at::equal(rows_, other.rows_) &&
         at::equal(columns_, other.columns_);
}

}  // namespace bench::model
