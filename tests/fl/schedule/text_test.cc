#include "dpbudget/fl/schedule/text.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <unistd.h>

#include <bit>
#include <filesystem>
#include <fstream>
#include <string>

#include "mechanisms/refused.h"

namespace dpbudget::fl {
namespace {

class NoiseTables : public ::testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove(file_); }
  NoiseShape read(const std::string& text) const {
    std::ofstream(file_) << text;
    return parse_shape("csv:" + file_);
  }
  std::string file_ = (std::filesystem::temp_directory_path() /
                       ("dpbudget-noise-" + std::to_string(getpid()) + "-" +
                        ::testing::UnitTest::GetInstance()->current_test_info()->name() + ".csv"))
                          .string();
};

TEST(ShapeText, ReadsEveryForm) {
  EXPECT_EQ(parse_shape("constant"), NoiseShape(ConstantNoise{}));
  EXPECT_EQ(parse_shape("chang1:beta=0.998,hold=20"), NoiseShape(RoundDecay{0.998, 20}));
  EXPECT_EQ(parse_shape("chang2:hold=20,beta=0.998"), NoiseShape(StepDecay{0.998, 20}));
  EXPECT_EQ(parse_shape("chang2:beta=1"), NoiseShape(StepDecay{1, 0}));
  EXPECT_EQ(parse_shape("exponential:0.99"), NoiseShape(ExponentialDecay{0.99}));
  EXPECT_EQ(parse_shape("step:factor=0.5,every=50"), NoiseShape(Staircase{0.5, 50}));
  EXPECT_EQ(parse_shape("milestones:factor=0.5,rounds=10;20"), NoiseShape(Milestones{0.5, {10, 20}}));
  EXPECT_EQ(parse_shape("inverse-sqrt"), NoiseShape(InverseRoot{}));
  EXPECT_EQ(parse_shape("inverse:4,2.5"), NoiseShape(InverseDecay{4, 2.5}));
}

RC_GTEST_PROP(ShapeText, IsReadBackWithoutLoss, ()) {
  // Any double of (0, 1).
  const double factor = static_cast<double>(*rc::gen::inRange<std::uint64_t>(1, std::uint64_t{1} << 53U)) * 0x1p-53;
  const auto count = *rc::gen::inRange<std::uint64_t>(1, std::uint64_t{1} << 53U);
  for (const NoiseShape& shape :
       {NoiseShape(ConstantNoise{}), NoiseShape(RoundDecay{factor, count}), NoiseShape(StepDecay{factor, count}),
        NoiseShape(ExponentialDecay{factor}), NoiseShape(Staircase{factor, count}), NoiseShape(InverseRoot{}),
        NoiseShape(Milestones{factor, {count, count + 1}}), NoiseShape(InverseDecay{factor, 1 / factor})})
    RC_ASSERT(parse_shape(to_text(shape)) == shape);
}

RC_GTEST_PROP(ShapeText, OfATableIsReadBackWithoutLoss, ()) {
  const auto steps = *rc::gen::inRange<std::size_t>(1, 4);
  const auto rounds = *rc::gen::inRange<std::size_t>(1, 20);
  // Any positive normal double.
  const auto noise = rc::gen::map(rc::gen::inRange<std::uint64_t>(std::uint64_t{1} << 52U, 0x7ff0000000000000U),
                                  [](std::uint64_t bits) { return std::bit_cast<double>(bits); });
  const NoiseShape table = NoiseTable{*rc::gen::container<std::vector<double>>(steps * rounds, noise), steps};
  RC_ASSERT(parse_shape(to_text(table)) == table);
}

TEST(ShapeText, ReadsTables) {
  EXPECT_EQ(parse_shape("table:2"), NoiseShape(NoiseTable{{2}, 1}));
  EXPECT_EQ(parse_shape("table:2;1.5;1e-3"), NoiseShape(NoiseTable{{2, 1.5, 1e-3}, 1}));
  EXPECT_EQ(parse_shape("table:2,1.5;1,0.5"), NoiseShape(NoiseTable{{2, 1.5, 1, 0.5}, 2}));
}

TEST(ShapeText, QuotesNoMoreThanTheBeginningOfALongTable) {
  std::string table = "table:";
  for (int i = 0; i < 1000; ++i) table += "0.12345;";
  try {
    parse_shape(table);
    ADD_FAILURE();
  } catch (const InvalidArgument& error) {
    EXPECT_LT(std::string(error.what()).size(), 200U);
  }
}

