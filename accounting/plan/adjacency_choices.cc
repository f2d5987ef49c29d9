#include "dpbudget/accounting/plan/adjacency_choices.h"

#include <fmt/format.h>

#include <vector>

#include "dpbudget/accounting/base/nearest.h"
#include "dpbudget/accounting/plan/adjacency.h"

namespace dpbudget {

std::string adjacency_choices(std::string_view given) {
  std::vector<std::string> names;
  for (const Adjacency adjacency : all_adjacencies) names.emplace_back(to_string(adjacency));
  return fmt::format("{}; the nearest is {}", adjacency_choice, nearest(given, names));
}

}  // namespace dpbudget
