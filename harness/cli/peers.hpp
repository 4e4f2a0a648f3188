#pragma once

#include <string>
#include <vector>

namespace bench::cli {

// The program "torch" of WorkloadSpec::program: workloads/peers/torch_worker.py under a Python that can run
// it.
struct TorchPeer {
  std::string python, script;
  std::string lacking;  // why there is none, with the remedy; empty: there is one
};

// `folder`: where bench itself lies, with the scripts in its subfolder peers/. `pythons`: tried in this
// order; the first with torch 2.11 and safetensors is taken, which is found out without importing either.
TorchPeer find_torch_peer(const std::string& folder, const std::vector<std::string>& pythons);

// $BENCH_PYTHON alone where it is set; otherwise .venv/bin/python3 of the checkout that `folder` lies in,
// then python3.
std::vector<std::string> candidate_pythons(const std::string& folder);

}  // namespace bench::cli
