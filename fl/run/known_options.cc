#include "dpbudget/fl/run/known_options.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "dpbudget/fl/run/clipping.h"
#include "dpbudget/fl/run/traits.h"

namespace dpbudget::fl {

namespace {

// Adds that `algorithm` reads the option.
void add(const OptionInfo& info, std::string_view algorithm, std::vector<KnownOption>& known) {
  auto found = std::ranges::find(known, info.key, [](const KnownOption& option) { return option.info().key; });
  if (found == known.end()) found = known.insert(found, {{{info, {}}}});
  auto reading = std::ranges::find(found->readings, info, &OptionReading::info);
  if (reading == found->readings.end()) reading = found->readings.insert(reading, {info, {}});
  reading->algorithms.push_back(algorithm);
}

}  // namespace

std::vector<KnownOption> known_options() {
  std::vector<KnownOption> known;
  for (const auto& [clipping, name] : Names<Clipping>::all)
    std::visit(
        [&, name_of_clipping = name]<class Alternative>(const Alternative&) {
          for (OptionInfo& info : option_infos<Alternative>())
            known.push_back({{{std::move(info), {}}}, name_of_clipping});
        },
        clipping);
  for (const AlgorithmTraits& algorithm : all_algorithms())
    for (const OptionList& list : algorithm.option_lists())
      for (const OptionInfo& info : list.infos()) add(info, algorithm.name, known);
  return known;
}

}  // namespace dpbudget::fl
