#include "workloads/model/fingerprint.hpp"

#include <ATen/ops/arange.h>
#include <gtest/gtest.h>

namespace bench::model {
namespace {

TEST(Fingerprint, OneChangedBitAndEveryExchangeShow) {
  for (const at::ScalarType dtype : {at::kFloat, at::kBFloat16}) {
    const at::Tensor tensor = at::arange(2100 * 3, at::kFloat).remainder(251).view({2100, 3}).to(dtype);
    const Fingerprint fingerprint(tensor);
    EXPECT_TRUE(Fingerprint(tensor.clone()) == fingerprint);
    EXPECT_FALSE(Fingerprint(tensor.roll(1, 0)) == fingerprint)
        << "rows exchanged: the column sums are the same";
    EXPECT_FALSE(Fingerprint(tensor.roll(1, 1)) == fingerprint)
        << "columns exchanged: the row sums are the same";
    at::Tensor changed = tensor.clone();
    changed.view(dtype == at::kFloat ? at::kInt : at::kShort)[2099][2].bitwise_xor_(1);
    EXPECT_FALSE(Fingerprint(changed) == fingerprint);
  }
}

}  // namespace
}  // namespace bench::model
