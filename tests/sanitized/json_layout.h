#pragma once

// Included before all else where Clang instruments: the tests that are linked to it were compiled by GCC. By this macro
// nlohmann/json makes its ordered maps shorter; Clang would not, as it says no to __has_attribute(no_unique_address).
#include <nlohmann/detail/macro_scope.hpp>
#undef JSON_NO_UNIQUE_ADDRESS
#define JSON_NO_UNIQUE_ADDRESS [[no_unique_address]]
