/// @file
/// What the numbers of a run may be, and how that is said.
#pragma once

#include <cmath>
#include <cstdint>

namespace dpbudget::fl {

/// Which numbers are allowed, and how that is said.
template <class Number>
struct Range {
  bool (*holds)(Number) = nullptr;  ///< false for NaN; null where it depends on other values
  const char* text = "";            ///< in words
};

namespace range {

/// Whether a number is above 0 and finite.
inline bool is_positive(double value) { return 0 < value && std::isfinite(value); }

inline constexpr Range<double> positive{is_positive, "positive and finite"};
inline constexpr Range<double> not_negative{[](double value) { return 0 <= value && std::isfinite(value); },
                                            "at least 0 and finite"};
inline constexpr Range<double> rate{[](double value) { return 0 < value && value <= 1; }, "in (0, 1]"};
inline constexpr Range<double> share{[](double value) { return 0 <= value && value <= 1; }, "in [0, 1]"};
inline constexpr Range<double> inside{[](double value) { return 0 < value && value < 1; }, "in (0, 1)"};
inline constexpr Range<double> momentum{[](double value) { return 0 <= value && value < 1; }, "in [0, 1)"};
inline constexpr Range<double> from_one{[](double value) { return 1 <= value && std::isfinite(value); },
                                        "at least 1 and finite"};
inline constexpr Range<std::uint64_t> counted{[](std::uint64_t value) { return 1 <= value; }, "at least 1"};

}  // namespace range
}  // namespace dpbudget::fl
