#include "dpbudget/fl/run/step_schedule.h"

#include <fmt/format.h>

#include "dpbudget/accounting/base/require.h"
#include "dpbudget/fl/schedule/text.h"

namespace dpbudget::fl {
namespace {

constexpr std::string_view theorem = "theorem";

}  // namespace

StepSchedule StepSchedule::from_text(std::string_view key, std::string_view text) {
  if (text == theorem) return {};
  try {
    return {parse_shape(text, "step_size")};
  } catch (const InvalidArgument& error) {
    throw InvalidArgument(fmt::format("{}: {}", key, error.what()));
  }
}

std::string StepSchedule::text() const { return shape ? to_text(*shape) : std::string(theorem); }

}  // namespace dpbudget::fl
