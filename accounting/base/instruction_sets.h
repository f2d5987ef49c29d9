/// @file
/// Loops that are compiled for several instruction sets, of which the machine at hand is given the fastest that it has.
#pragma once

#include <cstddef>

#if defined(__GNUC__) && defined(__x86_64__)
#define DPBUDGET_HAS_X86_VERSIONS
#endif

namespace dpbudget {

/// How many this machine can run of: any, AVX2 with FMA, and AVX-512 F and DQ beside those.
inline std::size_t versions_here() {
#ifdef DPBUDGET_HAS_X86_VERSIONS
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") ? 3 : 2;
#endif
  return 1;
}

}  // namespace dpbudget
