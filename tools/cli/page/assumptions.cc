#include "dpbudget/tools/cli/page/assumptions.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <type_traits>

#include "dpbudget/accounting/plan/each_field.h"

namespace dpbudget::tools {
namespace {

std::string neighbours(Adjacency adjacency) {
  switch (adjacency) {
    case Adjacency::add_or_remove_one:
      return "add_or_remove_one: one of two data sets has one record more, whatever that is; how many records there "
             "are "
             "is protected as well";
    case Adjacency::replace_one:
      return "replace_one: two data sets of the same size, one record of which is replaced by any other; how many "
             "records there are is taken for known";
    case Adjacency::zero_out_one:
      return "zero_out_one: two data sets of the same size, one record of which is replaced by a null record that "
             "contributes nothing; how many records there are is taken for known";
  }
  return "";
}

std::string noise_unit(Adjacency adjacency) {
  return adjacency == Adjacency::replace_one
             ? "relative to the sensitivity under replace_one: for a sum of contributions clipped to norm C that is 2 C"
             : "relative to the sensitivity under this adjacency: for a sum of contributions clipped to norm C that is "
               "C";
}

// The kinds of events in a tree, each once, from the outside to the inside.
void add_kinds(const Event& event, std::vector<Entry>& kinds) {
  const EventName name = name_of(event);
  const Entry entry(name.text.empty() ? name.json : name.text, name.assumes);
  if (std::ranges::find(kinds, entry) == kinds.end()) kinds.push_back(entry);
  each_field(event, [&](const auto&, const auto& member) {
    using Member = std::remove_cvref_t<decltype(member)>;
    if constexpr (std::is_same_v<Member, Inner>)
      add_kinds(*member, kinds);
    else if constexpr (std::is_same_v<Member, std::vector<Event>>)
      for (const Event& part : member) add_kinds(part, kinds);
  });
}

}  // namespace

std::vector<Entry> assumptions_of(const Plan& plan) {
  std::vector<Entry> all{{"neighbours", neighbours(plan.adjacency)}, {"noise", noise_unit(plan.adjacency)}};
  add_kinds(plan.event, all);
  all.emplace_back("adversary",
                   "knows every other record, has unlimited time, and sees all that the plan releases; not the random "
                   "bits, and not what is said to stay secret");
  all.emplace_back(
      "not covered",
      "what is released besides, such as choices made by looking at the data, scores without noise, timings "
      "and files; records that tell of each other; several records of one person, which group(k, PLAN) "
      "accounts for; noise whose law is not the one stated, as of floating-point samplers or weak seeds");
  return all;
}

}  // namespace dpbudget::tools
