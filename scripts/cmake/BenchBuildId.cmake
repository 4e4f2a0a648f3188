# The id that bench and its workers must share; a hash over every source, so that a stale worker is refused.
# Written at build time to generated/build_id.cpp, and only when it changes.
set(build_id_file "${PROJECT_BINARY_DIR}/generated/build_id.cpp")
add_custom_target(bench_build_id_file
  COMMAND ${CMAKE_COMMAND} -DSOURCE=${PROJECT_SOURCE_DIR} -DOUTPUT=${build_id_file}
          -DCONFIGURATION=${CMAKE_BUILD_TYPE}-${BENCH_SANITIZE}-${BENCH_TORCH_VERSION}
          -P "${PROJECT_SOURCE_DIR}/scripts/cmake/write_build_id.cmake"
  BYPRODUCTS "${build_id_file}")
add_library(bench_build_id STATIC "${build_id_file}")
add_dependencies(bench_build_id bench_build_id_file)
