/// @file
/// The range of every number in a plan, each checked by the name under which it is reported.
#pragma once

#include <cstdint>

namespace dpbudget::ranges {

/// The largest integer below which a double holds every integer.
inline constexpr std::uint64_t max_count = std::uint64_t{1} << 53;

/// Draws with replacement at most: a batch is no larger.
inline constexpr std::uint64_t max_draws = 1'000'000'000;

/// @throws InvalidArgument unless in (0, inf)
void noise_multiplier(double value);
/// @throws InvalidArgument unless in (0, inf)
void scale(double value);
/// @throws InvalidArgument unless in [0, inf)
void epsilon(double value);
/// @throws InvalidArgument unless in [0, inf)
void rho(double value);
/// Of tCDP: in (1, inf).
void omega(double value);
/// @throws InvalidArgument unless in [0, inf)
void mu(double value);
/// @throws InvalidArgument unless in [0, 1]: the delta of a release, which may be certain to fail
void release_delta(double value);
/// @throws InvalidArgument unless in (0, 1): the delta of a question
void delta(double value);
/// @throws InvalidArgument unless in [0, 1): the delta of a question that may ask for pure DP
void delta_from_zero(double value);
/// @throws InvalidArgument unless in [0, 1]
void rate(double value);
/// @throws InvalidArgument unless 0 <= drawn <= population and 1 <= population <= max_count
void fraction(std::uint64_t drawn, std::uint64_t population);
/// @throws InvalidArgument unless in [1, max_draws]
void draws(std::uint64_t value);
/// @throws InvalidArgument unless in [1, max_draws]: records of a group
void group(std::uint64_t value);
/// @throws InvalidArgument unless in [1, max_count]
void population(std::uint64_t value);
/// @throws InvalidArgument unless in [2, max_count]
void categories(std::uint64_t value);
/// @throws InvalidArgument unless in [0, max_count]
void count(std::uint64_t value);
/// @throws InvalidArgument unless in [1, max_count]
void reports(std::uint64_t value);
/// @throws InvalidArgument unless in [1, max_count]
void steps(std::uint64_t value);
/// @throws InvalidArgument unless in [1, max_count]
void records(std::uint64_t value);
/// @throws InvalidArgument unless in (1, inf)
void order(double value);

}  // namespace dpbudget::ranges
