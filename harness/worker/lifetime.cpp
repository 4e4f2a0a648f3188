#include "harness/worker/lifetime.hpp"

#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <fstream>

namespace bench::worker {

void live_and_die_with(pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(0);  // it died before the line above
  std::signal(SIGINT, SIG_IGN);
  std::signal(SIGPIPE, SIG_IGN);
}

void volunteer_for_the_oom_killer() {
  std::ofstream("/proc/self/oom_score_adj") << 800;
  const rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
}

void limit_private_memory(long long budget_bytes) {
  if (budget_bytes <= 0) return;
  rlimit limit{};
  getrlimit(RLIMIT_DATA, &limit);
  limit.rlim_cur = std::min(limit.rlim_cur, static_cast<rlim_t>(budget_bytes) + (rlim_t{1} << 30));
  setrlimit(RLIMIT_DATA, &limit);
}

}  // namespace bench::worker
