#include "dpbudget/accounting/shuffle/responses/mass_sweeps.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "dpbudget/accounting/base/instruction_sets.h"
#include "dpbudget/accounting/base/to_integer.h"

namespace dpbudget::shuffle {
namespace {

// Of one operation, with room to spare.
constexpr double step_error = 0x1p-51;

// Masses that are smaller by this when the largest are beyond `large` are rarer than e^-600, which is far less than
// what windows leave out.
constexpr double large = 0x1p900;
constexpr double smaller = 0x1p-900;

// The law f of the number of ones, of m ones and n - m zeros, obeys, with odds e^+-epsilon_0, w their sum and
// c = m e^epsilon_0 + (n - m) e^-epsilon_0,
//   (k + 1) f(k + 1) = (c - w k) f(k) + (n - k + 1) f(k - 1).
// Below c / w it adds positive terms and forgets where it began. c - w k is summed so that it keeps its digits where m
// and n - m are near k.
// accounting/shuffle/proofs.md, 6.6

// For how many numbers from first + offset on no mass can grow beyond what a double holds: the larger of two masses
// next to each other grows at most by the sum of what they are multiplied by, which falls.
double steps_without_overflow(const SweepTask& task, double offset) {
  constexpr double doublings = 100;
  constexpr double most = 64;
  double steps = most;
  for (std::size_t lane = 0; lane < task.lanes; ++lane) {
    const double k = std::max(task.start[lane], task.first[lane] + offset);
    const double drift = (task.ones[lane] - k) * task.odds + (task.zeros[lane] - k) * task.rare_odds;
    const double users = task.ones[lane] + task.zeros[lane];
    const double growth = (std::max(0.0, drift) + users - k + 1) / (k + 1);
    if (growth > 1) steps = std::min(steps, std::floor(doublings / (std::log2(growth) + 1)));
  }
  return std::max(1.0, steps);
}

// By how much two masses that are larger than `large` are made smaller.
void scale(double& one, double& other) {
  one *= smaller;
  other *= smaller;
}

// What is known where masses are first wanted.
struct RunIn {
  double least_before[sweep_lanes];
  double least_here[sweep_lanes];
  double most_before[sweep_lanes];
  double most_here[sweep_lanes];
  double error[sweep_lanes];

