#include <ATen/core/Tensor.h>
#include <ATen/ops/full.h>
#include <ATen/ops/ones.h>
#include <gtest/gtest.h>

#include "harness/worker/session.hpp"
#include "tests/support/gpu.hpp"

namespace bench::worker {
namespace {

// Reads far beyond a tensor: the kernel's assertion takes the CUDA context with it.
struct ReadsBeyond final : Workload {
  explicit ReadsBeyond(const Setup& setup) : device_(setup.device->name()) {}
  std::vector<std::string> phase_names() const override { return {"only"}; }
  Check check() override { return {}; }
  void prepare_timed() override {
    values_ = at::ones({8}, at::TensorOptions(at::kFloat).device(device_));
    index_ = at::full({4}, 1'000'000, at::TensorOptions(at::kLong).device(device_));
  }
  void step(Phases&) override { out_ = values_.index_select(0, index_); }
  Check verify() override { return {}; }
  c10::Device device_;
  at::Tensor values_, index_, out_;
};

const WorkloadRegistration registration("reads-beyond", [](const Setup& setup) -> std::unique_ptr<Workload> {
  return std::make_unique<ReadsBeyond>(setup);
});

class StickyError : public support::OnGpu {};

TEST_F(StickyError, IsTheCasesFailureAndMakesTheWorkerUnusable) {
  std::vector<protocol::Event> events;
  Session session(device(), [&](const protocol::Event& event) { events.push_back(event); });
  session.handle(protocol::Prepare{.configuration = {.workload = "reads-beyond", .values = {}}});
  ASSERT_TRUE(std::holds_alternative<protocol::Prepared>(events.back()));
  session.handle(protocol::Measure{.samples = 2});
  const auto* failed = std::get_if<protocol::Failed>(&events.back());
  ASSERT_NE(failed, nullptr);
  EXPECT_EQ(failed->status, Status::failed);
  EXPECT_TRUE(failed->worker_unusable);
  EXPECT_EQ(failed->reason.rfind("samples: CUDA error: ", 0), 0u) << failed->reason;
  EXPECT_NE(failed->reason.find("the CUDA context is lost"), std::string::npos) << failed->reason;
  EXPECT_TRUE(session.handle(protocol::Release{}));  // answers, though nothing can be freed
}

}  // namespace
}  // namespace bench::worker
