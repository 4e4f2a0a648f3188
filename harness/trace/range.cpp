#include "harness/trace/range.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <map>
#include <mutex>
#include <utility>

#include <nvtx3/nvToolsExt.h>

// The C interface rather than nvtx3.hpp: a range whose opening is decided at run time is simpler in it.
namespace bench::trace {
namespace {

struct Entry {
  const char* text;
  bool inside_step;
};

// In the order of Name.
constexpr std::array<Entry, 9> kEntries{{
    {"FWD_STEP", true},
    {"BWD_STEP", true},
    {"OPTIM_STEP", true},
    {"BLOCK", true},
    {"ATTN_QK_MATMUL", true},
    {"ATTN_SOFTMAX", true},
    {"ATTN_AV_MATMUL", true},
    {"WARMUP", false},
    {"CHECK", false},
}};
static_assert(kEntries.size() == static_cast<std::size_t>(Name::CHECK) + 1,
              "one entry per Name, in its order");

const Entry& entry_of(Name name) {
  return kEntries[static_cast<std::size_t>(name)];
}

// Relaxed is enough: the flag guards no data, and a step's own threads are synchronised with its thread
// anyway.
std::atomic<bool> step_ranges_on{false};

// The domain and its registered strings; all handles are null when no tool is attached. Never destroyed,
// because ranges of other static objects may still close after this file's would have gone.
class Domain {
 public:
  static Domain& instance() {
    static Domain* const domain = new Domain;
    return *domain;
  }

  nvtxDomainHandle_t handle() const { return handle_; }
  nvtxStringHandle_t registered(Name name) const { return names_[static_cast<std::size_t>(name)]; }

  nvtxStringHandle_t registered(std::string_view text) {
    const std::scoped_lock lock(mutex_);
    const auto found = texts_.find(text);
    if (found != texts_.end()) return found->second;
    std::string name(text);
    nvtxStringHandle_t string = nvtxDomainRegisterStringA(handle_, name.c_str());
    texts_.emplace(std::move(name), string);
    return string;
  }

 private:
  Domain() {
    for (std::size_t i = 0; i < kEntries.size(); ++i) {
      names_[i] = nvtxDomainRegisterStringA(handle_, kEntries[i].text);
    }
  }

  nvtxDomainHandle_t handle_ = nvtxDomainCreateA("bench");
  std::array<nvtxStringHandle_t, kEntries.size()> names_{};
  std::mutex mutex_;
  std::map<std::string, nvtxStringHandle_t, std::less<>> texts_;
};

nvtxEventAttributes_t attributes(nvtxStringHandle_t name) {
  nvtxEventAttributes_t result{};
  result.version = NVTX_VERSION;
  result.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  result.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
  result.message.registered = name;
  return result;
}

bool is_emitted(Name name) {
  return !entry_of(name).inside_step || step_ranges_on.load(std::memory_order_relaxed);
}

}  // namespace

std::string_view to_text(Name name) {
  return entry_of(name).text;
}

void set_step_ranges(bool on) {
  step_ranges_on.store(on, std::memory_order_relaxed);
}

Range::Range(Name name) : open_(is_emitted(name)) {
  if (!open_) return;
  const Domain& domain = Domain::instance();
  const nvtxEventAttributes_t event = attributes(domain.registered(name));
  nvtxDomainRangePushEx(domain.handle(), &event);
}

Range::Range(Name name, std::int64_t payload) : open_(is_emitted(name)) {
  if (!open_) return;
  const Domain& domain = Domain::instance();
  nvtxEventAttributes_t event = attributes(domain.registered(name));
  event.payloadType = NVTX_PAYLOAD_TYPE_INT64;
  event.payload.llValue = payload;
  nvtxDomainRangePushEx(domain.handle(), &event);
}

Range::~Range() {
  if (open_) nvtxDomainRangePop(Domain::instance().handle());
}

Span::Span(std::string_view name) : open_(true) {
  Domain& domain = Domain::instance();
  const nvtxEventAttributes_t event = attributes(domain.registered(name));
  id_ = nvtxDomainRangeStartEx(domain.handle(), &event);
}

Span::~Span() {
  end();
}

Span::Span(Span&& other) noexcept : id_(other.id_), open_(std::exchange(other.open_, false)) {}

Span& Span::operator=(Span&& other) noexcept {
  if (this != &other) {
    end();
    id_ = other.id_;
    open_ = std::exchange(other.open_, false);
  }
  return *this;
}

void Span::end() {
  if (std::exchange(open_, false)) nvtxDomainRangeEnd(Domain::instance().handle(), id_);
}

}  // namespace bench::trace
