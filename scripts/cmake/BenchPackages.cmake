# Third-party packages, all from the system (Debian's -dev packages) or from a folder in CMAKE_PREFIX_PATH.
find_package(Threads REQUIRED)
find_package(fmt REQUIRED)            # used header-only: fmt::fmt-header-only
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(GTest REQUIRED)
find_package(benchmark REQUIRED)      # Google Benchmark: how bench's own planning and reading scale
include(GoogleTest)
