/// @file
/// What a plan composes.
#pragma once

#include <cstdint>
#include <vector>

#include "dpbudget/accounting/plan/event.h"

namespace dpbudget {

/// A release with how often it occurs.
struct Release {
  Event event;
  std::uint64_t count;
};

/// The releases whose composition `event` is, in order; none where nothing is released. All Gaussians are one release,
/// because they compose to one (gaussian_noise.h), at the place of the first.
/// @param event  in normal form (normal_form.h)
std::vector<Release> releases_of(const Event& event);

/// How many single releases are made, those inside of samples, rounds and shuffles multiplied: reports of a shuffle are
/// one together.
/// @param event  with known counts
double number_of_releases(const Event& event);

}  // namespace dpbudget
