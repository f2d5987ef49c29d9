#include "dpbudget/accounting/plan/theorems.h"

#include <fmt/format.h>

#include <algorithm>

#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/plan/language.h"

namespace dpbudget {

void refuse(std::string_view accountant, const Event& event, Adjacency adjacency, std::string_view instead) {
  throw Unsupported(Refusal{
      std::string(accountant),
      fmt::format("has no theorem for `{}` under {}: {}", shortened_text(event), to_string(adjacency), instead)});
}

void require_shift_theorem(const Event& event, Adjacency adjacency, std::string_view accountant) {
  if (adjacency == Adjacency::replace_one)
    refuse(accountant, event, adjacency, "a random shift is analysed under add_or_remove_one or zero_out_one");
}

void require_batches_theorem(const Event& event, Adjacency adjacency, std::string_view accountant) {
  if (adjacency == Adjacency::add_or_remove_one)
    refuse(accountant, event, adjacency,
           "one record more moves the others to other batches; shuffled batches are analysed under replace_one and "
           "zero_out_one");
}

bool is_known_by_moments(const Event& event) {
  return std::holds_alternative<ConcentratedDp>(event) || std::holds_alternative<TruncatedConcentratedDp>(event) ||
         std::holds_alternative<RenyiDp>(event);
}

void Theorems::cite(std::string theorem) {
  if (std::ranges::find(cited_, theorem) == cited_.end()) cited_.push_back(std::move(theorem));
}

}  // namespace dpbudget
