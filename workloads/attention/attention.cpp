#include "workloads/attention/attention.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "harness/core/error.hpp"
#include "workloads/attention/naive.hpp"
#include "workloads/attention/sdpa.hpp"
#include "workloads/attention/tiled.hpp"
#include "workloads/attention/variants.hpp"

namespace bench::attention {
namespace {

struct Binding {
  std::string_view name;
  Attention (*make)(const Masking&);
};
constexpr std::array kBindings{
    Binding{"naive", make_naive},
    Binding{"tiled", make_tiled},
    Binding{"sdpa", make_sdpa<Backend::any>},
    Binding{"sdpa-math", make_sdpa<Backend::math>},
    Binding{"sdpa-efficient", make_sdpa<Backend::efficient>},
    Binding{"sdpa-flash", make_sdpa<Backend::flash>},
    Binding{"sdpa-cudnn", make_sdpa<Backend::cudnn>},
};
static_assert(std::ranges::equal(kBindings, kVariants, {}, &Binding::name, &Variant::name),
              "every row of kVariants needs its function here, in the same order");

}  // namespace

std::int64_t Masking::visible_end(std::int64_t query) const {
  return diagonal ? std::clamp<std::int64_t>(query + *diagonal + 1, 0, keys) : keys;
}

double scale_of(const at::Tensor& query) {
  return 1.0 / std::sqrt(double(query.size(-1)));
}

Attention make_attention(std::string_view name, const Masking& masking) {
  const auto found = std::ranges::find(kBindings, name, &Binding::name);
  if (found == kBindings.end())
    throw Error(ErrorKind::internal, fmt::format("no attention is named {}", name));
  return found->make(masking);
}

}  // namespace bench::attention
