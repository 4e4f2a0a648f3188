#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nvtx3/nvToolsExt.h>

// An NVTX tool for tests. NVTX's header calls InitializeInjectionNvtx2 at the process's first NVTX call,
// which may happen once for every copy of NVTX in the process: each fills its own table with the same
// functions. One mutex around everything: this is a recorder, not a profiler.

// NVTX hands these back to us as the opaque handles that we gave out.
struct nvtxDomainRegistration_st {
  std::string name;
};
struct nvtxStringRegistration_st {
  std::string text;
};

namespace {

struct Label {
  std::string name;
  bool registered = false;
};

// One line under construction. Every line is one write() to a file opened for appending, so that lines of
// several threads and processes do not mix and the last one is there after a SIGKILL.
class Line {
 public:
  explicit Line(std::string_view event) {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    text_ = fmt::format(R"({{"event":"{}","process":{},"thread":{},"ns":{})", event, getpid(), gettid(),
                        static_cast<long long>(now.tv_sec) * 1'000'000'000 + now.tv_nsec);
  }
  Line& string(std::string_view key, std::string_view value) {
    text_ += fmt::format(R"(,"{}":")", key);
    for (const char c : value) {
      if (c == '"' || c == '\\') {
        text_ += '\\';
        text_ += c;
      } else if (static_cast<unsigned char>(c) < 0x20) {
        text_ += fmt::format("\\u{:04x}", static_cast<unsigned char>(c));
      } else {
        text_ += c;
      }
    }
    text_ += '"';
    return *this;
  }
  // A number, true or false.
  template <typename T>
  Line& plain(std::string_view key, T value) {
    text_ += fmt::format(R"(,"{}":{})", key, value);
    return *this;
  }
  Line& label(const Label& label) { return string("name", label.name).plain("registered", label.registered); }

  void write_to(int file) {
    text_ += "}\n";
    const char* rest = text_.data();
    std::size_t left = text_.size();
    while (left > 0) {
      const ssize_t written = ::write(file, rest, left);
      if (written < 0) return;  // a full disk: the test that reads the file fails by what is missing
      rest += written;
      left -= static_cast<std::size_t>(written);
    }
  }

 private:
  std::string text_;
};

std::string_view name_of(nvtxDomainHandle_t domain) {
  return domain == nullptr ? "" : std::string_view(domain->name);
}

std::string narrow(const wchar_t* text) {
  std::string result;
  for (; text != nullptr && *text != 0; ++text) result += *text < 0x80 ? static_cast<char>(*text) : '?';
  return result;
}

Label label_of(const nvtxEventAttributes_t* event) {
  if (event == nullptr) return {};
  switch (event->messageType) {
    case NVTX_MESSAGE_TYPE_REGISTERED:
      return {event->message.registered == nullptr ? "" : event->message.registered->text, true};
    case NVTX_MESSAGE_TYPE_ASCII:
      return {event->message.ascii == nullptr ? "" : event->message.ascii, false};
    case NVTX_MESSAGE_TYPE_UNICODE:
      return {narrow(event->message.unicode), false};
    default:
      return {};
  }
}

void add_payload(Line& line, const nvtxEventAttributes_t* event) {
  if (event == nullptr) return;
  switch (event->payloadType) {
    case NVTX_PAYLOAD_TYPE_INT64:
      line.plain("payload", event->payload.llValue);
      break;
    case NVTX_PAYLOAD_TYPE_UNSIGNED_INT64:
      line.plain("payload", event->payload.ullValue);
      break;
    case NVTX_PAYLOAD_TYPE_INT32:
      line.plain("payload", event->payload.iValue);
      break;
    case NVTX_PAYLOAD_TYPE_UNSIGNED_INT32:
      line.plain("payload", event->payload.uiValue);
      break;
    case NVTX_PAYLOAD_TYPE_DOUBLE:
      line.plain("payload", event->payload.dValue);
      break;
    case NVTX_PAYLOAD_TYPE_FLOAT:
      line.plain("payload", event->payload.fValue);
      break;
    default:
      break;
  }
}

class Recorder {
 public:
  // nullptr without a usable NVTX_RECORDER_OUTPUT. Leaked: other libraries' exit handlers may still emit
  // events.
  static Recorder* instance() {
    static Recorder* const recorder = open();
    return recorder;
  }

