# bench::torch_cuda, and whether bench-worker-cuda is built: wherever LibTorch has its CUDA half and the toolkit's headers
# are. nvcc is needed by kernels only. It links against the lean set too, but starts only with the full one.
#   -DBENCH_CUDA=AUTO (default) | ON (an error where something is missing) | OFF
get_property(type CACHE BENCH_CUDA PROPERTY TYPE)
if(type STREQUAL "BOOL")  # of a build folder from when this was an option that nobody could turn on
  unset(BENCH_CUDA CACHE)
endif()
set(BENCH_CUDA AUTO CACHE STRING "Build bench-worker-cuda too: AUTO, ON or OFF")

# Where the CUDA toolkit is, or that there is none, is said in every configuration: CI reads it.
find_program(BENCH_NVCC nvcc HINTS ENV CUDA_HOME ENV CUDA_PATH PATH_SUFFIXES bin)
if(BENCH_NVCC)
  message(STATUS "CUDA toolkit: ${BENCH_NVCC}")
else()
  message(STATUS "CUDA toolkit: none found")
endif()

# The wheels' headers first, as their versions are those that LibTorch loads; they lack crt/, which the toolkit has.
# Not cached: a toolkit may come and go between two configurations of one build folder.
set(cuda_wheel "${torch_folder}/../nvidia/cu13")
cmake_path(NORMAL_PATH cuda_wheel)
foreach(header cublas_v2.h crt/host_defines.h)
  string(MAKE_C_IDENTIFIER "cuda_folder_of_${header}" found)
  find_path(${found} ${header}
    PATHS "${cuda_wheel}/include" "$ENV{CUDA_HOME}/include" "$ENV{CUDA_PATH}/include" /usr/local/cuda/include
          /opt/cuda/include
    NO_DEFAULT_PATH NO_CACHE)
endforeach()
find_library(cuda_runtime NAMES libcudart.so.13 libcudart.so
  PATHS "${torch_folder}/lib" "${cuda_wheel}/lib" "$ENV{CUDA_HOME}/lib64" "$ENV{CUDA_PATH}/lib64" /usr/local/cuda/lib64
        /opt/cuda/lib64
  NO_DEFAULT_PATH NO_CACHE)

set(bench_cuda_lacks "")
if(NOT EXISTS "${torch_folder}/lib/libtorch_cuda.so")
  set(bench_cuda_lacks "this LibTorch has no libtorch_cuda.so")
elseif(NOT cuda_folder_of_cublas_v2_h OR NOT cuda_folder_of_crt_host_defines_h)
  set(bench_cuda_lacks "the CUDA toolkit's headers were not found (CUDA_HOME names its folder)")
elseif(NOT cuda_runtime)
  set(bench_cuda_lacks "libcudart.so.13 was not found")
endif()

set(bench_with_cuda OFF)
if(NOT BENCH_CUDA)
  message(STATUS "bench-worker-cuda: off, as asked")
elseif(NOT bench_cuda_lacks)
  set(bench_with_cuda ON)
  message(STATUS "bench-worker-cuda: yes, headers from ${cuda_folder_of_cublas_v2_h} and ${cuda_folder_of_crt_host_defines_h}")
elseif(BENCH_CUDA STREQUAL "AUTO")
  message(STATUS "bench-worker-cuda: no, ${bench_cuda_lacks}")
else()
  message(FATAL_ERROR "bench-worker-cuda cannot be built: ${bench_cuda_lacks}")
endif()
if(NOT bench_with_cuda)
  return()
endif()

# libtorch_cuda registers its kernels when it is loaded, though no symbol of ours needs it: the linker must keep it.
foreach(library c10_cuda torch_cuda)
  add_library(bench::${library} SHARED IMPORTED)
  set_target_properties(bench::${library} PROPERTIES IMPORTED_LOCATION "${torch_folder}/lib/lib${library}.so")
endforeach()
set(cuda_include "${cuda_folder_of_cublas_v2_h}" "${cuda_folder_of_crt_host_defines_h}")
list(REMOVE_DUPLICATES cuda_include)
set_target_properties(bench::c10_cuda PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${cuda_include}")
target_link_libraries(bench::c10_cuda INTERFACE bench::c10 "${cuda_runtime}")
target_link_libraries(bench::torch_cuda INTERFACE bench::c10_cuda bench::torch_cpu)
# Said again by path between the two flags: CMake may move the imported target out of them.
target_link_options(bench::torch_cuda INTERFACE "LINKER:--allow-shlib-undefined"
  "LINKER:--push-state,--no-as-needed" "${torch_folder}/lib/libtorch_cuda.so" "LINKER:--pop-state")

# Whether what libtorch_cuda itself needs is here, so that programs that use it can be started (the lean set lacks it).
file(GLOB cudnn "${torch_folder}/lib/libcudnn.so*" "${torch_folder}/../nvidia/cudnn/lib/libcudnn.so*")
if(cudnn)
  set(bench_cuda_starts ON)
else()
  set(bench_cuda_starts OFF)
  message(STATUS "tests on a GPU: left out, as only the lean set of LibTorch is here (scripts/setup --peers)")
endif()
