#include "dpbudget/fl/run/traits.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "dpbudget/accounting/base/nearest.h"
#include "dpbudget/accounting/base/require.h"
#include "dpbudget/fl/run/fields.h"
#include "dpbudget/fl/run/known_options.h"

namespace dpbudget::fl {
namespace {

// A deque, because what is added must not move what stands there.
std::deque<AlgorithmTraits>& registry() {
  static std::deque<AlgorithmTraits> all = own_algorithms();
  return all;
}

// Command line, configuration and ledger know an option by its key alone.
void check_options(const AlgorithmTraits& traits) {
  const std::vector<KnownOption> known = known_options();
  const auto is_twice = [&](const OptionInfo& info) {
    return std::ranges::count(traits.options.infos(), info.key, &OptionInfo::key) > 1;
  };
  for (const OptionInfo& info : traits.options.infos()) {
    require(!is_twice(info), "option", info.key, "listed once");
    const RunRequest any;
    visit_fields(any, [&](const auto& field, const auto& /*value*/) {
      require(info.key != field.key, "option", info.key, "a name that no field of a run has");
    });
    for (const KnownOption& other : known)
      require(other.info().key != info.key ||
                  (other.clipping.empty() && other.info().type == info.type && other.info().choices == info.choices),
              "option", info.key, "of the type that it has elsewhere");
  }
}

}  // namespace

const std::deque<AlgorithmTraits>& all_algorithms() { return registry(); }

const AlgorithmTraits& add_traits(AlgorithmTraits traits) {
  const bool is_taken = std::ranges::find(registry(), traits.name, &AlgorithmTraits::name) != registry().end();
  require(!traits.name.empty() && !is_taken, "algorithm", fmt::format("`{}`", traits.name),
          "a name that no algorithm has yet");
  check_options(traits);
  return registry().emplace_back(std::move(traits));
}

bool AlgorithmTraits::takes(std::string_view key) const {
  return std::ranges::any_of(option_lists(), [&](const OptionList& list) { return list.has(key); });
}

const AlgorithmTraits& find_algorithm(std::string_view name) {
  const auto& entries = all_algorithms();
  const auto found = std::ranges::find(entries, name, &AlgorithmTraits::name);
  if (found != entries.end()) return *found;
  std::vector<std::string_view> names;
  for (const AlgorithmTraits& entry : entries) names.push_back(entry.name);
  throw InvalidArgument(fmt::format("algorithm is `{}`, but must be one of {}", name, choices_for(name, names)));
}

}  // namespace dpbudget::fl
