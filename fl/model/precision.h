/// @file
/// The numbers that a model computes in.
#pragma once

#include "dpbudget/accounting/base/names.h"

namespace dpbudget::fl {

/// Of the products, activations and clipped sums of a block of records. Parameters, noise and what is released are
/// double throughout, and the roundings of either are taken off the clipping norm (block_model.h).
enum class Precision {
  single_,  ///< float: 24 bits
  double_,  ///< 53 bits
};

template <class Scalar>
constexpr Precision precision_of = sizeof(Scalar) == sizeof(float) ? Precision::single_ : Precision::double_;

}  // namespace dpbudget::fl

template <>
struct dpbudget::Names<dpbudget::fl::Precision> {
  static constexpr NameTable<fl::Precision, 2> all{
      {{fl::Precision::single_, "single"}, {fl::Precision::double_, "double"}}};
};
