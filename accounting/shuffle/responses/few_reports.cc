#include "dpbudget/accounting/shuffle/responses/few_reports.h"

#include <algorithm>
#include <cmath>

#include "dpbudget/accounting/base/require.h"
#include "dpbudget/accounting/numeric/rounding.h"

namespace dpbudget::shuffle {
namespace {

using numeric::unit;

// Masses in all, which take some nanoseconds each.
constexpr double most_masses = 1e6;
constexpr std::uint64_t most_categories = 8;
constexpr std::uint64_t most_reports_counted = 64;

// Masses of how often each category but the last was reported: (n + 1)^(k - 1) of them.
class Counts {
 public:
  Counts(double local_epsilon, std::size_t categories, std::size_t reports)
      : others_(1 / (std::exp(local_epsilon) + static_cast<double>(categories - 1))),
        truth_(std::exp(local_epsilon) * others_) {
    std::size_t size = 1;
    for (std::size_t y = 0; y + 1 < categories; ++y) {
      strides_.push_back(size);
      size *= reports + 1;
    }
    none_.assign(size, 0);
    none_.front() = 1;
  }

  const std::vector<double>& none() const { return none_; }

  // One more report, of a user who holds the category.
  std::vector<double> with(const std::vector<double>& masses, std::size_t held) const {
    std::vector<double> more(masses.size(), 0);
    for (std::size_t i = 0; i < masses.size(); ++i) {
      if (masses[i] == 0) continue;
      for (std::size_t y = 0; y < strides_.size(); ++y)
        more[i + strides_[y]] += masses[i] * (y == held ? truth_ : others_);
      more[i] += masses[i] * (held == strides_.size() ? truth_ : others_);
    }
    return more;
  }

 private:
  double others_;
  double truth_;
  std::vector<std::size_t> strides_;
  std::vector<double> none_;
};

class Enumerated {
 public:
  Enumerated(double local_epsilon, std::size_t categories, std::size_t reports)
      : counts_(local_epsilon, categories, reports), categories_(categories) {
    from(0, reports - 1, reports - 1, counts_.none());
  }

  std::vector<ReportLaw> take() { return std::move(laws_); }

 private:
  // Every choice of the categories from `next` on by `left` users. Those beyond the first two, x and x', may be
  // permuted: each is held by at most as many as the one before.
  void from(std::size_t next, std::size_t left, std::size_t most, const std::vector<double>& masses) {
    if (left == 0) return add(masses);
    if (next == categories_) return;
    std::vector<double> held = masses;
    const std::size_t bound = next < 2 ? left : std::min(left, most);
    for (std::size_t users = 0;; ++users) {
      from(next + 1, left - users, next < 2 ? left : users, held);
      if (users == bound) return;
      held = counts_.with(held, next);
    }
  }

  void add(const std::vector<double>& others) {
    const std::vector<double> p = counts_.with(others, 0);
    const std::vector<double> q = counts_.with(others, 1);
    ReportLaw law;
    for (std::size_t i = 0; i < p.size(); ++i)
      if (p[i] > 0 || q[i] > 0) law.push_back({p[i], q[i]});
    laws_.push_back(std::move(law));
  }

  Counts counts_;
  std::size_t categories_;
  std::vector<ReportLaw> laws_;
};

double masses_of(double categories, double reports) {
  double number = std::pow(reports + 1, categories - 1);
  for (double i = 1; i < categories; ++i) number *= (reports - 1 + i) / i;
  return number;
}

}  // namespace

bool are_few(double local_epsilon, std::uint64_t categories, std::uint64_t reports) {
  require(0 < local_epsilon && local_epsilon <= 600, "local_epsilon", local_epsilon, "in (0, 600]");
  require(categories >= 2, "categories", categories, "at least 2");
  require(reports >= 1, "reports", reports, "at least 1");
  if (categories > most_categories || reports > most_reports_counted) return false;
  const auto n = static_cast<double>(reports);
  const auto k = static_cast<double>(categories);
  return masses_of(k, n) <= most_masses && n * (local_epsilon + std::log(k)) <= 600;
}

std::optional<FewReports> few_reports(double local_epsilon, std::uint64_t categories, std::uint64_t reports) {
  if (!are_few(local_epsilon, categories, reports)) return std::nullopt;
  Enumerated found(local_epsilon, static_cast<std::size_t>(categories), static_cast<std::size_t>(reports));
  // A mass is a sum of products of a probability for each report: three units a factor, one for each sum.
  return FewReports{found.take(), unit * static_cast<double>(reports) * (4 + static_cast<double>(categories))};
}

}  // namespace dpbudget::shuffle
