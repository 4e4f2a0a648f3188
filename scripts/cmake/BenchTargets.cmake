# How this project's targets are made. Every source includes by its path from the top: "harness/core/case.hpp".

# bench_add_library(NAME SOURCES ... LIBRARIES ...): one folder's torch-free code as a static library.
function(bench_add_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LIBRARIES" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_include_directories(${name} PUBLIC "${PROJECT_SOURCE_DIR}")
  target_link_libraries(${name} PUBLIC ${ARG_LIBRARIES} PRIVATE bench_warnings)
endfunction()

# bench_add_workload(SPEC ... SOURCES ...): SPEC into bench and the workers, SOURCES into the workers.
# target_sources rather than a library: a linker drops registrars from static libraries without a word.
function(bench_add_workload)
  cmake_parse_arguments(ARG "" "" "SPEC;SOURCES" ${ARGN})
  list(TRANSFORM ARG_SPEC PREPEND "${CMAKE_CURRENT_SOURCE_DIR}/")
  list(TRANSFORM ARG_SOURCES PREPEND "${CMAKE_CURRENT_SOURCE_DIR}/")
  target_sources(bench PRIVATE ${ARG_SPEC})
  target_sources(bench-worker PRIVATE ${ARG_SPEC} ${ARG_SOURCES})
endfunction()

# bench_add_test(NAME SOURCES ... LIBRARIES ... LABELS unit): a GoogleTest program whose tests ctest sees one by one.
# unit: no LibTorch. torch: uses it. slow, gpu, ranks, golden as their names say.
function(bench_add_test name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LIBRARIES;LABELS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_include_directories(${name} PRIVATE "${PROJECT_SOURCE_DIR}")
  target_link_libraries(${name} PRIVATE ${ARG_LIBRARIES} GTest::gtest GTest::gtest_main bench_warnings)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests")
  gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST PROPERTIES LABELS "${ARG_LABELS}")
endfunction()
