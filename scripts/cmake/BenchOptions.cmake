# Language level, warnings and tools that every target of this project shares.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")

# LibTorch's record_function.h changes its layout without NDEBUG and then disagrees with the wheel's library; a build
# type that lacks the definition (Debug) gets it here. Our own checks do not use assert().
add_compile_definitions(NDEBUG)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Release, RelWithDebInfo or Debug" FORCE)
endif()

find_program(BENCH_CCACHE ccache)
if(BENCH_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${BENCH_CCACHE}")
endif()
find_program(BENCH_MOLD mold)
if(BENCH_MOLD)
  add_link_options(-fuse-ld=mold)
endif()

set(BENCH_SANITIZE "" CACHE STRING "Sanitizers for our own code, as -fsanitize takes them: address,undefined")
if(BENCH_SANITIZE)
  add_compile_options(-fsanitize=${BENCH_SANITIZE} -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${BENCH_SANITIZE})
endif()

# On our own code only: LibTorch's headers come as SYSTEM includes.
add_library(bench_warnings INTERFACE)
# -Wno-restrict: false positives of g++ 12 on std::string (https://gcc.gnu.org/bugzilla/show_bug.cgi?id=105329).
target_compile_options(bench_warnings INTERFACE -Wall -Wextra -Wconversion -Wno-sign-conversion -Wshadow -Wno-restrict
                                                -Wno-missing-field-initializers
                                                -Werror)
# clang builds only the fuzzer: its own opinions on conversions stop nothing.
target_compile_options(bench_warnings INTERFACE $<$<CXX_COMPILER_ID:Clang>:-w>)
