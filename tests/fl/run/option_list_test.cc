#include "dpbudget/fl/run/option_list.h"

#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>

#include "dpbudget/fl/algorithms/averaging.h"
#include "dpbudget/fl/algorithms/catalogue.h"
#include "dpbudget/fl/run/known_options.h"
#include "dpbudget/fl/run/settings.h"
#include "dpbudget/fl/run/traits.h"
#include "mechanisms/refused.h"

namespace dpbudget::fl {
namespace {

struct Base {
  double share = 0.5;
  static auto options() { return std::tuple(option(&Base::share, "share", "a share", range::share)); }
};

struct Own : Base {
  std::uint64_t count = 3;
  Batches kind = Batches::fresh;
  std::optional<double> size;

  static auto options() {
    constexpr Condition<Own> when_disjoint{
        [](const Own& own, const Settings& /*run*/) { return own.kind == Batches::disjoint; }, "with kind disjoint"};
    constexpr Condition<Own> when_convex{[](const Own& /*own*/, const Settings& run) { return run.regularisation > 0; },
                                         "with a positive regularisation"};
    const auto [share] = Base::options();
    return std::tuple(share.only(when_disjoint), option(&Own::count, "count", "a count", range::counted).for_plans(),
                      option(&Own::kind, "kind", "a choice"),
                      option(&Own::size, "size", "a size", range::positive, when_convex));
  }
};

const OptionList& list() {
  static const OptionList of_own = OptionList::of<Own>();
  return of_own;
}

Own settled(const GivenOptions& given, const Settings& run = {}) {
  return dynamic_cast<const Own&>(*list().settled(given, run, "own"));
}

TEST(OptionList, DescribesItsStruct) {
  const std::vector<OptionInfo> expected = {
      {"share", "a share", OptionType::real, {}, false, OptionValue(0.5)},
      {"count", "a count", OptionType::count, {}, true, OptionValue(std::uint64_t{3})},
      {"kind",
       "a choice",
       OptionType::choice,
       {"fresh", "disjoint", "with_replacement", "shuffled"},
       false,
       OptionValue("fresh")},
      {"size", "a size", OptionType::real, {}, false, std::nullopt}};
  EXPECT_EQ(list().infos(), expected);
  EXPECT_TRUE(list().has("size"));
  EXPECT_FALSE(list().has("sizes"));
}

TEST(OptionList, TakesWhatIsGivenAndLeavesTheRest) {
  const Own own = settled({{"count", 7U}, {"size", 2U}});
  EXPECT_EQ(own.share, 0.5);
  EXPECT_EQ(own.count, 7U);
  EXPECT_EQ(own.kind, Batches::fresh);
  EXPECT_EQ(own.size, 2);
  EXPECT_EQ(settled({{"share", 1.0}, {"kind", "disjoint"}}).share, 1);
}

TEST(OptionList, WritesWhatIsReadAndNothingElse) {
  const auto written = [](const GivenOptions& given) {
    return list().written(*list().settled(given, {}, "own"), Settings());
  };
  EXPECT_EQ(written({}), (GivenOptions{{"count", std::uint64_t{3}}, {"kind", "fresh"}}));
  const GivenOptions all = {{"share", 0.25}, {"count", std::uint64_t{1}}, {"kind", "disjoint"}, {"size", 4.0}};
  EXPECT_EQ(written(all), all);
}

TEST(OptionList, NamesWhatItRefuses) {
  EXPECT_REFUSED("share is given, but own takes it only with kind disjoint", settled({{"share", 0.5}}));
  EXPECT_REFUSED("share is 1.5, but must be in [0, 1]", settled({{"share", 1.5}, {"kind", "disjoint"}}));
  EXPECT_REFUSED("count is 0, but must be at least 1", settled({{"count", 0U}}));
  EXPECT_REFUSED("count is 1.5, but must be an integer", settled({{"count", 1.5}}));
  EXPECT_REFUSED("count is x, but must be an integer", settled({{"count", "x"}}));
  EXPECT_REFUSED("kind is other, but must be one of fresh, disjoint", settled({{"kind", "other"}}));
  EXPECT_REFUSED("kind is 1, but must be one of", settled({{"kind", 1.0}}));
  EXPECT_REFUSED("size is x, but must be a number", settled({{"size", "x"}}));
  EXPECT_REFUSED("size is -1, but must be positive", settled({{"size", -1.0}}));
  Settings flat;
  flat.regularisation = 0;
  EXPECT_REFUSED("size is given, but own takes it only with a positive regularisation", settled({{"size", 1.0}}, flat));
}

// What no run can give a struct's own code is refused all the same.
TEST(OptionList, ChecksValuesThatTheStructItselfHas) {
  AdaptiveClipping clipping{.quantile = 1};
  EXPECT_REFUSED("clip_quantile is 1", read_options(clipping, {}, Settings(), "clipping"));
}

TEST(OptionList, OfNothingTakesNothing) {
  EXPECT_TRUE(OptionList().infos().empty());
  EXPECT_TRUE(OptionList().written(*OptionList().settled({}, {}, "own"), {}).empty());
}

TEST(KnownOptions, HaveOneTypeEachWhoeverReadsThem) {
  std::set<std::string> keys;
  for (const KnownOption& known : known_options()) {
    EXPECT_TRUE(keys.insert(known.info().key).second) << known.info().key;
    for (const OptionReading& reading : known.readings) {
      EXPECT_EQ(reading.info.key, known.info().key);
      EXPECT_EQ(reading.info.type, known.info().type) << known.info().key;
      EXPECT_EQ(reading.info.choices, known.info().choices) << known.info().key;
      EXPECT_EQ(reading.algorithms.empty(), !known.clipping.empty());
      for (const std::string_view algorithm : reading.algorithms)
        EXPECT_TRUE(find_algorithm(algorithm).takes(known.info().key)) << algorithm;
    }
  }
  EXPECT_TRUE(keys.contains("clip_noise"));
  EXPECT_TRUE(keys.contains("noise_bits"));
  EXPECT_TRUE(keys.contains("step"));
}

template <class Struct>
class Reading final : public LocalSteps {
 public:
  OptionList options() const override { return OptionList::of<Struct>(); }
};

struct Rounds {
  double number = 1;
  static auto options() { return std::tuple(option(&Rounds::number, "rounds", "")); }
};

struct Step {
  std::uint64_t number = 1;
  static auto options() { return std::tuple(option(&Step::number, "step", "")); }
};

struct Quantile {
  double number = 1;
  static auto options() { return std::tuple(option(&Quantile::number, "clip_quantile", "")); }
};

struct Twice {
  double one = 1;
  double other = 1;
  static auto options() { return std::tuple(option(&Twice::one, "one", ""), option(&Twice::other, "one", "")); }
};

TEST(AddAlgorithm, RefusesAnOptionUnderAKeyThatMeansSomethingElse) {
  EXPECT_REFUSED("option is rounds, but must be a name that no field of a run has",
                 add_algorithm({.name = "own"}, std::make_unique<Reading<Rounds>>()));
  EXPECT_REFUSED("option is step, but must be of the type that it has elsewhere",
                 add_algorithm({.name = "own"}, std::make_unique<Reading<Step>>()));
  EXPECT_REFUSED("option is clip_quantile", add_algorithm({.name = "own"}, std::make_unique<Reading<Quantile>>()));
  EXPECT_REFUSED("option is one, but must be listed once",
                 add_algorithm({.name = "own"}, std::make_unique<Reading<Twice>>()));
  EXPECT_REFUSED("algorithm is `own`", find_algorithm("own"));
}

}  // namespace
}  // namespace dpbudget::fl
