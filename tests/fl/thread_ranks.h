/// @file
/// Several processes, for tests.
#pragma once

#include <barrier>
#include <cstddef>
#include <string>
#include <vector>

#include "dpbudget/fl/ranks/ranks.h"

namespace dpbudget::fl {

/// Ranks that are threads of one process.
class Threads {
 public:
  explicit Threads(std::size_t count) : told_(count), all_here_(static_cast<std::ptrdiff_t>(count)) {}

  class One final : public Ranks {
   public:
    One(Threads& threads, std::size_t rank) : threads_(threads), rank_(rank) {}
    std::size_t rank() const override { return rank_; }
    std::size_t count() const override { return threads_.told_.size(); }
    std::string from_first(const std::string& bytes) override {
      threads_.told_[rank_] = bytes;
      threads_.all_here_.arrive_and_wait();
      const std::string first = threads_.told_[0];
      threads_.all_here_.arrive_and_wait();
      return first;
    }
    std::vector<std::string> to_first(const std::string& bytes) override {
      threads_.told_[rank_] = bytes;
      threads_.all_here_.arrive_and_wait();
      const std::vector<std::string> all = rank_ == 0 ? threads_.told_ : std::vector<std::string>{};
      threads_.all_here_.arrive_and_wait();
      return all;
    }

   private:
    Threads& threads_;
    std::size_t rank_;
  };

 private:
  std::vector<std::string> told_;
  std::barrier<> all_here_;
};

}  // namespace dpbudget::fl
