#include "dpbudget/fl/run/option_list.h"

#include <fmt/format.h>

#include <algorithm>

#include "dpbudget/accounting/base/require.h"

namespace dpbudget::fl {

void refuse_idle(std::string_view key, std::string_view taker, std::string_view when) {
  throw InvalidArgument(fmt::format("{} is given, but {} takes it only {}", key, taker, when));
}

bool OptionList::has(std::string_view key) const {
  return std::ranges::find(infos_, key, &OptionInfo::key) != infos_.end();
}

std::shared_ptr<const AnyOptions> OptionList::settled(const GivenOptions& given, const Settings& run,
                                                      std::string_view taker) const {
  return settled_ ? settled_(given, run, taker) : std::make_shared<AnyOptions>();
}

GivenOptions OptionList::written(const AnyOptions& options, const Settings& run) const {
  return written_ ? written_(options, run) : GivenOptions();
}

}  // namespace dpbudget::fl
