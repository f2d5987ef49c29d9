#include "dpbudget/fl/run/mechanism.h"

#include <algorithm>

namespace dpbudget::fl {

const MechanismTraits& traits_of(Mechanism mechanism) {
  return *std::ranges::find(all_mechanisms, mechanism, &MechanismTraits::mechanism);
}

std::optional<Mechanism> find_mechanism(std::string_view name) {
  const auto found = std::ranges::find(all_mechanisms, name, &MechanismTraits::name);
  return found == all_mechanisms.end() ? std::nullopt : std::optional(found->mechanism);
}

OptionList options_of(Mechanism mechanism) {
  return traits_of(mechanism).encodes_bits ? OptionList::of<BinomialNoise>() : OptionList();
}

}  // namespace dpbudget::fl