  nvtxDomainHandle_t create_domain(std::string name) {
    const std::scoped_lock lock(mutex_);
    Line("domain").string("domain", name).string("name", name).write_to(file_);
    auto& domain = domains_[name];  // NVTX: creating a domain twice gives the same one
    if (domain == nullptr) domain = new nvtxDomainRegistration_st{std::move(name)};
    return domain;
  }

  nvtxStringHandle_t register_string(nvtxDomainHandle_t domain, std::string text) {
    const std::scoped_lock lock(mutex_);
    Line("string").string("domain", name_of(domain)).string("name", text).write_to(file_);
    strings_.push_back(new nvtxStringRegistration_st{std::move(text)});
    return strings_.back();
  }

  void mark(nvtxDomainHandle_t domain, const Label& label, const nvtxEventAttributes_t* event) {
    const std::scoped_lock lock(mutex_);
    Line line("mark");
    line.string("domain", name_of(domain)).label(label);
    add_payload(line, event);
    line.write_to(file_);
  }

  int push(nvtxDomainHandle_t domain, const Label& label, const nvtxEventAttributes_t* event) {
    const std::scoped_lock lock(mutex_);
    std::vector<Label>& stack = stacks_[{gettid(), domain}];
    const int level = static_cast<int>(stack.size());
    Line line("push");
    line.string("domain", name_of(domain)).label(label).plain("level", level);
    add_payload(line, event);
    line.write_to(file_);
    stack.push_back(label);
    return level;
  }

  // A pop without a push is recorded with level -1 and no name.
  int pop(nvtxDomainHandle_t domain) {
    const std::scoped_lock lock(mutex_);
    std::vector<Label>& stack = stacks_[{gettid(), domain}];
    Label label;
    if (!stack.empty()) {
      label = std::move(stack.back());
      stack.pop_back();
      Line("pop").string("domain", name_of(domain)).label(label).plain("level", stack.size()).write_to(file_);
      return static_cast<int>(stack.size());
    }
    Line("pop").string("domain", name_of(domain)).label(label).plain("level", -1).write_to(file_);
    return NVTX_NO_PUSH_POP_TRACKING;
  }

  nvtxRangeId_t start(nvtxDomainHandle_t domain, const Label& label, const nvtxEventAttributes_t* event) {
    const std::scoped_lock lock(mutex_);
    const nvtxRangeId_t id = next_id_++;
    Line line("start");
    line.string("domain", name_of(domain)).label(label).plain("id", id);
    add_payload(line, event);
    line.write_to(file_);
    started_[id] = label;
    return id;
  }

  // The end of a range that was never started, or was ended before, is recorded without a name.
  void end(nvtxDomainHandle_t domain, nvtxRangeId_t id) {
    const std::scoped_lock lock(mutex_);
    Label label;
    if (const auto found = started_.find(id); found != started_.end()) {
      label = std::move(found->second);
      started_.erase(found);
    }
    Line("end").string("domain", name_of(domain)).label(label).plain("id", id).write_to(file_);
  }

 private:
  explicit Recorder(int file) : file_(file) {}

  static Recorder* open() {
    const char* path = std::getenv("NVTX_RECORDER_OUTPUT");
    const int file = path == nullptr ? -1 : ::open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
    if (file >= 0) return new Recorder(file);
    std::fputs("nvtx_recorder: NVTX_RECORDER_OUTPUT names no file that can be written; nothing is recorded\n",
               stderr);
    return nullptr;
  }

  std::mutex mutex_;
  int file_;
  nvtxRangeId_t next_id_ = 1;
  std::map<std::string, nvtxDomainHandle_t> domains_;
  std::vector<nvtxStringHandle_t> strings_;
  std::map<std::pair<pid_t, nvtxDomainHandle_t>, std::vector<Label>> stacks_;
  std::map<nvtxRangeId_t, Label> started_;
};

Recorder& recorder() {
  return *Recorder::instance();
}

Label unregistered(const char* text) {
  return {text == nullptr ? "" : text, false};
}

// A function table that NVTX handed out: entries are addresses of its function pointers, index 0 is unused.
class Table {
 public:
  Table(const NvtxExportTableCallbacks& callbacks, NvtxCallbackModule module) {
    if (callbacks.GetModuleFunctionTable(module, &entries_, &size_) == 0) size_ = 0;
  }
  // `function` must have the type that NVTX declares for this index (nvtxTypes.h, *_impl_fntype).
  template <typename Function>
  void fill(int index, Function* function) {
    if (static_cast<unsigned>(index) < size_)
      *entries_[index] = reinterpret_cast<NvtxFunctionPointer>(function);
  }
  bool empty() const { return size_ == 0; }

