#include "workloads/model/workload.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "harness/core/error.hpp"
#include "tests/workloads/model/tiny.hpp"

namespace bench::model {
namespace {

support::IdleDevice device;

std::unique_ptr<worker::Workload> prepared(const Case& configuration, const std::string& fault = "",
                                           std::uint64_t seed = 0, Timing timing = Timing::blocking,
                                           worker::Device& on = device) {
  return make_model_workload({.configuration = configuration,
                              .seed = seed,
                              .timing = timing,
                              .inject_fault = fault,
                              .device = &on,
                              .progress = {}});
}

Check check_of(const Case& configuration, const std::string& fault = "", std::uint64_t seed = 0) {
  return prepared(configuration, fault, seed)->check();
}

// Three samples of one step each, then the verification.
Check verification_of(const Case& configuration, const std::string& fault = "") {
  const auto workload = prepared(configuration, fault);
  workload->prepare_timed();
  RecordedPhases phases;
  for (int sample = 0; sample < 3; ++sample) {
    workload->before_sample();
    workload->step(phases);
  }
  return workload->verify();
}

TEST(Model, EveryConfigurationPassesItsCheckAndVerification) {
  for (const char* mode : {"forward", "forward-backward", "train-step"}) {
    for (const char* precision : {"fp32", "bf16-mixed", "fp16-mixed", "bf16"}) {
      for (const char* attention : {"naive", "tiled", "sdpa"}) {
        for (const char* optimizer : {"adamw", "adamw-fused"}) {
          if (mode != std::string("train-step") && optimizer != std::string("adamw")) continue;
          const Case configuration = tiny_case(
              {{"mode", mode}, {"precision", precision}, {"attention", attention}, {"optimizer", optimizer}});
          for (std::uint64_t seed = 0; seed < 5; ++seed) {
            const Check check = check_of(configuration, "", seed);
            EXPECT_TRUE(check.passed) << configuration.id() << " seed " << seed << ": " << check.reason;
            EXPECT_FALSE(check.items.empty());
            EXPECT_LE(check.items.size(), 20u);
          }
          const Check verification = verification_of(configuration);
          EXPECT_TRUE(verification.passed) << configuration.id() << ": " << verification.reason;
        }
      }
    }
  }
}

TEST(Model, WrongAttentionFailsTheCheck) {
  for (const char* fault : {"zero-output", "swapped-heads", "mask-off-by-one"}) {
    for (const char* mode : {"forward", "forward-backward", "train-step"}) {
      for (const char* precision : {"fp32", "bf16-mixed"}) {
        for (const char* attention : {"naive", "sdpa"}) {
          const Case configuration =
              tiny_case({{"mode", mode}, {"precision", precision}, {"attention", attention}});
          const Check check = check_of(configuration, fault);
          EXPECT_FALSE(check.passed) << fault << " in " << configuration.id();
          EXPECT_FALSE(check.reason.empty());
        }
      }
    }
  }
}

TEST(Model, AWrongUpdateFailsTheCheck) {
  for (const char* fault : {"stale-weight", "wrong-optimizer"}) {
    for (const char* precision : {"fp32", "bf16-mixed"}) {
      for (const char* optimizer : {"adamw", "adamw-fused"}) {
        const Check check = check_of(tiny_case({{"precision", precision}, {"optimizer", optimizer}}), fault);
        EXPECT_FALSE(check.passed) << fault << " " << precision << " " << optimizer;
      }
    }
  }
}

TEST(Model, AWrongTimedStateFailsTheVerification) {
  const Case forward = tiny_case({{"mode", "forward"}});
  EXPECT_EQ(verification_of(forward, "stale-output").reason, "a second input gives the same logits");
  EXPECT_EQ(verification_of(forward, "drifting-output").reason,
            "the logits after timing differ from those of the first warm-up step for the same input");
  EXPECT_EQ(verification_of(tiny_case(), "nan-loss").reason, "the loss is not finite");
  EXPECT_EQ(verification_of(tiny_case({{"mode", "forward-backward"}}), "nan-loss").reason,
            "the loss is not finite");
}

// A graph for the CPU: replays by doing the work again, or nothing.
struct GraphDevice : support::IdleDevice {
  explicit GraphDevice(bool replays) : replays_(replays) {}
  struct Step final : worker::CapturedStep {
    explicit Step(std::function<void()> what) : work(std::move(what)) {}
    void replay() override {
      if (work) work();
    }
    std::function<void()> work;
  };
  std::unique_ptr<worker::CapturedStep> capture(const std::function<void()>& work) override {
    return std::make_unique<Step>(replays_ ? work : nullptr);
  }
  bool replays_;
};

TEST(Model, AGraphIsCheckedAgainstStepsOutsideIt) {
  GraphDevice good(true), idle(false);
  for (const char* precision : {"fp32", "bf16-mixed", "fp16-mixed", "bf16"}) {
    for (const char* optimizer : {"adamw", "adamw-fused"}) {
      const Case configuration = tiny_case({{"precision", precision}, {"optimizer", optimizer}});
      const Check check = prepared(configuration, "", 0, Timing::graph, good)->check();
      EXPECT_TRUE(check.passed) << configuration.id() << ": " << check.reason;
      const Check idled = prepared(configuration, "", 0, Timing::graph, idle)->check();
      EXPECT_FALSE(idled.passed) << configuration.id();
      EXPECT_NE(idled.reason.find("five replays of the graph"), std::string::npos) << idled.reason;
    }
  }
}

TEST(Model, AnUnknownFaultIsRefusedWithTheNearest) {
  try {
    prepared(tiny_case(), "zero-outputs");
    FAIL() << "was accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    EXPECT_NE(std::string(error.what()).find("did you mean zero-output?"), std::string::npos);
  }
  EXPECT_THROW(prepared(tiny_case({{"mode", "forward"}}), "stale-weight"), Error);
}

TEST(Model, PhasesFollowTheMode) {
  const auto phases_of = [](const char* mode) {
    const auto workload = prepared(tiny_case({{"mode", mode}}));
    workload->prepare_timed();
    RecordedPhases phases;
    workload->step(phases);
    EXPECT_EQ(phases.begun.size(), workload->phase_names().size());
    EXPECT_EQ(phases.ended, 1);
    return workload->phase_names();
  };
  EXPECT_EQ(phases_of("forward"), (std::vector<std::string>{"forward"}));
  EXPECT_EQ(phases_of("forward-backward"), (std::vector<std::string>{"forward", "backward"}));
  EXPECT_EQ(phases_of("train-step"), (std::vector<std::string>{"forward", "backward", "optimizer"}));
}

TEST(Model, TheCheckNamesTheYardstickWhenTheCaseIsIt) {
  const Check check = check_of(tiny_case());
  ASSERT_FALSE(check.items.empty());
  for (const CheckItem& item : check.items) {
    EXPECT_TRUE(item.what.starts_with("eager, naive, fp32: ") || item.what.starts_with("fp64 eager against"))
        << item.what;
  }
}

}  // namespace
}  // namespace bench::model
