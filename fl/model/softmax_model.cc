#include "dpbudget/fl/model/softmax_model.h"

#include "dpbudget/accounting/require.h"

namespace dpbudget::fl {
namespace {

struct Memory final : Model::Workspace {
  SoftmaxRegression<double>::Workspace regression;
};

SoftmaxRegression<double>::Workspace& own(Model::Workspace& workspace) {
  auto* memory = dynamic_cast<Memory*>(&workspace);
  require(memory != nullptr, "workspace", "another model's", "of this model's workspace()");
  return memory->regression;
}

}  // namespace

Vector SoftmaxModel::initial(std::uint64_t /*seed*/) const { return Vector::Zero(dimension()); }

std::unique_ptr<Model::Workspace> SoftmaxModel::workspace() const { return std::make_unique<Memory>(); }

Norms SoftmaxModel::clipped_gradient_sum(const Vector& parameters, const Dataset& dataset,
                                         std::span<const std::uint32_t> rows, double clip_norm, Workspace& workspace,
                                         Vector& out) const {
  return regression_.clipped_gradient_sum(parameters, dataset, rows, clip_norm, own(workspace), out);
}

void SoftmaxModel::gradient_norms(const Vector& parameters, const Dataset& dataset, std::span<const std::uint32_t> rows,
                                  Workspace& workspace, std::span<double> out) const {
  regression_.gradient_norms(parameters, dataset, rows, own(workspace), out);
}

double SoftmaxModel::loss(const Vector& parameters, const Dataset& dataset, std::span<const std::uint32_t> rows,
                          Workspace& workspace) const {
  return regression_.loss(parameters, dataset, rows, own(workspace));
}

double SoftmaxModel::score(const Vector& parameters, const Dataset& dataset, std::span<const std::uint32_t> rows,
                           Workspace& workspace) const {
  return regression_.accuracy(parameters, dataset, rows, own(workspace));
}

}  // namespace dpbudget::fl
