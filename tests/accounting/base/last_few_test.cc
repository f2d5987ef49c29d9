#include "dpbudget/accounting/base/last_few.h"

#include <gtest/gtest.h>

#include <string>

namespace dpbudget {
namespace {

struct Length {
  std::size_t operator()(const std::string& found) const { return found.size(); }
};

// Counts what it had to find.
class Asked {
 public:
  explicit Asked(std::size_t capacity) : kept_(capacity) {}

  std::string operator()(int question, const char* answer) {
    return kept_.found(question, [&] {
      ++found;
      return std::string(answer);
    });
  }
  bool knows(int question) const { return kept_.known(question) != nullptr; }

  int found = 0;

 private:
  LastFew<int, std::string, Length> kept_;
};

TEST(LastFew, FindsOnceWhatIsAskedAgain) {
  Asked asked(10);
  EXPECT_EQ(asked(1, "one"), "one");
  EXPECT_EQ(asked(2, "two"), "two");
  EXPECT_EQ(asked(1, "another"), "one");
  EXPECT_EQ(asked.found, 2);
  EXPECT_FALSE(asked.knows(3));
}

TEST(LastFew, ForgetsTheOldestWhereThatIsTooMuch) {
  Asked asked(10);
  asked(1, "four");
  asked(2, "four");
  asked(3, "four");
  EXPECT_FALSE(asked.knows(1));
  EXPECT_TRUE(asked.knows(2));
  asked(4, "ten or less");  // eleven, which never fit
  EXPECT_FALSE(asked.knows(4));
  EXPECT_TRUE(asked.knows(3));
  asked(5, "exactly 10");
  EXPECT_TRUE(asked.knows(5));
  EXPECT_FALSE(asked.knows(2));
  EXPECT_FALSE(asked.knows(3));
}

TEST(LastFew, CountsAnswersWhereTheyHaveNoSize) {
  LastFew<int, int> kept(2);
  for (const int question : {1, 2, 3}) EXPECT_EQ(kept.found(question, [&] { return 10 * question; }), 10 * question);
  EXPECT_EQ(kept.known(1), nullptr);
  EXPECT_EQ(*kept.known(2), 20);
  EXPECT_EQ(*kept.known(3), 30);
}

}  // namespace
}  // namespace dpbudget
