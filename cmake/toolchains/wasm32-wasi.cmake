# clang 19 for wasm32 under WASI, from Debian's packages. DPBUDGET_WASM_PREFIX holds what .ci/matrix adds to them: the
# third-party libraries, and a C++ runtime with exceptions, which Debian's has not.
set(CMAKE_SYSTEM_NAME WASI)
set(CMAKE_SYSTEM_PROCESSOR wasm32)
set(CMAKE_C_COMPILER clang-19)
set(CMAKE_CXX_COMPILER clang++-19)
set(CMAKE_C_COMPILER_TARGET wasm32-wasi)
set(CMAKE_CXX_COMPILER_TARGET wasm32-wasi)
set(CMAKE_AR llvm-ar-19)
set(CMAKE_RANLIB llvm-ranlib-19)
set(CMAKE_EXECUTABLE_SUFFIX .wasm)

set(DPBUDGET_WASM_PREFIX "" CACHE PATH "Where the libraries for wasm32 are")
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES DPBUDGET_WASM_PREFIX)
# There are no threads, and musl computes functions of a long double of 113 digits as a double's.
set(CMAKE_CXX_FLAGS_INIT "-fwasm-exceptions -DBOOST_DISABLE_THREADS -DBOOST_SYSTEM_DISABLE_THREADS -DBOOST_MATH_PROMOTE_DOUBLE_POLICY=false")
# An overflow of the stack must not run into data: the stack comes first. 8 MiB is what Linux gives. Memory that grows makes
# Node collect garbage, in which Node 20 crashes now and then: there are 2 GiB from the start, of which what is used counts.
set(CMAKE_EXE_LINKER_FLAGS_INIT "-nostdlib++ -Wl,--stack-first,-z,stack-size=8388608,--initial-memory=2147483648")
set(CMAKE_CXX_STANDARD_LIBRARIES "${DPBUDGET_WASM_PREFIX}/lib/libcxxabi-exceptions.a -lc++")
set(CMAKE_CROSSCOMPILING_EMULATOR "node;--no-warnings;--stack-size=4000;${CMAKE_CURRENT_LIST_DIR}/run-wasi.mjs")

# Nothing of the machine that builds: not its headers either.
set(CMAKE_FIND_ROOT_PATH ${DPBUDGET_WASM_PREFIX})
set(CMAKE_PREFIX_PATH ${DPBUDGET_WASM_PREFIX})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
