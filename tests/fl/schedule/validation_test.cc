#include "dpbudget/fl/schedule/validation.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "dpbudget/fl/schedule/text.h"
#include "mechanisms/refused.h"

namespace dpbudget::fl {
namespace {

std::vector<ValidationError> every_round(const std::vector<double>& errors) {
  std::vector<ValidationError> all;
  for (std::size_t i = 0; i < errors.size(); ++i) all.push_back({i, errors[i]});
  return all;
}

std::vector<std::uint64_t> milestones(std::uint64_t patience, const std::vector<double>& errors) {
  return followed({0.5, patience, std::nullopt}, every_round(errors)).rounds;
}

TEST(ValidationNoise, ChangesAfterSoManyErrorsWithoutABetterOne) {
  using Rounds = std::vector<std::uint64_t>;
  EXPECT_EQ(milestones(2, {}), Rounds{});
  EXPECT_EQ(milestones(1, {0.5, 0.4, 0.3}), Rounds{});
  EXPECT_EQ(milestones(1, {0.5, 0.5}), Rounds{2});
  EXPECT_EQ(milestones(2, {0.5, 0.6, 0.4, 0.4, 0.5, 0.3}), Rounds{5});
  // Better than the one before is not enough, and the count begins anew with each change.
  EXPECT_EQ(milestones(2, {0.5, 0.9, 0.8, 0.7, 0.6, 0.6}), (Rounds{3, 5}));
  EXPECT_EQ(followed({0.5, 1, std::nullopt}, {{0, 0.5}, {10, 0.5}, {20, 0.5}}), (Milestones{0.5, {11, 21}}));
}

// What is known later never changes what was decided before.
RC_GTEST_PROP(ValidationNoise, FollowsErrorsAsTheyCome, ()) {
  const auto all = every_round(*rc::gen::container<std::vector<double>>(rc::gen::element(0.1, 0.2, 0.3, 0.4)));
  const ValidationNoise noise{0.5, *rc::gen::inRange<std::uint64_t>(1, 4), std::nullopt};
  const std::vector<std::uint64_t> whole = followed(noise, all).rounds;
  for (std::size_t known = 0; known <= all.size(); ++known) {
    const std::vector<std::uint64_t> so_far =
        followed(noise, {all.begin(), all.begin() + static_cast<std::ptrdiff_t>(known)}).rounds;
    RC_ASSERT(std::equal(so_far.begin(), so_far.end(), whole.begin()));
    RC_ASSERT((so_far.empty() || so_far.back() <= known));
    RC_ASSERT((so_far.size() == whole.size() || known < whole[so_far.size()]));
  }
}

TEST(ValidationText, IsReadBackWithoutLoss) {
  for (const std::string text :
       {"validation:factor=0.5,patience=3", "validation:factor=0.7,patience=1,filter=gaussian",
        "validation:factor=1.25,patience=2,filter=zcdp", "validation:factor=0.1,patience=9,filter=renyi:2.5"})
    EXPECT_EQ(to_text(validation_of(text).value()), text);
  EXPECT_FALSE(validation_of("constant"));
  EXPECT_FALSE(validation_of("step:factor=0.5,every=50"));
}

TEST(ValidationText, RefusesNamingWhatIsWrong) {
  const auto refused = [](const std::string& text, const std::string& why) {
    try {
      validation_of(text);
      ADD_FAILURE() << text << " is read";
    } catch (const InvalidArgument& error) {
      const std::string message = error.what();
      EXPECT_TRUE(message.starts_with("schedule is " + text)) << message;
      EXPECT_NE(message.find(why), std::string::npos) << message;
    }
  };
  refused("validation", "factor is missing");
  refused("validation:factor=0.5", "patience is missing");
  refused("validation:factor=0,patience=1", "factor is 0");
  refused("validation:factor=nan,patience=1", "factor is nan");
  refused("validation:factor=0.5,patience=0", "patience is 0");
  refused("validation:factor=0.5,patience=1,filter=renyi", "filter is `renyi`");
  refused("validation:factor=0.5,patience=1,filter=renyi:1", "order is 1");
  refused("validation:factor=0.5,patience=1,filter=renyi:inf", "order is inf");
  refused("validation:factor=0.5,patience=1,every=2", "every is no setting");
}

}  // namespace
}  // namespace dpbudget::fl
