#include "workloads/model/dimensions.hpp"

#include <algorithm>
#include <array>

namespace bench::model {
namespace {

// small to xl and 10B: Stanford CS336 assignment 2; 7B is the name its 2025 source uses for the row that the
// 2026 handout calls xl; leaderboard-8B is the course's leaderboard model with the shapes that its rules fix.
constexpr std::array kSizes{
    NamedSize{"small", "", 768, 3072, 12, 12},
    NamedSize{"medium", "", 1024, 4096, 24, 16},
    NamedSize{"large", "", 1280, 5120, 36, 20},
    NamedSize{"xl", "", 1600, 6400, 48, 25},
    NamedSize{"7B", "xl-2026", 2560, 10240, 32, 32},
    NamedSize{"10B", "", 4608, 12288, 50, 36},
    NamedSize{"leaderboard-8B", "", 4096, 11008, 34, 32, 151'936, 32'768, 2},
};

std::int64_t stated_or(const Case& configuration, std::string_view name, std::int64_t otherwise) {
  return configuration.has(name) ? configuration.integer(name) : otherwise;
}

}  // namespace

std::span<const NamedSize> named_sizes() {
  return kSizes;
}

const NamedSize* find_size(std::string_view name) {
  const auto found = std::ranges::find_if(kSizes, [&](const NamedSize& size) {
    return size.name == name || (!size.alias.empty() && size.alias == name);
  });
  return found == kSizes.end() ? nullptr : &*found;
}

const NamedSize* size_with(std::int64_t d_model, std::int64_t d_ff, std::int64_t layers, std::int64_t heads) {
  const auto found = std::ranges::find_if(kSizes, [&](const NamedSize& size) {
    return size.d_model == d_model && size.d_ff == d_ff && size.layers == layers && size.heads == heads;
  });
  return found == kSizes.end() ? nullptr : &*found;
}

Dimensions dimensions_of(const Case& configuration) {
  const NamedSize* size = find_size(configuration.text("size"));
  Dimensions dimensions;
  dimensions.d_model = stated_or(configuration, "d-model", size ? size->d_model : 0);
  dimensions.d_ff = stated_or(configuration, "d-ff", size ? size->d_ff : 0);
  dimensions.layers = stated_or(configuration, "layers", size ? size->layers : 0);
  dimensions.heads = stated_or(configuration, "heads", size ? size->heads : 0);
  dimensions.vocabulary = configuration.integer("vocabulary");
  dimensions.context = configuration.integer("context");
  dimensions.batch = configuration.integer("batch");
  return dimensions;
}

std::int64_t parameter_count(const Dimensions& dimensions) {
  const std::int64_t d = dimensions.d_model;
  const std::int64_t block = 4 * d * d + 3 * d * dimensions.d_ff + 2 * d;
  return 2 * dimensions.vocabulary * d + dimensions.layers * block + d;
}

}  // namespace bench::model
