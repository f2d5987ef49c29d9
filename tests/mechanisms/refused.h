/// @file
/// Expectation for bad input.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "dpbudget/accounting/base/require.h"

/// Expects an InvalidArgument of one line whose message begins with `name`.
#define EXPECT_REFUSED(name, call)                               \
  try {                                                          \
    static_cast<void>(call);                                     \
    ADD_FAILURE() << "not refused: " #call;                      \
  } catch (const dpbudget::InvalidArgument& error) {             \
    const std::string message = error.what();                    \
    EXPECT_TRUE(message.starts_with(name)) << message;           \
    EXPECT_EQ(message.find('\n'), std::string::npos) << message; \
  }                                                              \
  static_assert(true)
