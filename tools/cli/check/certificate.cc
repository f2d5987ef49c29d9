#include "dpbudget/tools/cli/check/certificate.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/plan/json.h"
#include "dpbudget/fl/files/cannot_write.h"
#include "dpbudget/fl/files/replace_file.h"
#include "dpbudget/tools/cli/check/witness_json.h"
#include "dpbudget/tools/cli/output/bound_output.h"
#include "dpbudget/tools/cli/output/output_file.h"
#include "dpbudget/version.h"

namespace dpbudget::tools {
namespace {

using nlohmann::json;

json end_json(const Source& source, const Witness& witness) {
  return {{"accountant", source.accountant}, {"theorems", source.theorems}, {"witness", to_json(witness)}};
}

// All but the numbers that are asked and answered.
json certificate_of(const Plan& plan, const Bound& bound) {
  if (bound.guarantee == Guarantee::estimate)
    throw Unsupported("--certificate is for what is proven, but this answer is an estimate; use another accountant");
  const Source upper{bound.accountant, bound.theorems};
  return {{"format", "dpbudget certificate"},
          {"version", certificate_version},
          {"program", fmt::format("dpbudget {}", version)},
          {"plan", dpbudget::to_json(plan)},
          {"lower", end_json(bound.lower_source.value_or(upper), bound.witnesses.lower)},
          {"upper", end_json(upper, bound.witnesses.upper)}};
}

}  // namespace

void certificate_option(const Command& command, std::string& file) {
  command.option("--certificate", file, "write what somebody else needs to check the answer without a search, as JSON")
      .type("FILE");
}

void check_certificate_file(const std::string& file, const PlanArgument& plan) {
  check_output_files({{"--certificate", file}}, plan.files());
}

json certificate(const Plan& plan, double delta, const Bound& epsilon) {
  json found = certificate_of(plan, epsilon);
  found["delta"] = delta;
  found["epsilon"] = {{"lower", json_number(epsilon.lower)}, {"upper", json_number(epsilon.upper)}};
  return found;
}

json certificate(const Plan& plan, double epsilon, const DeltaBound& delta) {
  json found = certificate_of(plan, delta.bound);
  found["epsilon"] = epsilon;
  found["delta"] = {{"lower", json_number(delta.bound.lower)},
                    {"upper", json_number(delta.bound.upper)},
                    {"ln_lower", json_number(delta.log_lower)},
                    {"ln_upper", json_number(delta.log_upper)}};
  return found;
}

void write_certificate(const std::string& file, const json& certificate) {
  if (!replace_file(file, {certificate.dump(2), "\n"}))
    throw CannotWrite(fmt::format("--certificate {} could not be written", file));
}

}  // namespace dpbudget::tools
