#include "dpbudget/tools/cli/check/attained.h"

#include "dpbudget/accounting/plan/visit.h"

namespace dpbudget::tools {
namespace {

template <class Kind>
bool has(const Event& event) {
  if (std::holds_alternative<Kind>(event)) return true;
  bool found = false;
  each_child(event, [&](const Event& child) { found = found || has<Kind>(child); });
  return found;
}

}  // namespace

std::string attaining_neighbours(const Plan& plan) {
  std::string text;
  switch (plan.adjacency) {
    case Adjacency::add_or_remove_one:
      text =
          "one data set has a record more, which moves every release by the whole sensitivity, and the other records "
          "contribute nothing";
      break;
    case Adjacency::zero_out_one:
      text =
          "a record that moves every release by the whole sensitivity is blanked, and the other records contribute "
          "nothing";
      break;
    case Adjacency::replace_one:
      text = "a record is replaced by its opposite, which moves every release by the whole sensitivity";
      if (has<SampledWithoutReplacement>(plan.event)) text += ", and the other records are like one of the two";
      break;
  }
  if (has<Shuffled>(plan.event)) text += "; of shuffled reports the other users' are those that hide it least";
  return text + "; a release of which only a guarantee is known is one that spends all of it";
}

}  // namespace dpbudget::tools
