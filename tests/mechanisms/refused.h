/// @file
/// Expectation for bad input.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "dpbudget/accounting/base/require.h"

/// What EXPECT_REFUSED expects of a message.
inline void expect_one_line_about(const std::string& name, const std::string& message) {
  EXPECT_TRUE(message.starts_with(name)) << message;
  EXPECT_EQ(message.find('\n'), std::string::npos) << message;
}

/// Expects an InvalidArgument or Unsupported of one line whose message begins with `name`.
#define EXPECT_REFUSED(name, call)                   \
  try {                                              \
    static_cast<void>(call);                         \
    ADD_FAILURE() << "not refused: " #call;          \
  } catch (const dpbudget::InvalidArgument& error) { \
    expect_one_line_about(name, error.what());       \
  } catch (const dpbudget::Unsupported& error) {     \
    expect_one_line_about(name, error.what());       \
  }                                                  \
  static_assert(true)
