#include "dpbudget/accounting/plan/language.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "accounting/random_event.h"

namespace dpbudget {
namespace {

Event parsed(std::string_view text) { return parse(text).event; }

TEST(Language, ReadsWhatTheDesignWrites) {
  EXPECT_EQ(parsed("600 x poisson(0.04, gaussian(2.83))"),
            Event(Repeated{600, Event(PoissonSampled{0.04, Event(Gaussian{2.83})})}));
  EXPECT_EQ(parsed("428 x wor(0.05, 10 x wor(800 of 4000, gaussian(44.7)))"),
            Event(Repeated{428, Event(SampledWithoutReplacement{
                                    0.05, Event(Repeated{10, Event(SampledWithoutReplacement{
                                                                 Rate(800, 4000), Event(Gaussian{44.7})})})})}));
  EXPECT_EQ(parsed("1000 x shuffle(10000, rr(2.0)) + gaussian(4)"),
            Event(Composed{{Event(Repeated{1000, Event(Shuffled{10000, Event(RandomizedResponse{2.0})})}),
                            Event(Gaussian{4.0})}}));
  EXPECT_EQ(parsed("shuffle(500, pure(0.1), 10)"), Event(Shuffled{500, Event(PureDp{0.1}), 10}));
  EXPECT_EQ(to_text(parsed("shuffle(500, pure(0.1), 10)")), "shuffle(500, pure(0.1), 10)");
  EXPECT_EQ(to_text(parsed("shuffle(?, pure(0.1), 1)")), "shuffle(?, pure(0.1))");
  EXPECT_EQ(parsed("2000 x participates(0.05, 10 x wor(0.2, gaussian(10)))"),
            Event(Repeated{2000, Event(Participates{0.05, Event(Repeated{10, Event(SampledWithoutReplacement{
                                                                                 0.2, Event(Gaussian{10.0})})})})}));
}

TEST(Language, ReadsEveryLeaf) {
  EXPECT_EQ(parsed("laplace(2)"), Event(Laplace{2.0}));
  EXPECT_EQ(parsed("discrete_gaussian(3)"), Event(DiscreteGaussian{3.0}));
  EXPECT_EQ(parsed("discrete_laplace(0.5)"), Event(DiscreteLaplace{0.5}));
  EXPECT_EQ(parsed("rr(1, 7)"), Event(RandomizedResponse{1.0, 7}));
  EXPECT_EQ(parsed("pure(0)"), Event(PureDp{0.0}));
  EXPECT_EQ(parsed("approximate(1, 1e-5)"), Event(ApproximateDp{1.0, 1e-5}));
  EXPECT_EQ(parsed("nothing"), Event(Composed{}));
}

TEST(Language, ReadsDrawsWithReplacement) {
  const Event batch = SampledWithReplacement{{7, 5}, Event(Gaussian{1.0})};
  EXPECT_EQ(parsed("with_replacement(7 of 5, gaussian(1))"), batch);
  EXPECT_EQ(parsed("with_replacement(7/5, gaussian(1))"), batch);
  EXPECT_EQ(to_text(batch), "with_replacement(7 of 5, gaussian(1))");
  EXPECT_EQ(parse_plan(to_text(batch)).adjacency, Adjacency::replace_one);
  EXPECT_EQ(substitute(parsed("with_replacement(? of 5, gaussian(1))"), 7), batch);
}

TEST(Language, ReadsTablesAfterASemicolon) {
  const Event mixture = MixtureOfGaussians{2.0, {{0.25, 1}, {0.5, 1.5}}};
  EXPECT_EQ(parsed("mixture(2; 0.25:1, 0.5:1.5)"), mixture);
  EXPECT_EQ(to_text(mixture), "mixture(2; 0.25:1, 0.5:1.5)");
  EXPECT_EQ(parse_plan(to_text(mixture)).adjacency, Adjacency::add_or_remove_one);
  EXPECT_EQ(substitute(parsed("mixture(?; 0.25:1, 0.5:1.5)"), 2), mixture);
  for (const char* wrong :
       {"mixture(2)", "mixture(2;)", "mixture(2, 0.25:1)", "mixture(2; 0.25)", "mixture(2; 0.5:1, 0.6:2)",
        "mixture(2; 1.5:1)", "mixture(2; 0.5:-1)", "mixture(2; ?:1)", "mixture(2; nan:1)"})
    EXPECT_THROW(parsed(wrong), PlanError) << wrong;
}

TEST(Language, ReadsGuaranteesByMoments) {
  EXPECT_EQ(parsed("tcdp(0.1, 20)"), Event(TruncatedConcentratedDp{0.1, 20}));
  EXPECT_EQ(to_text(parsed("tcdp(0.1, 20)")), "tcdp(0.1, 20)");
  EXPECT_EQ(parsed("renyi(1.5:0.1, 2:0.25)"), Event(RenyiDp{{{1.5, 0.1}, {2, 0.25}}}));
  EXPECT_EQ(to_text(parsed("renyi(1.5:0.1, 2:0.25)")), "renyi(1.5:0.1, 2:0.25)");
  for (const char* wrong :
       {"tcdp(0.1)", "tcdp(0.1, 1)", "tcdp(0.1, ?)", "tcdp(0.1, inf)", "tcdp(-1, 2)", "renyi()", "renyi(2)",
        "renyi(1:0.5)", "renyi(2:0.5, 2:0.6)", "renyi(3:0.5, 2:0.6)", "renyi(2:-1)", "renyi(2:?)", "renyi(2:inf)"})
    EXPECT_THROW(parsed(wrong), PlanError) << wrong;
}

TEST(Language, ReadsGroups) {
  const Event group = Grouped{3, Event(Gaussian{1.0})};
  EXPECT_EQ(parsed("group(3, gaussian(1))"), group);
  EXPECT_EQ(to_text(group), "group(3, gaussian(1))");
  EXPECT_EQ(substitute(parsed("group(?, gaussian(1))"), 3), group);
  EXPECT_THROW(parsed("group(0, gaussian(1))"), PlanError);
  EXPECT_THROW(parsed("group(1000000001, gaussian(1))"), PlanError);
}

TEST(Language, ReadsWhatIsPromisedOfABatch) {
  const Event promised = SampledWithoutReplacement{Rate(256, 60000), Event(Gaussian{1.1}), true};
  EXPECT_EQ(parse("wor(256 of 60000, gaussian(1.1), clipped)").event, promised);
  EXPECT_EQ(to_text(promised), "wor(256 of 60000, gaussian(1.1), clipped)");
  EXPECT_EQ(to_text(parse("wor(0.1, gaussian(2))").event), "wor(0.1, gaussian(2))");
  for (const char* wrong : {"wor(0.1, gaussian(2), cliped)", "wor(0.1, laplace(2), clipped)",
                            "wor(0.1, 2 x gaussian(2), clipped)", "poisson(0.1, gaussian(2), clipped)"})
    EXPECT_THROW(parse(wrong), PlanError) << wrong;
}

TEST(Language, ReadsBatchesOfLimitedSize) {
  const Event sampled = TruncatedPoisson{{256, 60000}, {300, 60000}, Event(Gaussian{1.0})};
  EXPECT_EQ(parsed("truncated_poisson(256/60000, 300 of 60000, gaussian(1))"), sampled);
  EXPECT_EQ(to_text(sampled), "truncated_poisson(256 of 60000, 300 of 60000, gaussian(1))");
  EXPECT_EQ(parse_plan(to_text(sampled)).adjacency, Adjacency::add_or_remove_one);
  EXPECT_EQ(substitute(parsed("truncated_poisson(?, 3 of 5, gaussian(1))"), 0.25),
            parsed("truncated_poisson(0.25, 3 of 5, gaussian(1))"));
  for (const char* wrong :
       {"truncated_poisson(0.5, 3, gaussian(1))", "truncated_poisson(0.5, 0 of 3, gaussian(1))",
        "truncated_poisson(1.5, 2 of 3, gaussian(1))", "truncated_poisson(0.5, 2 of 0, gaussian(1))"})
    EXPECT_THROW(parsed(wrong), PlanError) << wrong;
}

TEST(Language, ReadsFrequencyOracles) {
  EXPECT_EQ(parsed("subset_selection(1, 16)"), Event(SubsetSelection{1.0, 16}));
  EXPECT_EQ(parsed("subset_selection(1, 16, 3)"), Event(SubsetSelection{1.0, 16, 3}));
  EXPECT_EQ(parsed("rappor(0.5, 2)"), Event(Rappor{0.5, 2}));
  EXPECT_EQ(parsed("oue(0.5, 9007199254740992)"), Event(UnaryEncoding{0.5, std::uint64_t{1} << 53}));
  EXPECT_EQ(substitute(parsed("hadamard(?, 8)"), 2), Event(HadamardResponse{2.0, 8}));
  for (const char* text : {"subset_selection(1, 16)", "subset_selection(1, 16, 3)", "rappor(0.5, 2)", "oue(3, 100)",
                           "shuffle(10, hadamard(2, 8))"})
    EXPECT_EQ(to_text(parsed(text)), text);
  EXPECT_EQ(parse_plan("oue(1, 4)").adjacency, Adjacency::add_or_remove_one);
  for (const char* wrong :
       {"subset_selection(1)", "subset_selection(1, 16, 16)", "subset_selection(1, 1)", "subset_selection(?, 16)",
        "subset_selection(1, 16, 0.5)", "subset_selection(1, ?)", "rappor(-1, 3)", "rappor(1)", "rappor(1, 1)",
        "oue(1, 2.5)", "oue(1, 1e17)", "hadamard(inf, 3)", "hadamard(1, 3, 4)"})
    EXPECT_THROW(parsed(wrong), PlanError) << wrong;
}

TEST(Language, ReadsIntoHowManyStepsRecordsAreDealt) {
  EXPECT_EQ(parsed("random_allocation(5, rr(1))"), Event(RandomlyAllocated{5, Event(RandomizedResponse{1.0})}));
  const Event dealt = RandomlyAllocated{{2, Count(5)}, Event(RandomizedResponse{1.0})};
  EXPECT_EQ(parsed("random_allocation(2 of 5, rr(1))"), dealt);
  EXPECT_EQ(parsed("random_allocation(2/5, rr(1))"), dealt);
  EXPECT_EQ(to_text(dealt), "random_allocation(2 of 5, rr(1))");
  EXPECT_EQ(substitute(parsed("random_allocation(2 of ?, rr(1))"), 5), dealt);
  EXPECT_THROW(substitute(parsed("random_allocation(2 of ?, rr(1))"), 1), InvalidArgument);
  EXPECT_EQ(parsed("shuffled_batches(5, rr(1))"), Event(ShuffledBatches{5, Event(RandomizedResponse{1.0})}));
  EXPECT_EQ(parse_plan("shuffled_batches(5, rr(1))").adjacency, Adjacency::zero_out_one);
  EXPECT_EQ(parse_plan("shuffled_batches(5, rr(1)) + poisson(0.5, rr(1))").adjacency, Adjacency::zero_out_one);
  EXPECT_EQ(parse_plan("shuffled_batches(5, rr(1)) + wor(0.5, rr(1))").adjacency, Adjacency::replace_one);
  for (const char* wrong :
       {"random_allocation(6 of 5, rr(1))", "random_allocation(0 of 5, rr(1))", "random_allocation(? of 5, rr(1))",
        "random_allocation(1.5 of 5, rr(1))", "random_allocation(2 of 0, rr(1))", "shuffled_batches(0, rr(1))",
        "shuffled_batches(2 of 5, rr(1))"})
    EXPECT_THROW(parsed(wrong), PlanError) << wrong;
}

TEST(Language, NamesEveryEventItKnows) {
  EXPECT_EQ(signatures(),
            "gaussian(noise), laplace(scale), discrete_gaussian(noise), discrete_laplace(scale), "
            "rr(epsilon[, categories]), mixture(noise; probability:offset, ...), pure(epsilon), approximate(epsilon, "
            "delta), zcdp(rho), tcdp(rho, omega), renyi(order:epsilon, ...), profile(epsilon:delta, ...), gdp(mu), "
            "exponential(epsilon), subset_selection(epsilon, categories[, subset]), rappor(epsilon, categories), "
            "oue(epsilon, categories), hadamard(epsilon, categories), poisson(rate, PLAN), wor(rate, PLAN[, clipped]), "
            "with_replacement(draws of population, PLAN), "
            "truncated_poisson(rate, batch of population, PLAN), participates(rate, PLAN), shuffle(reports, PLAN[, "
            "records]), "
            "random_allocation([times of ]steps, PLAN), shuffled_batches(steps, PLAN), group(records, PLAN), "
            "select(poisson(mean)|geometric(gamma)|negative_binomial(eta, gamma), PLAN)");
}

TEST(Language, RepetitionBindsTighterThanComposition) {
  EXPECT_EQ(parsed("2 x gaussian(1) + laplace(1)"),
            Event(Composed{{Event(Repeated{2, Event(Gaussian{1.0})}), Event(Laplace{1.0})}}));
  EXPECT_EQ(parsed("2 x (gaussian(1) + laplace(1))"),
            Event(Repeated{2, Event(Composed{{Event(Gaussian{1.0}), Event(Laplace{1.0})}})}));
  EXPECT_EQ(parsed("2 x 3 x gaussian(1)"), Event(Repeated{2, Event(Repeated{3, Event(Gaussian{1.0})})}));
}

TEST(Language, ReadsCommentsLinesAndScientificCounts) {
  EXPECT_EQ(parsed("1e3 x  # rounds\n  gaussian(1)  # noise"), Event(Repeated{1000, Event(Gaussian{1.0})}));
}

TEST(Language, ReadsWhatPeopleWriteElsewhere) {
  EXPECT_EQ(parsed("14,062 x gaussian(1)"), Event(Repeated{14062, Event(Gaussian{1.0})}));
  EXPECT_EQ(parsed("9,007,199,254,740,992 x gaussian(1)"),
            Event(Repeated{std::uint64_t{1} << 53, Event(Gaussian{1.0})}));
  EXPECT_EQ(parsed("poisson(0.5, 1,000 * gaussian(1))"), parsed("poisson(0.5, 1000 x gaussian(1))"));
  EXPECT_EQ(parsed("3*gaussian(1) + 2 * ? x rr(1)"), parsed("3 x gaussian(1) + 2 x ? x rr(1)"));
  EXPECT_EQ(parsed("poisson(256/60000, gaussian(1))"), parsed("poisson(256 of 60000, gaussian(1))"));
  EXPECT_EQ(parsed("wor(1 / 6e4, gaussian(1))"), parsed("wor(1 of 60000, gaussian(1))"));
  EXPECT_EQ(to_text(parsed("1,000 * poisson(1/3, gaussian(1))")), "1000 x poisson(1 of 3, gaussian(1))");
}

TEST(Language, ReadsTheUnknownWhereverANumberStands) {
  for (const auto* text :
       {"? x gaussian(1)", "gaussian(?)", "laplace(?)", "rr(?)", "pure(?)", "poisson(?, gaussian(1))",
        "wor(?, gaussian(1))", "participates(?, gaussian(1))", "approximate(1, ?)"})
    EXPECT_EQ(unknowns(parsed(text)), 1U) << text;
}

TEST(Language, QuotesWholeCharactersAndCountsThem) {
  const auto said = [](std::string_view text) -> std::string {
    try {
      parse(text);
    } catch (const PlanError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(said("ü"), "plan, column 1: expected an event, found `ü`\n  ü\n  ^");
  EXPECT_EQ(said("gaussian(1) # µ\n∞"), "plan, column 1: unexpected `∞` after the plan\n  ∞\n  ^");
  EXPECT_EQ(said("gaussian(ü, ∞)"),
            "plan, column 10: expected a number for noise_multiplier\n  gaussian(ü, ∞)\n           ^");
  EXPECT_EQ(said(std::string_view("rr(1)\0", 6)),
            "plan, column 6: unexpected `\\x00` after the plan\n  rr(1) \n       ^");
  EXPECT_EQ(said("rr(1)\t\xff"), "plan, column 7: unexpected `\\xff` after the plan\n  rr(1) \xff\n        ^");
}

TEST(Language, AdjacencyIsNamedOrFollowsFromTheSampling) {
  EXPECT_EQ(parse_plan("gaussian(1) under zero_out_one").adjacency, Adjacency::zero_out_one);
  EXPECT_EQ(parse_plan("poisson(0.1, gaussian(1))").adjacency, Adjacency::add_or_remove_one);
  EXPECT_EQ(parse_plan("3 x participates(0.1, wor(0.1, gaussian(1)))").adjacency, Adjacency::replace_one);
  EXPECT_EQ(parse_plan("gaussian(1)", Adjacency::replace_one).adjacency, Adjacency::replace_one);
  EXPECT_THROW(parse_plan("poisson(0.1, gaussian(1)) + wor(0.1, gaussian(1))"), InvalidArgument);
  EXPECT_THROW(parse_plan("gaussian(1) under replace_one", Adjacency::zero_out_one), InvalidArgument);
}

struct RefusedText {
  const char* text;
  std::size_t column;
  const char* reason;
};

class Refused : public ::testing::TestWithParam<RefusedText> {};

TEST_P(Refused, WithTheColumnAndACaretUnderIt) {
  const auto& [text, column, reason] = GetParam();
  try {
    parse(text);
    FAIL() << "accepted " << text;
  } catch (const PlanError& error) {
    const std::string message = error.what();
    EXPECT_EQ(message.find("plan, column " + std::to_string(column) + ": "), 0U) << message;
    EXPECT_NE(message.find(reason), std::string::npos) << message;
    const std::string caret_line = message.substr(message.rfind('\n') + 1);
    EXPECT_EQ(caret_line, std::string(column + 1, ' ') + "^") << message;
  }
}

INSTANTIATE_TEST_SUITE_P(
    BadPlans, Refused,
    ::testing::Values(
        RefusedText{"", 1, "ends here"},
        RefusedText{
            "gausian(1)", 1,
            "unknown name `gausian`; the nearest is `gaussian`, known are gaussian, laplace, discrete_gaussian, "
            "discrete_laplace, rr, mixture, pure, "
            "approximate, zcdp, tcdp, renyi, profile, gdp, exponential, subset_selection, rappor, oue, hadamard, "
            "poisson, wor, "
            "with_replacement, truncated_poisson, "
            "participates, "
            "shuffle, "
            "random_allocation, shuffled_batches, group, select, nothing"},
        RefusedText{"10 x poisson(0.1, gaussian(1)", 30, "expected `)` to close `poisson`"},
        RefusedText{"gaussian 1", 10, "expected `(` after `gaussian`"},
        RefusedText{"? x gaussian(?)", 14, "a second `?`"}, RefusedText{"2.5 x gaussian(1)", 1, "count is 2.5"},
        RefusedText{"-1 x gaussian(1)", 1, "count is -1"}, RefusedText{"1e20 x gaussian(1)", 1, "integer in [0, 2^53]"},
        RefusedText{"10 gaussian(1)", 4, "expected `x`"}, RefusedText{"1,00 x gaussian(1)", 2, "expected `x`"},
        RefusedText{"1,0000 x gaussian(1)", 2, "expected `x`"},
        RefusedText{",100 x gaussian(1)", 1, "expected an event"},
        RefusedText{"1000,000 x gaussian(1)", 5, "expected `x`"},
        RefusedText{"9,007,199,254,740,993 x rr(1)", 1, "count is 9,007,199,254,740,993, but must be an integer in"},
        RefusedText{"poisson(3/2, gaussian(1))", 9, "drawn is 3"},
        RefusedText{"poisson(0.5/2, rr(1))", 9, "drawn is 0.5"},
        RefusedText{"poisson(1/?, rr(1))", 11, "expected a number for population"},
        RefusedText{"gaussian(0)", 10, "noise_multiplier is 0"},
        RefusedText{"gaussian(-1)", 10, "noise_multiplier is -1"},
        RefusedText{"gaussian(nan)", 10, "noise_multiplier is nan"},
        RefusedText{"gaussian(inf)", 10, "positive and finite"}, RefusedText{"gaussian(1e400)", 10, "1e400"},
        RefusedText{"laplace(0)", 9, "scale is 0"}, RefusedText{"rr(-1)", 4, "epsilon is -1"},
        RefusedText{"rr(1, 1)", 7, "categories is 1"}, RefusedText{"pure(inf)", 6, "epsilon is inf"},
        RefusedText{"approximate(1, 2)", 16, "delta is 2"}, RefusedText{"poisson(1.5, gaussian(1))", 9, "rate is 1.5"},
        RefusedText{"poisson(-0.1, gaussian(1))", 9, "rate is -0.1"},
        RefusedText{"wor(5 of 3, gaussian(1))", 5, "drawn is 5"},
        RefusedText{"wor(1.5 of 3, gaussian(1))", 5, "drawn is 1.5"},
        RefusedText{"wor(0 of 0, gaussian(1))", 5, "population is 0"},
        RefusedText{"with_replacement(0 of 3, rr(1))", 18, "draws is 0"},
        RefusedText{"with_replacement(1e10 of 3, rr(1))", 18,
                    "draws is 10000000000, but must be an integer in [1, 10^9]"},
        RefusedText{"with_replacement(2 of 0, rr(1))", 23, "population is 0"},
        RefusedText{"with_replacement(0.1, rr(1))", 18, "draws is 0.1"},
        RefusedText{"with_replacement(5, rr(1))", 19, "expected `of` and the number of records"},
        RefusedText{"with_replacement(2 of ?, rr(1))", 23, "a number for population"},
        RefusedText{"shuffle(0, rr(1))", 9, "reports is 0"},
        RefusedText{"2.0000000000000001 x rr(1)", 1, "count is 2.0000000000000001, but must be an integer"},
        RefusedText{"9007199254740993 x rr(1)", 1, "count is 9007199254740993, but must be an integer in [0, 2^53]"},
        RefusedText{"shuffle(1.5, rr(1))", 9, "reports is 1.5, but must be an integer in [1, 2^53]"},
        RefusedText{"2 x wor(10 of 100, shuffle(1000, rr(2)))", 5, "reports is 1000, but must be at most 10"},
        RefusedText{"wor(0.1 gaussian(1))", 9, "expected `,`"},
        RefusedText{"gaussian(1) gaussian(2)", 13, "after the plan"}, RefusedText{"gaussian(1) +", 14, "ends here"},
        RefusedText{"gaussian(1) under anything", 19, "unknown adjacency `anything`"},
        RefusedText{"gaussian(1) under replace_one x", 31, "after the plan"},
        RefusedText{"gaussian(one)", 10, "a number"}, RefusedText{"(gaussian(1)", 13, "to close the bracket"}));

TEST(Language, PointsAtTheRightLine) {
  try {
    parse("3 x\n  gausian(1)");
    FAIL();
  } catch (const PlanError& error) {
    EXPECT_STREQ(error.what() + std::string(error.what()).find('\n'), "\n    gausian(1)\n    ^");
  }
}

TEST(Language, RefusesNestingThatWouldExhaustTheStack) {
  EXPECT_THROW(parse(std::string(100000, '(')), PlanError);
  std::string repeats;
  for (int i = 0; i < 100000; ++i) repeats += "1 x ";
  EXPECT_THROW(parse(repeats + "gaussian(1)"), PlanError);
}

RC_GTEST_PROP(Language, TextReadsBackAsTheSameEvent, ()) {
  const Event event = testing::random_event(4, "");
  RC_ASSERT(parse(to_text(event)).event == event);
  for (const Adjacency adjacency : all_adjacencies) {
    const Plan plan{event, adjacency};
    RC_ASSERT(parse_plan(to_text(plan)) == plan);
  }
}

}  // namespace
}  // namespace dpbudget
