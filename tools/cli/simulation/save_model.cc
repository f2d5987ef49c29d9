#include "dpbudget/tools/cli/simulation/save_model.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "dpbudget/fl/files/cannot_write.h"
#include "dpbudget/fl/files/replace_file.h"

namespace dpbudget::tools {

void save_model(const fl::SettledRun& run, const fl::Vector& parameters, nlohmann::json more, const std::string& file) {
  more["model"] = run->model;
  more["algorithm"] = run->algorithm;
  more["parameters"] = std::vector<double>(parameters.begin(), parameters.end());
  if (!replace_file(file, {more.dump(), "\n"}))
    throw CannotWrite(fmt::format("--save-model {} could not be written", file));
}

}  // namespace dpbudget::tools
