#include "dpbudget/accounting/plan/plan.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "dpbudget/accounting/plan/language.h"
#include "mechanisms/refused.h"

namespace dpbudget {
namespace {

TEST(Check, NamesTheNumberThatIsOutOfRange) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<std::pair<Event, const char*>> bad = {
      {Gaussian{0.0}, "noise_multiplier"},
      {Gaussian{nan}, "noise_multiplier"},
      {Laplace{-1.0}, "scale"},
      {DiscreteGaussian{0.0}, "noise_multiplier"},
      {DiscreteLaplace{nan}, "scale"},
      {RandomizedResponse{nan}, "epsilon"},
      {RandomizedResponse{1.0, 1}, "categories"},
      {PureDp{-1.0}, "epsilon"},
      {ApproximateDp{1.0, 1.5}, "delta"},
      {PoissonSampled{1.5, Event(Gaussian{1.0})}, "rate"},
      {SampledWithoutReplacement{Rate(3, 2), Event(Gaussian{1.0})}, "drawn"},
      {Participates{Rate(0, 0), Event(Gaussian{1.0})}, "population"},
      {Repeated{std::uint64_t{1} << 60U, Event(Gaussian{1.0})}, "count"},
      {Shuffled{0, Event(Gaussian{1.0})}, "reports"},
      {SampledWithoutReplacement{Rate(10, 100), Event(Shuffled{11, Event(PureDp{1.0})})}, "reports"},
      {SampledWithoutReplacement{Rate(10, 100), Event(Shuffled{4, Event(PureDp{1.0}), 3})}, "reports"},
      {SampledWithoutReplacement{Rate(10, 100), Event(Repeated{2, Event(Shuffled{11, Event(PureDp{1.0})})})},
       "reports"},
      {Shuffled{10, Event(Gaussian{1.0}), 0}, "records"},
      {Composed{{Event(Gaussian{1.0})}}, "composition"},
      {Repeated{2, Event(Composed{{Event(Gaussian{1.0}), Event(Gaussian{-1.0})}})}, "noise_multiplier is -1"},
  };
  for (const auto& [event, name] : bad) {
    try {
      check(event);
      ADD_FAILURE() << "accepted " << to_text(event);
    } catch (const InvalidArgument& error) {
      EXPECT_NE(std::string(error.what()).find(name), std::string::npos) << error.what();
    }
  }
}

TEST(Substitute, FillsTheUnknownAndNothingElse) {
  EXPECT_EQ(substitute(parse("3 x poisson(0.1, gaussian(?))").event, 2.5),
            parse("3 x poisson(0.1, gaussian(2.5))").event);
  EXPECT_EQ(substitute(parse("? x gaussian(1)").event, 7), parse("7 x gaussian(1)").event);
  EXPECT_EQ(substitute(parse("wor(?, gaussian(1)) + rr(1)").event, 0.5), parse("wor(0.5, gaussian(1)) + rr(1)").event);
  EXPECT_THROW(substitute(parse("? x gaussian(1)").event, 2.5), InvalidArgument);
  EXPECT_THROW(substitute(parse("wor(?, gaussian(1))").event, 1.5), InvalidArgument);
  EXPECT_THROW(substitute(parse("gaussian(?)").event, 0), InvalidArgument);
  EXPECT_NO_THROW(substitute(parse("wor(10 of 100, shuffle(?, rr(1)))").event, 10));
  EXPECT_REFUSED("reports is 11, but must be at most 10",
                 substitute(parse("wor(10 of 100, shuffle(?, rr(1)))").event, 11));
  EXPECT_REFUSED("reports is 1.5, but must be an integer in [1, 2^53]",
                 substitute(parse("shuffle(?, rr(1))").event, 1.5));
}

TEST(UnknownKind, SaysWhatTheUnknownStandsFor) {
  EXPECT_EQ(unknown_kind(parse("? x gaussian(1)").event), UnknownKind::count);
  EXPECT_EQ(unknown_kind(parse("2 x gaussian(?)").event), UnknownKind::noise);
  EXPECT_EQ(unknown_kind(parse("laplace(?)").event), UnknownKind::scale);
  EXPECT_EQ(unknown_kind(parse("participates(?, rr(1))").event), UnknownKind::rate);
  EXPECT_EQ(unknown_kind(parse("rr(?)").event), UnknownKind::epsilon);
  EXPECT_EQ(unknown_kind(parse("approximate(1, ?)").event), UnknownKind::delta);
  EXPECT_EQ(unknown_kind(parse("gaussian(1)").event), std::nullopt);
}

TEST(Compose, KeepsOnePartAsItIs) {
  EXPECT_EQ(compose({Event(Gaussian{1.0})}), Event(Gaussian{1.0}));
  EXPECT_EQ(compose({}), parse("nothing").event);
  EXPECT_EQ(repeat(1, Event(Gaussian{1.0})), Event(Gaussian{1.0}));
  EXPECT_EQ(repeat(2, Event(Gaussian{1.0})), parse("2 x gaussian(1)").event);
}

TEST(Quantity, RefusesToBeReadWhenUnknown) {
  EXPECT_THROW(static_cast<void>(Real::unknown().value()), InvalidArgument);
  EXPECT_THROW(static_cast<void>(Rate(Real::unknown()).value()), InvalidArgument);
}

TEST(EachShuffle, IsSeenWithTheSmallestSampleAroundIt) {
  std::vector<std::pair<std::uint64_t, std::optional<std::uint64_t>>> seen;
  each_shuffle(parse_plan("shuffle(7, rr(1)) + wor(0.5, shuffle(6, rr(1))) + rr(1) + "
                          "2 x wor(10 of 100, participates(0.1, wor(4 of 9, shuffle(3, pure(1))) + shuffle(5, rr(1))))")
                   .event,
               [&](const Shuffled& shuffled, std::optional<std::uint64_t> drawn) {
                 seen.emplace_back(shuffled.reports.value(), drawn);
               });
  const decltype(seen) expected = {{7, std::nullopt}, {6, std::nullopt}, {3, 4}, {5, 10}};
  EXPECT_EQ(seen, expected);
}

TEST(EachShuffle, SaysWhetherThereIsOne) {
  EXPECT_TRUE(has_shuffled(parse_plan("gaussian(1) + 3 x wor(0.5, shuffle(6, rr(1)))").event));
  EXPECT_FALSE(has_shuffled(parse_plan("gaussian(1) + 3 x wor(0.5, rr(1))").event));
}

}  // namespace
}  // namespace dpbudget
