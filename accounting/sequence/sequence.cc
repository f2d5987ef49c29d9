#include "dpbudget/accounting/sequence/sequence.h"

#include <algorithm>
#include <utility>

#include "dpbudget/accounting/base/require.h"

namespace dpbudget::sequence {

std::uint64_t Sequence::rounds() const {
  std::uint64_t sum = 0;
  for (const Stretch& stretch : stretches) sum += stretch.count;
  return sum;
}

Event Sequence::first(std::uint64_t wanted) const {
  std::vector<Event> parts;
  for (const Stretch& stretch : beginning(wanted).stretches) parts.push_back(repeat(stretch.count, stretch.round));
  return compose(std::move(parts));
}

Sequence Sequence::beginning(std::uint64_t wanted) const {
  require(wanted <= rounds(), "rounds", wanted, "at most the sequence's, " + std::to_string(rounds()));
  Sequence found{{}, adjacency, is_exact};
  std::uint64_t left = wanted;
  for (auto stretch = stretches.begin(); left > 0; ++stretch) {
    const std::uint64_t count = std::min(left, stretch->count);
    found.stretches.push_back({stretch->round, count});
    left -= count;
  }
  return found;
}

void Sequence::add(Event round, std::uint64_t count) {
  if (count == 0) return;
  if (!stretches.empty() && stretches.back().round == round)
    stretches.back().count += count;
  else
    stretches.push_back({std::move(round), count});
}

}  // namespace dpbudget::sequence
