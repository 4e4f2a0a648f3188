#include "harness/worker/safetensors.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <fstream>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/core/error.hpp"

namespace bench::worker {
namespace {

static_assert(std::endian::native == std::endian::little, "tensors are written as they lie in memory");

std::string_view dtype_name(at::ScalarType dtype) {
  switch (dtype) {
    case at::kFloat:
      return "F32";
    case at::kDouble:
      return "F64";
    case at::kBFloat16:
      return "BF16";
    case at::kHalf:
      return "F16";
    case at::kLong:
      return "I64";
    default:
      throw Error(ErrorKind::internal,
                  fmt::format("safetensors: no tensor of {} is expected", at::toString(dtype)));
  }
}

void require_plain(const std::string& name) {
  const bool plain =
      std::ranges::all_of(name, [](char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; });
  if (!plain) throw Error(ErrorKind::internal, fmt::format("safetensors: \"{}\" is no plain name", name));
}

std::string header_of(const NamedTensors& tensors) {
  std::string header = "{";
  std::size_t offset = 0;
  for (const auto& [name, tensor] : tensors) {
    require_plain(name);
    const std::size_t end = offset + tensor.nbytes();
    header += fmt::format(R"({}"{}":{{"dtype":"{}","shape":[{}],"data_offsets":[{},{}]}})",
                          header.size() == 1 ? "" : ",", name, dtype_name(tensor.scalar_type()),
                          fmt::join(tensor.sizes(), ","), offset, end);
    offset = end;
  }
  header += "}";
  header.resize((header.size() + 7) / 8 * 8, ' ');
  return header;
}

}  // namespace

void write_safetensors(const std::string& path, const NamedTensors& tensors) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  const auto write = [&](const void* data, std::size_t bytes) {
    file.write(static_cast<const char*>(data), static_cast<std::streamsize>(bytes));
  };
  const std::string header = header_of(tensors);
  const std::uint64_t length = header.size();
  write(&length, sizeof(length));
  write(header.data(), header.size());
  for (const auto& [name, tensor] : tensors) {
    const at::Tensor plain = tensor.detach().cpu().contiguous();
    write(plain.const_data_ptr(), plain.nbytes());
    if (!file) break;
  }
  file.close();
  if (!file) throw Error(ErrorKind::io, fmt::format("{} could not be written: is the disk full?", path));
}

}  // namespace bench::worker
