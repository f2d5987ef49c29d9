/// @file
/// The kernels of the instruction sets that not every x86 has.
#pragma once

#include "dpbudget/accounting/base/instruction_sets.h"
#include "dpbudget/fl/arithmetic/kernels.h"

#ifdef DPBUDGET_HAS_X86_VERSIONS

namespace dpbudget::fl {

extern const MatrixKernels<float> floats_by_avx2;
extern const MatrixKernels<double> doubles_by_avx2;
extern const MatrixKernels<float> floats_by_avx512;
extern const MatrixKernels<double> doubles_by_avx512;

}  // namespace dpbudget::fl

#endif
