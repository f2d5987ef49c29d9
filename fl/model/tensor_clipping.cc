#include "dpbudget/fl/model/tensor_clipping.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "dpbudget/accounting/base/require.h"
#include "dpbudget/mechanisms/clip.h"

namespace dpbudget::fl {

// fl/account/proofs.md, 4.2
Norms tensor_clipped_gradient_sum(const Model& model, const Vector& parameters, const Dataset& dataset,
                                  std::span<const std::uint32_t> rows, double clip_norm, Model::Workspace& workspace,
                                  Vector& out) {
  require(0 < clip_norm && std::isfinite(clip_norm), "clip_norm", clip_norm, "positive and finite");
  const std::vector<Eigen::Index> tensors = model.tensors();
  const auto count = static_cast<double>(rows.size());
  const double slack = (count * (count + 2) + static_cast<double>(model.dimension()) + 16) * 0x1p-53;
  const double share = clip_norm / std::sqrt(static_cast<double>(tensors.size())) / (1 + slack);
  Vector gradient(model.dimension());
  Norms norms;
  // Checks what it is given, and that `out` is as long as it must be.
  model.clipped_gradient_sum(parameters, dataset, {}, clip_norm, workspace, out);
  for (const std::uint32_t row : rows) {
    const double whole = model
                             .clipped_gradient_sum(parameters, dataset, std::span(&row, 1),
                                                   std::numeric_limits<double>::infinity(), workspace, gradient)
                             .largest;
    double squared = 0;
    Eigen::Index begin = 0;
    for (const Eigen::Index length : tensors) {
      const double norm = std::min(mechanisms::clip(gradient.segment(begin, length), share), share);
      squared += norm * norm;
      begin += length;
    }
    out += gradient;
    // Clipping lengthens nothing, but where it changes nothing the parts' squares may round to more than the whole's.
    norms = norms.with({whole, std::min(std::sqrt(squared), whole)});
  }
  return norms;
}

}  // namespace dpbudget::fl
