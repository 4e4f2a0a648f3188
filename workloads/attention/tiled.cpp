#include "workloads/attention/tiled.hpp"

#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>
#include <ATen/ops/maximum.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <limits>

namespace bench::attention {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Sums and the softmax's state are kept in this dtype whatever the inputs' is.
at::ScalarType wide(at::ScalarType dtype) {
  return dtype == at::kDouble ? at::kDouble : at::kFloat;
}

// The least finite number in place of -inf: differences with it are -inf or 0, never inf - inf.
double least(at::ScalarType dtype) {
  return dtype == at::kDouble ? std::numeric_limits<double>::lowest() : std::numeric_limits<float>::lowest();
}

// (..., S, D) -> (N, S, D), a view where the strides allow it.
at::Tensor matrices(const at::Tensor& x) {
  return x.reshape({-1, x.size(-2), x.size(-1)});
}

// One tile: queries q to q + rows against keys k to k + columns.
struct Place {
  std::int64_t q, rows, k, columns;
};

// Calls visit(place) for the tiles of a row of tiles that the mask does not hide whole.
template <typename Visit>
void along_keys(const Masking& masking, std::int64_t q, std::int64_t rows, std::int64_t tile_keys,
                const Visit& visit) {
  const std::int64_t end = masking.visible_end(q + rows - 1);
  for (std::int64_t k = 0; k < end; k += tile_keys) visit(Place{q, rows, k, std::min(tile_keys, end - k)});
}

// QKᵀ/√D of a tile, -inf where the mask hides a key. (N, rows, columns), wide.
at::Tensor scores_of(const at::Tensor& query, const at::Tensor& key, const Place& at_place,
                     const Masking& masking) {
  at::Tensor scores = query.matmul(key.transpose(1, 2)).to(wide(query.scalar_type())).mul_(scale_of(query));
  const bool all_visible = masking.visible_end(at_place.q) >= at_place.k + at_place.columns;
  if (!all_visible) {
    const at::Tensor hidden = at::ones({at_place.rows, at_place.columns}, scores.options().dtype(at::kBool))
                                  .triu(at_place.q + *masking.diagonal - at_place.k + 1);
    scores.masked_fill_(hidden, -kInfinity);
  }
  return scores;
}

struct Forward {
  at::Tensor output;       // (N, Sq, D)
  at::Tensor log_sum_exp;  // (N, Sq)
};

Forward tiled_forward(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                      const Masking& masking, Tile tile) {
  const at::ScalarType dtype = query.scalar_type(), sums = wide(dtype);
  const std::int64_t count = query.size(0), queries = query.size(1), width = value.size(2);
  const auto options = query.options().dtype(sums);
  Forward result{at::empty({count, queries, width}, query.options()), at::empty({count, queries}, options)};
  for (std::int64_t q = 0; q < queries; q += tile.queries) {
    const std::int64_t rows = std::min(tile.queries, queries - q);
    const at::Tensor query_tile = query.narrow(1, q, rows);
    at::Tensor largest = at::full({count, rows, 1}, least(sums), options);  // score so far
    at::Tensor sum = at::zeros({count, rows, 1}, options);                  // of exp(score - largest)
    at::Tensor output = at::zeros({count, rows, width}, options);           // not yet divided by sum
    along_keys(masking, q, rows, tile.keys, [&](const Place& place) {
      const at::Tensor key_tile = key.narrow(1, place.k, place.columns);
      at::Tensor scores = scores_of(query_tile, key_tile, place, masking);
      const at::Tensor larger = at::maximum(largest, scores.amax(-1, /*keepdim=*/true));
      const at::Tensor probabilities = scores.sub_(larger).exp_();
      const at::Tensor shrink = largest.sub_(larger).exp_();
      sum.mul_(shrink).add_(probabilities.sum(-1, /*keepdim=*/true));
      output.mul_(shrink).add_(probabilities.to(dtype).matmul(value.narrow(1, place.k, place.columns)));
      largest = larger;
    });
    // A query that sees no key: 0 / tiny = 0, least + log 0 = -inf. Any other has a sum of at least 1.
    constexpr double kTiny = std::numeric_limits<float>::min();
    result.output.narrow(1, q, rows).copy_(output.div_(sum.clamp_min(kTiny)));
    result.log_sum_exp.narrow(1, q, rows).copy_(largest.add_(sum.log_()).squeeze(-1));
  }
  return result;
}

struct Gradients {
  at::Tensor query, key, value;
};

// With P = exp(S - L) computed again: dV = PᵀdO, dS = P ⊙ (dO Vᵀ - rowsum(dO ⊙ O)), dQ = dS K/√D,
// dK = dSᵀ Q/√D.
Gradients tiled_backward(const at::Tensor& d_output, const at::Tensor& query, const at::Tensor& key,
                         const at::Tensor& value, const at::Tensor& output, const at::Tensor& log_sum_exp,
                         const Masking& masking, Tile tile) {
  const at::ScalarType dtype = query.scalar_type(), sums = wide(dtype);
  const std::int64_t queries = query.size(1);
  const double scale = scale_of(query);
  const at::Tensor finite = log_sum_exp.clamp_min(least(sums)).unsqueeze(-1);  // (N, Sq, 1)
  at::Tensor d_query = at::zeros(query.sizes(), query.options().dtype(sums));
  at::Tensor d_key = at::zeros(key.sizes(), query.options().dtype(sums));
  at::Tensor d_value = at::zeros(value.sizes(), query.options().dtype(sums));
  for (std::int64_t q = 0; q < queries; q += tile.queries) {
    const std::int64_t rows = std::min(tile.queries, queries - q);
    const at::Tensor query_tile = query.narrow(1, q, rows);
    const at::Tensor d_output_tile = d_output.narrow(1, q, rows);
    const at::Tensor finite_tile = finite.narrow(1, q, rows);
    const at::Tensor row_sum =
        d_output_tile.to(sums).mul(output.narrow(1, q, rows)).sum(-1, /*keepdim=*/true);
    const at::Tensor d_query_tile = d_query.narrow(1, q, rows);
    along_keys(masking, q, rows, tile.keys, [&](const Place& place) {
      const at::Tensor key_tile = key.narrow(1, place.k, place.columns);
      const at::Tensor value_tile = value.narrow(1, place.k, place.columns);
      const at::Tensor probabilities =
          scores_of(query_tile, key_tile, place, masking).sub_(finite_tile).exp_();
      d_value.narrow(1, place.k, place.columns)
          .add_(probabilities.to(dtype).transpose(1, 2).matmul(d_output_tile));
      at::Tensor d_scores = d_output_tile.matmul(value_tile.transpose(1, 2)).to(sums);
      d_scores = d_scores.sub_(row_sum).mul_(probabilities).to(dtype);
      d_query_tile.add_(d_scores.matmul(key_tile), scale);
      d_key.narrow(1, place.k, place.columns).add_(d_scores.transpose(1, 2).matmul(query_tile), scale);
    });
  }
  return {d_query.to(dtype), d_key.to(dtype), d_value.to(dtype)};
}

constexpr const char* kDiagonal = "diagonal";
constexpr const char* kTileQueries = "tile_queries";
constexpr const char* kTileKeys = "tile_keys";

class TiledFunction : public torch::autograd::Function<TiledFunction> {
 public:
  // Returns output (..., Sq, D) and log-sum-exp (..., Sq).
  static variable_list forward(AutogradContext* context, const at::Tensor& query, const at::Tensor& key,
                               const at::Tensor& value, const Masking& masking, Tile tile) {
    const Forward result = tiled_forward(matrices(query), matrices(key), matrices(value), masking, tile);
    const at::Tensor output = result.output.view(query.sizes());
    const at::Tensor log_sum_exp = result.log_sum_exp.view(query.sizes().slice(0, query.sizes().size() - 1));
    context->save_for_backward({query, key, value, output, log_sum_exp});
    if (masking.diagonal) context->saved_data[kDiagonal] = *masking.diagonal;
    context->saved_data[kTileQueries] = tile.queries;
    context->saved_data[kTileKeys] = tile.keys;
    context->mark_non_differentiable({log_sum_exp});
    return {output, log_sum_exp};
  }