  void scale_large(std::size_t lanes) {
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      if (!(std::max(least_here[lane], most_here[lane]) > large)) continue;
      scale(least_before[lane], least_here[lane]);
      scale(most_before[lane], most_here[lane]);
    }
  }
  double ratio(std::size_t lane) const { return least_here[lane] / least_before[lane]; }
  double error_of_ratio(std::size_t lane) const {
    const double one = ratio(lane);
    const double other = most_here[lane] / most_before[lane];
    const double apart = one != other ? std::abs(one - other) / std::min(one, other) : 0;
    return apart + 2 * error[lane] + step_error;
  }
};

// The ratio of two masses next to each other is between 1 and infinity where they rise; between what becomes of these
// two it lies ever after.
template <std::size_t width>
[[gnu::always_inline]] inline void run_in(const SweepTask& task, std::size_t lane, double from, double steps,
                                          RunIn& at) {
  using Vector [[gnu::vector_size(width * sizeof(double))]] = double;
  Vector ones, zeros, start, first, least_before, least_here, most_before, most_here, error;
  std::memcpy(&ones, task.ones + lane, sizeof ones);
  std::memcpy(&zeros, task.zeros + lane, sizeof zeros);
  std::memcpy(&start, task.start + lane, sizeof start);
  std::memcpy(&first, task.first + lane, sizeof first);
  std::memcpy(&least_before, at.least_before + lane, sizeof least_before);
  std::memcpy(&least_here, at.least_here + lane, sizeof least_here);
  std::memcpy(&most_before, at.most_before + lane, sizeof most_before);
  std::memcpy(&most_here, at.most_here + lane, sizeof most_here);
  std::memcpy(&error, at.error + lane, sizeof error);
  const Vector users = ones + zeros;
  for (double step = 0; step < steps; ++step) {
    const Vector k = first + (from + step);
    const Vector of_ones = (ones - k) * task.odds;
    const Vector of_zeros = (zeros - k) * task.rare_odds;
    const Vector drift = of_ones + of_zeros > 0 ? of_ones + of_zeros : of_ones * 0;
    const Vector magnitude = (of_ones < 0 ? -of_ones : of_ones) + (of_zeros < 0 ? -of_zeros : of_zeros);
    const Vector share = 1 / (k + 1);
    const Vector by_here = drift * share;
    const Vector by_before = (users - k + 1) * share;
    const Vector least = by_here * least_here + by_before * least_before;
    const Vector most = by_here * most_here + by_before * most_before;
    least_before = k >= start ? least_here : least_before;
    least_here = k >= start ? least : least_here;
    most_before = k >= start ? most_here : most_before;
    most_here = k >= start ? most : most_here;
    error = k >= start ? error + 2 * (step_error + step_error * 4 * magnitude / drift) : error;
  }
  std::memcpy(at.least_before + lane, &least_before, sizeof least_before);
  std::memcpy(at.least_here + lane, &least_here, sizeof least_here);
  std::memcpy(at.most_before + lane, &most_before, sizeof most_before);
  std::memcpy(at.most_here + lane, &most_here, sizeof most_here);
  std::memcpy(at.error + lane, &error, sizeof error);
}

// Two masses next to each other, and what is known of those up to the second one.
struct Swept {
  double before[sweep_lanes];
  double here[sweep_lanes];
  double sum[sweep_lanes];
  double error[sweep_lanes];
};

template <std::size_t width>
[[gnu::always_inline]] inline void go_on(const SweepTask& task, std::size_t lane, double from, double steps,
                                         Swept& at) {
  using Vector [[gnu::vector_size(width * sizeof(double))]] = double;
  Vector ones, zeros, first, numbers, before, here, sum, error;
  std::memcpy(&ones, task.ones + lane, sizeof ones);
  std::memcpy(&zeros, task.zeros + lane, sizeof zeros);
  std::memcpy(&first, task.first + lane, sizeof first);
  std::memcpy(&numbers, task.numbers + lane, sizeof numbers);
  std::memcpy(&before, at.before + lane, sizeof before);
  std::memcpy(&here, at.here + lane, sizeof here);
  std::memcpy(&sum, at.sum + lane, sizeof sum);
  std::memcpy(&error, at.error + lane, sizeof error);
  const Vector users = ones + zeros;
  double* masses = task.masses + static_cast<std::size_t>(from) * task.stride + lane;
  for (double step = 0; step < steps; ++step) {
    const Vector k = first + (from + step);
    const Vector of_ones = (ones - k) * task.odds;
    const Vector of_zeros = (zeros - k) * task.rare_odds;
    const Vector drift = of_ones + of_zeros > 0 ? of_ones + of_zeros : of_ones * 0;
    const Vector magnitude = (of_ones < 0 ? -of_ones : of_ones) + (of_zeros < 0 ? -of_zeros : of_zeros);
    const Vector by = k + 1;
    const Vector share = 1 / by;
    const Vector next = drift * share * here + (users - k + 1) * share * before;
    const Vector known = step_error + step_error * 4 * magnitude * here / (by * next);
    // Of masses that are less than any double nothing is known.
    const Vector more = known >= 0 ? known : share / (k - k);
    const Vector index = from + step - (k - k);
    before = index < numbers ? here : before;
    here = index < numbers ? next : here;
    sum = index < numbers ? sum + next : sum;
    error = index < numbers ? error + more : error;
    masses += task.stride;
    std::memcpy(masses, &here, sizeof here);
  }
  std::memcpy(at.before + lane, &before, sizeof before);
  std::memcpy(at.here + lane, &here, sizeof here);
  std::memcpy(at.sum + lane, &sum, sizeof sum);
  std::memcpy(at.error + lane, &error, sizeof error);
}

// What has been found in a lane is divided by 2^900, up to number `last`.
void scale_large(const SweepTask& task, double last, Swept& at) {
  for (std::size_t lane = 0; lane < task.lanes; ++lane) {
    if (!(at.here[lane] > large)) continue;
    scale(at.before[lane], at.here[lane]);
    at.sum[lane] *= smaller;
    for (std::size_t i = 0; i <= static_cast<std::size_t>(last); ++i) task.masses[i * task.stride + lane] *= smaller;
  }
}

template <std::size_t width>
[[gnu::always_inline]] inline void swept(SweepTask& task) {
  RunIn start{};
  for (std::size_t lane = 0; lane < sweep_lanes; ++lane) {
    start.least_before[lane] = task.start[lane] > 0 ? 1 : 0;  // before the first number there is none
    start.least_here[lane] = start.most_here[lane] = 1;
  }
  for (double from = -task.run_in; from < 0;) {
    const double steps = std::min(-from, steps_without_overflow(task, from));
    for (std::size_t lane = 0; lane < task.lanes; lane += width) run_in<width>(task, lane, from, steps, start);
    start.scale_large(task.lanes);
    from += steps;
  }
  Swept at{};
  for (std::size_t lane = 0; lane < sweep_lanes; ++lane) {
    at.before[lane] = 1 / start.ratio(lane);
    at.here[lane] = at.sum[lane] = 1;
  }
  std::fill_n(task.masses, task.stride, 1.0);
  for (double from = 0; from < task.most;) {
    const double steps = std::min(task.most - from, steps_without_overflow(task, from));
    for (std::size_t lane = 0; lane < task.lanes; lane += width) go_on<width>(task, lane, from, steps, at);
    from += steps;
    scale_large(task, from, at);
  }
  for (std::size_t lane = 0; lane < task.lanes; ++lane) {
    task.sum[lane] = at.sum[lane];
    task.error[lane] = start.error_of_ratio(lane) + 2 * at.error[lane];
  }
}

void swept_anywhere(SweepTask& task) {
#ifdef __GNUC__
  swept<2>(task);
#else
  swept<1>(task);  // where a vector is one number
#endif
}

#ifdef DPBUDGET_HAS_X86_VERSIONS
// Compilers do not clear the upper halves of registers on all ways out, and what comes after takes several times as
// long.
[[gnu::target("avx2")]] void swept_avx2(SweepTask& task) {
  swept<4>(task);
  __builtin_ia32_vzeroupper();
}

[[gnu::target("avx512f,avx512dq")]] void swept_avx512(SweepTask& task) {
  swept<8>(task);
  __builtin_ia32_vzeroupper();
}
#endif

constexpr SweepVersion versions_of_sweep[] = {
    {"any", swept_anywhere},
#ifdef DPBUDGET_HAS_X86_VERSIONS
    {"avx2", swept_avx2},
    {"avx512f", swept_avx512},
#endif
};

// Few sweeps take short vectors, whose masses lie closer together.
void run(SweepTask& task) {
  static const std::span<const SweepVersion> versions = sweep_versions();
  const std::size_t place = task.stride == 2 ? 0 : task.stride == 4 ? 1 : 2;
  versions[std::min(place, versions.size() - 1)].sweep(task);
}

}  // namespace

