#include "harness/core/case.hpp"

#include <gtest/gtest.h>

#include "harness/core/status.hpp"
#include "tests/support/expect_error.hpp"

namespace bench {
namespace {

Case example() {
  return {
      .workload = "model",
      .values = {
          {"size", Value{std::string("large")}}, {"context", Value{std::int64_t{512}}}, {"lr", Value{1e-3}}}};
}

TEST(Case, IdShowsEveryParameterInOrder) {
  EXPECT_EQ(example().id(), "model/size:large/context:512/lr:0.001");
}

TEST(Case, RealsKeepEveryDigitThatMatters) {
  Case configuration = example();
  configuration.set("lr", 0.1 + 0.2);
  EXPECT_EQ(configuration.id(), "model/size:large/context:512/lr:0.30000000000000004");
}

TEST(Case, SetReplacesInPlaceAndEraseForgets) {
  Case configuration = example();
  configuration.set("size", std::string("small"));
  configuration.erase("context");
  configuration.erase("no-such");
  EXPECT_EQ(configuration.id(), "model/size:small/lr:0.001");
}

TEST(Case, AskingForWhatIsNotThereIsABug) {
  support::error_of(ErrorKind::internal, [] { example().integer("batch"); });
  support::error_of(ErrorKind::internal, [] { example().integer("size"); });
}

TEST(Status, TextsRoundTripAndFailuresAreThoseThatExitWithOne) {
  for (const Status status : {Status::ok, Status::skipped, Status::incorrect, Status::out_of_memory,
                              Status::failed, Status::timed_out, Status::crashed})
    EXPECT_EQ(status_from_text(to_text(status)), status);
  EXPECT_EQ(status_from_text("fine"), std::nullopt);
  EXPECT_FALSE(is_failure(Status::out_of_memory));
  EXPECT_FALSE(is_failure(Status::skipped));
  EXPECT_TRUE(is_failure(Status::incorrect));
}

}  // namespace
}  // namespace bench
