# shellcheck shell=bash
# Sourced by the scripts beside it: where the checkout is, how they speak, how they build.
# Everything they say goes to stderr: stdout belongs to what they run.
set -euo pipefail
root=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.." && pwd)

# Checkouts on one machine share compiled objects.
export CCACHE_BASEDIR=$root

say() { printf '%s\n' "$*" >&2; }

# The environment lacks something: one sentence with the remedy, and bench's exit code for that.
lacking() {
  say "error: $*"
  exit 5
}

usage_error() {
  say "error: $* (see --help)"
  exit 2
}

# The comment at the head of a script is its help.
print_help() { sed -n '2,/^[^#]/ { s/^# \{0,1\}//p }' "$0"; }

# build PRESET [TARGET...]: configures where that is due, builds, and says so in one line if anything changed.
# On failure the compiler's whole output is there. CMAKE_BUILD_PARALLEL_LEVEL is honoured, as by cmake itself.
build() {
  local preset=$1 folder=$root/build/$1 before started=$SECONDS ninja_options=(--quiet)
  shift
  [[ ! -t 2 ]] || ninja_options=()  # on a terminal ninja keeps to one line by itself
  needs_configuring "$folder" && configure "$preset" "$folder"
  before=$(programs "$folder")
  cmake --build "$folder" ${1:+--target "$@"} -- "${ninja_options[@]}" >&2 || {
    say "error: the $preset build failed"
    exit 1
  }
  [[ $(programs "$folder") == "$before" ]] || say "built $preset in $((SECONDS - started)) s"
}

# Names and times of what was linked.
programs() { stat --format '%n %y' "$1"/bin/* "$1"/tests/* 2>/dev/null || true; }

# Later changes to CMakeLists.txt are ninja's to notice; presets and the surroundings are not.
needs_configuring() {
  [[ ! -e $1/build.ninja || $root/CMakePresets.json -nt $1/configured ]] || [[ $(surroundings) != "$(cat "$1/configured")" ]]
}

# What a configuration depends on and cmake would not look at again: LibTorch, its set of wheels, the CUDA toolkit.
surroundings() {
  printf '%s\n' "${BENCH_TORCH:-}" "$(cat "$root/.venv/bench-setup.stamp" 2>/dev/null)" "$(type -p nvcc || true)"
}

configure() {
  local preset=$1 folder=$2
  mkdir -p "$folder"
  (cd "$root" && cmake --preset "$preset" -DBENCH_TORCH="${BENCH_TORCH:-}") >"$folder/configure.log" 2>&1 || {
    cat "$folder/configure.log" >&2
    lacking "configuring the $preset build failed, as above"
  }
  surroundings >"$folder/configured"
}
