/// @file
/// What local reports about one of several values tell of two of them: that of binary randomised response, or nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "dpbudget/accounting/plan/event.h"

namespace dpbudget {

/// With probability `told` a report tells what binary randomised response of `epsilon` would; else it is as likely of
/// both values. Who sees the report sees which. Adjacency: any, as for randomised response.
/// @source accounting/plan/proofs.md, 7.1
struct ToldResponse {
  double epsilon;
  double told;    ///< in (0, 1]; off by `told_error` relatively
  double untold;  ///< 1 - told, likewise; 0 where every report tells
};

/// The exponential (accounting/numeric/library_errors.h), which counts once at most, and eight operations of 2^-53.
inline constexpr double told_error = 0x1p-49;

/// Of this event.
ToldResponse told_response(const RandomizedResponse& event);
/// Of this event.
ToldResponse told_response(const SubsetSelection& event);
/// Of this event.
ToldResponse told_response(const Rappor& event);
/// Of this event.
ToldResponse told_response(const UnaryEncoding& event);
/// Of this event.
ToldResponse told_response(const HadamardResponse& event);

/// Of a frequency oracle; nothing for any other event.
std::optional<ToldResponse> oracle_response(const Event& event);

/// Which report it is, and why two values' reports are that.
std::string told_response_theorem(const SubsetSelection& event);
/// Likewise.
std::string told_response_theorem(const Rappor& event);
/// Likewise.
std::string told_response_theorem(const UnaryEncoding& event);
/// Likewise.
std::string told_response_theorem(const HadamardResponse& event);

/// K of Hadamard response: the least power of two above `categories`, so that each has a row that is not constant.
std::uint64_t hadamard_order(std::uint64_t categories);

/// categories / (e^epsilon + 1), rounded, at least 1: the size of best accuracy, up to rounding.
/// @source Ye, Barg 2018
std::uint64_t best_subset_size(std::uint64_t categories, double epsilon);

/// The size of the set that is reported.
std::uint64_t subset_size(const SubsetSelection& event);

}  // namespace dpbudget
