# How this project's targets are made. Every source includes by its path from the top: "harness/core/case.hpp".

# bench_add_library(NAME SOURCES ... LIBRARIES ...): one folder's torch-free code as a static library.
function(bench_add_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LIBRARIES" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_include_directories(${name} PUBLIC "${PROJECT_SOURCE_DIR}")
  target_link_libraries(${name} PUBLIC ${ARG_LIBRARIES} PRIVATE bench_warnings)
endfunction()

# bench_add_workload(SPEC ... SOURCES ... [CUDA ...] [SPEC_LIBRARIES ...] [LIBRARIES ...]): SPEC into bench and the
# workers, SOURCES into the workers, CUDA into bench-worker-cuda alone; what they link to likewise.
# target_sources rather than a library: a linker drops registrars from static libraries without a word.
function(bench_add_workload)
  cmake_parse_arguments(ARG "" "" "SPEC;SOURCES;CUDA;SPEC_LIBRARIES;LIBRARIES" ${ARGN})
  list(TRANSFORM ARG_SPEC PREPEND "${CMAKE_CURRENT_SOURCE_DIR}/")
  list(TRANSFORM ARG_SOURCES PREPEND "${CMAKE_CURRENT_SOURCE_DIR}/")
  list(TRANSFORM ARG_CUDA PREPEND "${CMAKE_CURRENT_SOURCE_DIR}/")
  target_sources(bench PRIVATE ${ARG_SPEC})
  target_link_libraries(bench PRIVATE ${ARG_SPEC_LIBRARIES})
  foreach(worker ${bench_workers})
    target_sources(${worker} PRIVATE ${ARG_SPEC} ${ARG_SOURCES})
    target_link_libraries(${worker} PRIVATE ${ARG_SPEC_LIBRARIES} ${ARG_LIBRARIES})
  endforeach()
  if(bench_with_cuda AND ARG_CUDA)
    target_sources(bench-worker-cuda PRIVATE ${ARG_CUDA})
  endif()
endfunction()

set(labels_that_fill_the_machine "torch|ranks|slow|gpu")  # tests that run alone, as they use every core

# bench_add_test(NAME SOURCES ... LIBRARIES ... LABELS unit [ENVIRONMENT NAME=VALUE]): a GoogleTest program whose tests
# ctest sees one by one. unit: no LibTorch. torch: uses it. slow, gpu, ranks, golden as their names say.
function(bench_add_test name)
  cmake_parse_arguments(ARG "" "ENVIRONMENT" "SOURCES;LIBRARIES;LABELS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_include_directories(${name} PRIVATE "${PROJECT_SOURCE_DIR}")
  target_link_libraries(${name} PRIVATE ${ARG_LIBRARIES} GTest::gtest GTest::gtest_main bench_warnings)
  set(folder "${PROJECT_BINARY_DIR}/tests")
  if(ARG_LABELS STREQUAL "gpu")  # apart: scripts/gpu-check carries the folder to a machine that has one
    string(APPEND folder "/gpu")
  endif()
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${folder}")
  gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST)

  # gtest_discover_tests garbles a list of several labels: ctest sets the properties itself, once it knows the tests.
  set(properties "LABELS \"${ARG_LABELS}\"")
  if(ARG_ENVIRONMENT)
    string(APPEND properties " ENVIRONMENT \"${ARG_ENVIRONMENT}\"")
  endif()
  if(ARG_LABELS MATCHES "${labels_that_fill_the_machine}")
    string(APPEND properties " RUN_SERIAL TRUE")
  endif()
  set(properties_file "${CMAKE_CURRENT_BINARY_DIR}/${name}_properties.cmake")
  file(GENERATE OUTPUT "${properties_file}" CONTENT
    "if(${name}_TESTS)\n  set_tests_properties(\${${name}_TESTS} PROPERTIES ${properties})\nendif()\n")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES "${properties_file}")
endfunction()

# bench_add_script_test(NAME COMMAND ... [LABELS unit]): a test that is a program of its own, mostly a Python file run
# by ${BENCH_TEST_PYTHON}. Exit 77 counts as skipped. The command runs at the top of the checkout.
find_program(BENCH_TEST_PYTHON python3 PATHS /usr/bin NO_DEFAULT_PATH)  # the one that sees Debian's python3-jsonschema
find_program(BENCH_TEST_PYTHON python3 REQUIRED)
function(bench_add_script_test name)
  cmake_parse_arguments(ARG "" "" "COMMAND;LABELS" ${ARGN})
  add_test(NAME ${name} COMMAND ${ARG_COMMAND} WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
  set_tests_properties(${name} PROPERTIES LABELS "${ARG_LABELS}" SKIP_RETURN_CODE 77)
  if(ARG_LABELS MATCHES "${labels_that_fill_the_machine}")
    set_tests_properties(${name} PROPERTIES RUN_SERIAL TRUE)
  endif()
endfunction()

# bench_add_benchmark(NAME SOURCES ... LIBRARIES ...): a Google Benchmark program in build/PRESET/benchmarks, run by hand:
# a speed is no test.
function(bench_add_benchmark name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LIBRARIES" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_include_directories(${name} PRIVATE "${PROJECT_SOURCE_DIR}")
  target_link_libraries(${name} PRIVATE ${ARG_LIBRARIES} benchmark::benchmark benchmark::benchmark_main bench_warnings)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/benchmarks")
endfunction()