  static variable_list backward(AutogradContext* context, const variable_list& of_outputs) {
    const variable_list saved = context->get_saved_variables();
    const at::Tensor &query = saved[0], &key = saved[1], &value = saved[2];
    Masking masking{
        .queries = query.size(-2), .keys = key.size(-2), .diagonal = {}, .device = query.device()};
    if (const auto found = context->saved_data.find(kDiagonal); found != context->saved_data.end())
      masking.diagonal = found->second.toInt();
    const Tile tile{context->saved_data[kTileQueries].toInt(), context->saved_data[kTileKeys].toInt()};
    const Gradients gradients =
        tiled_backward(matrices(of_outputs[0]), matrices(query), matrices(key), matrices(value),
                       matrices(saved[3]), saved[4].reshape({-1, query.size(-2)}), masking, tile);
    return {gradients.query.view(query.sizes()),
            gradients.key.view(key.sizes()),
            gradients.value.view(value.sizes()),
            {},
            {}};
  }
};

}  // namespace

Tile default_tile(c10::Device device) {
  return device.is_cpu() ? kCpuTile : kGpuTile;
}

Attention make_tiled(const Masking& masking) {
  return make_tiled(masking, default_tile(masking.device));
}

Attention make_tiled(const Masking& masking, Tile tile) {
  return
      [masking, tile](const at::Tensor& query, const at::Tensor& key, const at::Tensor& value) -> Attended {
        const variable_list results = TiledFunction::apply(query, key, value, masking, tile);
        return {results[0], results[1]};
      };
}

std::vector<at::Tensor> saved_by_tiled(const at::Tensor& output) {
  using Node = torch::autograd::CppNode<TiledFunction>;
  return std::dynamic_pointer_cast<Node>(output.grad_fn())->ctx_.get_saved_variables();
}

}  // namespace bench::attention
