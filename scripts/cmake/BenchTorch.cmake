# bench::torch_cpu from the wheel that scripts/setup installed, or from a LibTorch folder of the user's own:
#   cmake -DBENCH_TORCH=/path/to/libtorch
# Own imported targets rather than find_package(Torch): that one demands nvcc for a CPU build of the CUDA wheel and
# rewrites the CUDA flags of every target. libtorch_cpu.so itself needs libcupti and libcudart, which the two small
# NVIDIA wheels beside torch supply through the wheel's own run path.
set(BENCH_TORCH "$ENV{BENCH_TORCH}" CACHE PATH "A LibTorch folder (with include/ and lib/); default: the wheel in .venv")
set(BENCH_PYTHON "$ENV{BENCH_PYTHON}" CACHE FILEPATH "The Python whose torch wheel is used; default: .venv/bin/python3")

if(BENCH_TORCH)
  set(torch_folder "${BENCH_TORCH}")
else()
  if(NOT BENCH_PYTHON)
    set(BENCH_PYTHON "${PROJECT_SOURCE_DIR}/.venv/bin/python3")
  endif()
  # find_spec locates the package without importing it, which would load the whole of CUDA.
  execute_process(
    COMMAND "${BENCH_PYTHON}" -c
            "import importlib.util as u; print(u.find_spec('torch').submodule_search_locations[0])"
    OUTPUT_VARIABLE torch_folder OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE result ERROR_QUIET)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "LibTorch was not found through ${BENCH_PYTHON}. Run scripts/setup, or pass -DBENCH_TORCH=DIR.")
  endif()
endif()
if(NOT EXISTS "${torch_folder}/lib/libtorch_cpu.so")
  message(FATAL_ERROR "${torch_folder} holds no lib/libtorch_cpu.so: it is not a LibTorch folder.")
endif()

foreach(version_file version.py build-version)
  if(EXISTS "${torch_folder}/${version_file}")
    file(STRINGS "${torch_folder}/${version_file}" lines REGEX "[0-9]+\\.[0-9]+")
    string(REGEX MATCH "[0-9]+\\.[0-9]+\\.[0-9]+[+a-z0-9.]*" BENCH_TORCH_VERSION "${lines}")
    break()
  endif()
endforeach()
if(NOT BENCH_TORCH_VERSION MATCHES "^2\\.11\\.")
  message(FATAL_ERROR "${torch_folder} is LibTorch ${BENCH_TORCH_VERSION}; this project is written for 2.11.")
endif()
message(STATUS "LibTorch ${BENCH_TORCH_VERSION}: ${torch_folder}")

foreach(library c10 torch_cpu)
  add_library(bench::${library} SHARED IMPORTED)
  set_target_properties(bench::${library} PROPERTIES
    IMPORTED_LOCATION "${torch_folder}/lib/lib${library}.so"
    INTERFACE_INCLUDE_DIRECTORIES "${torch_folder}/include;${torch_folder}/include/torch/csrc/api/include"
    INTERFACE_COMPILE_DEFINITIONS "USE_DISTRIBUTED;USE_C10D_GLOO")
endforeach()
target_link_libraries(bench::torch_cpu INTERFACE bench::c10)

# bench::openmp: the OpenMP runtime that LibTorch itself loads, so that the process has one thread pool.
add_library(bench::openmp INTERFACE IMPORTED)
file(GLOB torch_gomp "${torch_folder}/lib/libgomp*.so*")
if(torch_gomp)
  list(GET torch_gomp 0 torch_gomp)
  target_link_libraries(bench::openmp INTERFACE "${torch_gomp}")
else()
  find_package(OpenMP REQUIRED COMPONENTS CXX)
  target_link_libraries(bench::openmp INTERFACE OpenMP::OpenMP_CXX)
endif()
