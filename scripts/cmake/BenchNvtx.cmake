# bench::nvtx: the NVTX 3 headers, from the wheel nvidia-nvtx beside torch or from an installed CUDA toolkit. Header-only:
# it opens a tool's library with dlopen, and only when a tool names one in NVTX_INJECTION64_PATH.
find_path(BENCH_NVTX_INCLUDE nvtx3/nvToolsExt.h
  PATHS "${torch_folder}/../nvidia/cu13/include" "${torch_folder}/include"
        "$ENV{CUDA_HOME}/include" "$ENV{CUDA_PATH}/include" /usr/local/cuda/include /opt/cuda/include
        /usr/local/cuda/targets/x86_64-linux/include
  NO_DEFAULT_PATH
  DOC "The folder that holds nvtx3/nvToolsExt.h")
if(NOT BENCH_NVTX_INCLUDE)
  message(FATAL_ERROR "The NVTX 3 headers were not found beside ${torch_folder} or in a CUDA toolkit. Run scripts/setup, "
    "or `pip install --no-deps nvidia-nvtx==13.0.85` beside torch, or pass -DBENCH_NVTX_INCLUDE=DIR.")
endif()
message(STATUS "NVTX 3: ${BENCH_NVTX_INCLUDE}")

add_library(bench_nvtx INTERFACE)
add_library(bench::nvtx ALIAS bench_nvtx)
target_include_directories(bench_nvtx SYSTEM INTERFACE "${BENCH_NVTX_INCLUDE}")
target_link_libraries(bench_nvtx INTERFACE ${CMAKE_DL_LIBS})
