#pragma once

namespace at {
class Tensor;
}

namespace bench::worker {

// What a tensor's bytes are for. The CPU worker's allocator keeps a sum for each.
enum class AllocationCategory { other, parameters, gradients, optimizer, activations };
inline constexpr int kAllocationCategories = 5;
const char* to_text(AllocationCategory category);

// New allocations of the whole process count under this category for the scope's lifetime: autograd and ATen
// allocate on the thread that calls them, and a worker runs one step at a time.
class CategoryScope {
 public:
  explicit CategoryScope(AllocationCategory category);
  ~CategoryScope();
  CategoryScope(const CategoryScope&) = delete;
  CategoryScope& operator=(const CategoryScope&) = delete;

 private:
  AllocationCategory previous_;
};

// Moves the block behind a living tensor, of which it may be a view, to another category. A block that the
// worker's allocator did not hand out is left alone.
void retag(const at::Tensor& tensor, AllocationCategory category);

}  // namespace bench::worker
