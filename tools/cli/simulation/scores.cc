#include "dpbudget/tools/cli/simulation/scores.h"

#include <fmt/format.h>

namespace dpbudget::tools {

bool measures_accuracy(const std::string& model) { return model != "linear"; }

std::string score_name(const std::string& model) {
  return measures_accuracy(model) ? "test accuracy" : "test mean squared error";
}

std::string loss_text(const std::string& model, double loss) {
  // Squared errors have the targets' unit, and any size.
  return measures_accuracy(model) ? fmt::format("{:.4f}", loss) : fmt::format("{:.5g}", loss);
}

std::string score_text(const std::string& model, double score) {
  return measures_accuracy(model) ? fmt::format("{:.2f} %", 100 * score) : fmt::format("{:.5g}", score);
}

}  // namespace dpbudget::tools
