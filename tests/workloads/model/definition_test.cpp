#include "workloads/model/definition.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <string>

#include "harness/registry/expand.hpp"
#include "tests/workloads/model/tiny.hpp"
#include "workloads/model/dimensions.hpp"

namespace bench::model {
namespace {

Case named_case(const std::string& size, const std::string& mode) {
  registry::ExpandRequest request;
  request.options = {{"size", size}, {"mode", mode}};
  return registry::expand(make_spec(), request).front().configuration;
}

TEST(Definition, ParameterCountsAreThoseOfTheTable) {
  const std::map<std::string, std::int64_t> table{{"small", 128'625'408},
                                                  {"medium", 423'183'360},
                                                  {"large", 969'411'840},
                                                  {"xl", 1'998'235'200},
                                                  {"7B", 3'406'809'600},
                                                  {"10B", 12'832'823'808},
                                                  {"leaderboard-8B", 8'125'698'048}};
  for (const auto& [size, count] : table) {
    const Case configuration = named_case(size, "forward");
    EXPECT_EQ(parameter_count(dimensions_of(configuration)), count) << size;
    const auto quantities = make_spec().quantities(configuration);
    ASSERT_EQ(quantities.size(), 1u);
    EXPECT_EQ(quantities[0].metric, "parameters");
    EXPECT_EQ(quantities[0].value, double(count));
  }
}

TEST(Definition, FlopsOfSmallAreThoseComputedByHand) {
  // N without the embedding: 128,625,408 - 7,680,000 = 120,945,408; 1,024 tokens: 2·N·1024 = 247,696,195,584.
  // Attention: 4·12·256²·768·4 = 9,663,676,416, half of it 4,831,838,208.
  constexpr double kForward = 247'696'195'584.0 + 4'831'838'208.0;
  EXPECT_EQ(work_of(named_case("small", "forward")).flop(), kForward);
  EXPECT_EQ(work_of(named_case("small", "forward-backward")).flop(), 3 * kForward);
  EXPECT_EQ(work_of(named_case("small", "train-step")).flop(), 3 * kForward);
  EXPECT_EQ(work_of(named_case("small", "forward")).amounts.front(), amounts::tokens(1024));
}

TEST(Definition, ProductsUnderAutocastAreThoseOfItsType) {
  Case configuration = named_case("small", "forward");
  EXPECT_EQ(arithmetic_of(configuration), "fp32");
  for (const auto& [precision, arithmetic] : std::map<std::string, std::string>{
           {"tf32", "tf32"}, {"bf16-mixed", "bf16"}, {"fp16-mixed", "fp16"}, {"bf16", "bf16"}}) {
    configuration.set("precision", precision);
    EXPECT_EQ(arithmetic_of(configuration), arithmetic);
  }
}

TEST(Definition, EveryPresetExpands) {
  const registry::WorkloadSpec spec = make_spec();
  const std::map<std::string, std::size_t> expected{{"seed", 15},       {"handout", 30},  {"modes", 3},
                                                    {"warmup", 4},      {"profile", 12},  {"memory", 16},
                                                    {"leaderboard", 1}, {"checkpoint", 3}};
  for (const registry::Preset& preset : spec.presets) {
    registry::ExpandRequest request;
    request.room = {.device = "cuda:0", .bytes = std::int64_t{140} << 30};  // for context max
    for (const auto& option : preset.options) {
      if (option.first != "steps")
        request.preset.push_back(option);  // the command line's, not the expander's
    }
    EXPECT_EQ(registry::expand(spec, request).size(), expected.at(preset.name)) << preset.name;
  }
}

}  // namespace
}  // namespace bench::model