 private:
  NvtxFunctionTable entries_ = nullptr;
  unsigned size_ = 0;
};

// nvtxFoo: domain-less, so that a range of some other library that strays into our process is seen as well.
void fill_domainless(Table table) {
  table.fill(
      NVTX_CBID_CORE_MarkEx,
      +[](const nvtxEventAttributes_t* e) { recorder().mark(nullptr, label_of(e), e); });
  table.fill(
      NVTX_CBID_CORE_MarkA, +[](const char* s) { recorder().mark(nullptr, unregistered(s), nullptr); });
  table.fill(
      NVTX_CBID_CORE_RangeStartEx,
      +[](const nvtxEventAttributes_t* e) { return recorder().start(nullptr, label_of(e), e); });
  table.fill(
      NVTX_CBID_CORE_RangeStartA,
      +[](const char* s) { return recorder().start(nullptr, unregistered(s), nullptr); });
  table.fill(
      NVTX_CBID_CORE_RangeEnd, +[](nvtxRangeId_t id) { recorder().end(nullptr, id); });
  table.fill(
      NVTX_CBID_CORE_RangePushEx,
      +[](const nvtxEventAttributes_t* e) { return recorder().push(nullptr, label_of(e), e); });
  table.fill(
      NVTX_CBID_CORE_RangePushA,
      +[](const char* s) { return recorder().push(nullptr, unregistered(s), nullptr); });
  table.fill(
      NVTX_CBID_CORE_RangePop, +[] { return recorder().pop(nullptr); });
}

// nvtxDomainFoo.
void fill_domain(Table table) {
  using Domain = nvtxDomainHandle_t;
  using Event = const nvtxEventAttributes_t*;
  table.fill(
      NVTX_CBID_CORE2_DomainCreateA, +[](const char* name) { return recorder().create_domain(name); });
  table.fill(
      NVTX_CBID_CORE2_DomainCreateW,
      +[](const wchar_t* name) { return recorder().create_domain(narrow(name)); });
  table.fill(
      NVTX_CBID_CORE2_DomainRegisterStringA,
      +[](Domain d, const char* text) { return recorder().register_string(d, text); });
  table.fill(
      NVTX_CBID_CORE2_DomainRegisterStringW,
      +[](Domain d, const wchar_t* text) { return recorder().register_string(d, narrow(text)); });
  table.fill(
      NVTX_CBID_CORE2_DomainMarkEx, +[](Domain d, Event e) { recorder().mark(d, label_of(e), e); });
  table.fill(
      NVTX_CBID_CORE2_DomainRangePushEx,
      +[](Domain d, Event e) { return recorder().push(d, label_of(e), e); });
  table.fill(
      NVTX_CBID_CORE2_DomainRangePop, +[](Domain d) { return recorder().pop(d); });
  table.fill(
      NVTX_CBID_CORE2_DomainRangeStartEx,
      +[](Domain d, Event e) { return recorder().start(d, label_of(e), e); });
  table.fill(
      NVTX_CBID_CORE2_DomainRangeEnd, +[](Domain d, nvtxRangeId_t id) { recorder().end(d, id); });
}

}  // namespace

// 1: attached. 0: NVTX turns every call of this process into a no-op.
extern "C" __attribute__((visibility("default"))) int InitializeInjectionNvtx2(
    NvtxGetExportTableFunc_t get_table) {
  if (Recorder::instance() == nullptr) return 0;
  const auto* callbacks = static_cast<const NvtxExportTableCallbacks*>(get_table(NVTX_ETID_CALLBACKS));
  if (callbacks == nullptr) return 0;
  const Table domainless(*callbacks, NVTX_CB_MODULE_CORE);
  const Table domain(*callbacks, NVTX_CB_MODULE_CORE2);
  if (domain.empty()) return 0;
  fill_domainless(domainless);
  fill_domain(domain);
  return 1;
}
