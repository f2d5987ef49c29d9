/// @file
/// Clipping tensor by tensor.
#pragma once

#include <cstdint>
#include <span>

#include "dpbudget/fl/model/model.h"

namespace dpbudget::fl {

/// Sum over the rows of the records' gradients, of each of which every one of the model's L tensors is scaled to L2
/// norm at most `clip_norm` / sqrt(L), and less by what rounding could add to the sum: replacing a record moves it by
/// at most 2 clip_norm, as computed. Gradients are formed one by one.
/// @param rows       of the data set; a row given twice counts twice; no rows give 0
/// @param clip_norm  positive and finite
/// @param out        of length dimension(); overwritten
/// @return the largest norms of whole gradients, before clipping and after
/// @throws InvalidArgument as Model::clipped_gradient_sum
/// @source fl/account/proofs.md, 4.2
Norms tensor_clipped_gradient_sum(const Model& model, const Vector& parameters, const Dataset& dataset,
                                  std::span<const std::uint32_t> rows, double clip_norm, Model::Workspace& workspace,
                                  Vector& out);

}  // namespace dpbudget::fl
