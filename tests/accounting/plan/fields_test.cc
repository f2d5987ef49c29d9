#include "dpbudget/accounting/plan/fields.h"

#include <gtest/gtest.h>

#include <set>
#include <string_view>
#include <vector>

#include "dpbudget/accounting/plan/each_field.h"
#include "dpbudget/accounting/plan/visit.h"

namespace dpbudget {
namespace {

TEST(Fields, GiveEveryEventNamesOfItsOwn) {
  std::multiset<std::string_view> texts;
  std::multiset<std::string_view> jsons;
  each_kind([&]<class Kind>(std::type_identity<Kind>) {
    if (!Kind::name.text.empty()) texts.insert(Kind::name.text);
    jsons.insert(Kind::name.json);
  });
  EXPECT_EQ(texts.size(), 28U);
  EXPECT_EQ(jsons.size(), 30U);
  for (const auto* names : {&texts, &jsons})
    for (const std::string_view name : *names) EXPECT_EQ(names->count(name), 1U) << name;
}

TEST(Fields, NameTheMembersInOrder) {
  const Event event = Shuffled{10, Event(RandomizedResponse{1.0, 3}), 2};
  std::vector<std::string_view> names;
  each_field(event, [&](const auto& field, const auto&) { names.push_back(field.name); });
  EXPECT_EQ(names, (std::vector<std::string_view>{"reports", "inner", "records"}));
}

TEST(Fields, TellLeavesFromNodes) {
  std::vector<std::string_view> nodes;
  each_kind([&]<class Kind>(std::type_identity<Kind>) {
    if (!is_leaf<Kind>) nodes.push_back(Kind::name.json);
  });
  EXPECT_EQ(nodes, (std::vector<std::string_view>{"poisson_sampled", "sampled_without_replacement",
                                                  "sampled_with_replacement", "truncated_poisson_sampled",
                                                  "participates", "repeated", "composed", "shuffled",
                                                  "randomly_allocated", "shuffled_batches", "grouped", "selected"}));
}

}  // namespace
}  // namespace dpbudget
