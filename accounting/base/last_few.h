/// @file
/// The last few answers, which need not be found anew.
#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <utility>

namespace dpbudget {

/// Counts every answer as one.
struct OneEach {
  template <class Found>
  std::size_t operator()(const Found& /*found*/) const {
    return 1;
  }
};

/// Answers by their questions, the last ones whose sizes add up to no more than a capacity. Not to be shared between
/// threads.
/// @tparam Question  compared by ==
/// @tparam Size      gives an answer's size
template <class Question, class Found, class Size = OneEach>
class LastFew {
 public:
  explicit LastFew(std::size_t capacity) : capacity_(capacity) {}

  /// What is kept of `question`, until another is asked for; null where nothing is.
  const Found* known(const Question& question) const {
    const auto kept = std::ranges::find(kept_, question, &Kept::question);
    return kept == kept_.end() ? nullptr : &kept->found;
  }

  /// What is kept of `question`, or else what `find` gives.
  template <class Find>
  Found found(const Question& question, const Find& find) {
    if (const Found* found = known(question)) return *found;
    Found made = find();
    const std::size_t size = Size()(made);
    if (size > capacity_) return made;
    for (; size_ + size > capacity_; kept_.pop_front()) size_ -= kept_.front().size;
    size_ += size;
    return kept_.emplace_back(question, std::move(made), size).found;
  }

 private:
  struct Kept {
    Question question;
    Found found;
    std::size_t size;
  };
  std::size_t capacity_;
  std::size_t size_ = 0;
  std::deque<Kept> kept_;
};

}  // namespace dpbudget