TEST(ShapeText, RefusesNamingWhatIsWrong) {
  const auto refused = [](const std::string& text, const std::string& why) {
    try {
      parse_shape(text);
      ADD_FAILURE() << text << " is read";
    } catch (const InvalidArgument& error) {
      const std::string message = error.what();
      EXPECT_TRUE(message.starts_with("schedule is " + text)) << message;
      EXPECT_NE(message.find(why), std::string::npos) << message;
    }
  };
  refused("", "must be one of");
  refused("linear:0.5", "must be one of");
  refused("constant:beta=1", "beta is no setting");
  refused("chang1", "beta is missing");
  refused("chang1:beta", "not of the form name=value");
  refused("chang1:beta=", "not a number");
  refused("chang1:beta=0.5x", "not a number");
  refused("chang1:beta=0.5,beta=0.5", "beta is given twice");
  refused("chang1:beta=0.5,hold=2.5", "not an integer");
  refused("chang1:beta=0.5,hold=-2", "not an integer");
  refused("chang1:beta=0.5,tau=2", "tau is no setting");
  refused("chang1:beta=nan", "beta is nan");
  refused("chang2:beta=1.5", "beta is 1.5, but must be in (0, 1]");
  refused("milestones:factor=0.5", "rounds is missing");
  refused("milestones:factor=0.5,rounds=", "not an integer");
  refused("milestones:factor=0.5,rounds=3;3", "rounds is 3, but must be an integer in [4, 2^53]");
  refused("milestones:factor=0.5,rounds=0", "rounds is 0");
  refused("validation:factor=0.5,patience=1", "for `dpbudget simulate` alone");
  refused("inverse", "two numbers");
  refused("inverse:1", "two numbers");
  refused("inverse:1,x", "must be numbers");
  refused("inverse:0,1", "scale is 0");
  refused("inverse:1,-1", "offset is -1");
  refused("inverse-sqrt:2", "not of the form");
  refused("exponential", "not a number");
  refused("exponential:-1", "factor is -1");
  refused("exponential:inf", "factor is inf");
  refused("step:factor=0.5", "every is missing");
  refused("step:factor=0.5,every=0", "every is 0");
  refused("csv", "csv needs a file");
  refused("csv:", "csv needs a file");
  refused("table", "the noise of round 1 is ``");
  refused("table:1;;2", "the noise of round 2 is ``");
  refused("table:1;2;", "the noise of round 3 is ``");
  refused("table:1;x", "the noise of round 2 is `x`");
  refused("table:1; 2", "the noise of round 2 is ` 2`");
  refused("table:1,2;3", "round 2 has 1 steps, and the first has 2");
  refused("table:1;0", "noise is 0");
  refused("table:1;-1", "noise is -1");
  refused("table:nan", "noise is nan");
  refused("table:inf", "noise is inf");
}

TEST_F(NoiseTables, AreReadInEveryForm) {
  EXPECT_EQ(read("noise\n3\n2.5\n"), NoiseShape(NoiseTable{{3, 2.5}, 1}));
  EXPECT_EQ(read("round, noise\r\n1, 3\r\n2, 2.5\r\n"), NoiseShape(NoiseTable{{3, 2.5}, 1}));
  EXPECT_EQ(read("round,step,noise\n1,1,4\n1,2,3\n2,1,2\n2,2,1\n"), NoiseShape(NoiseTable{{4, 3, 2, 1}, 2}));
  EXPECT_EQ(read("round,step,noise\n1,1,4\n1,2,3"), NoiseShape(NoiseTable{{4, 3}, 2}));
  EXPECT_EQ(to_text(read("noise\n1\n0.5")), "table:1;0.5");
  EXPECT_EQ(to_text(read("round,step,noise\n1,1,4\n1,2,3\n2,1,2\n2,2,0.1\n")), "table:4,3;2,0.1");
  EXPECT_EQ(without_file("csv:" + file_), "table:4,3;2,0.1");
  EXPECT_EQ(file_of("csv:" + file_), file_);
  EXPECT_EQ(file_of("table:4"), std::nullopt);
  for (const std::string text : {"constant", "table:4,3", "chang2:beta=1"}) EXPECT_EQ(without_file(text), text);
}

TEST_F(NoiseTables, AreRefusedWithTheLine) {
  const auto refused = [&](const std::string& text, const std::string& why) {
    try {
      read(text);
      ADD_FAILURE() << text << " is read";
    } catch (const InvalidArgument& error) {
      const std::string message = error.what();
      EXPECT_TRUE(message.starts_with("noise table " + file_)) << message;
      EXPECT_NE(message.find(why), std::string::npos) << message;
    }
  };
  refused("", "is empty");
  refused("noise\n", "has no rounds");
  refused("sigma\n1\n", "line 1: must name the columns");
  refused("step,round,noise\n1,1,1\n", "line 1: must name the columns");
  refused("noise\n1\nx\n", "line 3: noise is `x`");
  refused("noise\n1\n\n2\n", "line 3: noise is ``");
  refused("noise\n1\n0\n", "line 3: noise is 0");
  refused("noise\nnan\n", "line 2: noise is nan");
  refused("noise\ninf\n", "line 2: noise is inf");
  refused("round,noise\n1,1\n3,1\n", "line 3: round is 3, but must be 2");
  refused("round,noise\n1,1\n1,1\n", "line 3: round is 1, but must be 2");
  refused("round,noise\n1,1,1\n", "line 2: 3 fields, but must be 2");
  refused("round,step,noise\n1,1,1\n1,3,1\n", "line 3: step is 3, but must be 2");
  refused("round,step,noise\n1,1,1\n1,2,1\n2,1,1\n", "ends within round 2");
  refused("round,step,noise\n1,1,1\n1,2,1\n2,1,1\n3,1,1\n", "line 5: round 2 has 1 steps, but the first has 2");
  refused("round,step,noise\n1,1,1\n2,1,1\n2,2,1\n", "ends within round 2");
  EXPECT_REFUSED("noise table /nowhere/at/all cannot be read", parse_shape("csv:/nowhere/at/all"));
}

TEST_F(NoiseTables, OfStepsNameThem) {
  EXPECT_REFUSED("noise table " + file_ + " line 1: must name the columns noise", read("round,step_size\n1,0.5\n"));
  EXPECT_EQ(parse_shape("csv:" + file_, "step_size"), NoiseShape(NoiseTable{{0.5}, 1}));
  EXPECT_EQ(read("noise\n1\n"), NoiseShape(NoiseTable{{1}, 1}));
  EXPECT_REFUSED("step_size table " + file_ + " line 1: must name the columns step_size, or round,step_size",
                 parse_shape("csv:" + file_, "step_size"));
}

}  // namespace
}  // namespace dpbudget::fl