SweepTask sweep_task(double local_epsilon, std::span<const MassSweep> sweeps) {
  SweepTask task{};
  task.odds = std::exp(local_epsilon);
  task.rare_odds = 1 / task.odds;
  task.lanes = sweeps.size();
  task.stride = task.lanes <= 2 ? 2 : task.lanes <= 4 ? 4 : sweep_lanes;
  for (std::size_t lane = 0; lane < sweep_lanes; ++lane) {
    const MassSweep& one = sweeps[std::min(lane, sweeps.size() - 1)];
    task.ones[lane] = one.ones;
    task.zeros[lane] = one.zeros;
    task.start[lane] = one.start;
    task.first[lane] = one.first;
    task.numbers[lane] = static_cast<double>(one.numbers);
    task.run_in = std::max(task.run_in, one.first - one.start);
    task.most = std::max(task.most, task.numbers[lane]);
  }
  return task;
}

std::size_t size_of_masses(const SweepTask& task) {
  return task.stride * (to_integer<std::size_t>(task.most, "numbers") + 1);
}

std::span<const SweptMasses> MassSweeps::run(double local_epsilon, std::span<const MassSweep> sweeps) {
  found_.assign(sweeps.size(), {});
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < sweeps.size(); ++i)
    if (sweeps[i].numbers > 0) order.push_back(i);
  // Those that take as long go together.
  std::ranges::sort(order, {}, [&](std::size_t i) { return std::pair(sweeps[i].numbers, i); });
  std::vector<MassSweep> sorted;
  for (const std::size_t i : order) sorted.push_back(sweeps[i]);
  std::vector<SweepTask> tasks;
  std::size_t size = 0;
  for (std::size_t begin = 0; begin < sorted.size(); begin += sweep_lanes) {
    const std::size_t lanes = std::min(sweep_lanes, sorted.size() - begin);
    tasks.push_back(sweep_task(local_epsilon, std::span(sorted).subspan(begin, lanes)));
    size += size_of_masses(tasks.back());
  }
  if (storage_.size() < size) storage_.resize(size);
  double* masses = storage_.data();
  std::size_t next = 0;
  for (SweepTask& task : tasks) {
    task.masses = masses;
    shuffle::run(task);
    for (std::size_t lane = 0; lane < task.lanes; ++lane, ++next)
      found_[order[next]] = {masses + lane, task.stride, sorted[next].numbers + 1, task.sum[lane], task.error[lane]};
    masses += size_of_masses(task);
  }
  return found_;
}

std::span<const SweepVersion> sweep_versions() { return std::span(versions_of_sweep).first(versions_here()); }

}  // namespace dpbudget::shuffle
