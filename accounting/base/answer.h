/// @file
/// An answer, or why there is none.
#pragma once

#include <boost/assert/source_location.hpp>
#include <boost/system/result.hpp>
#include <type_traits>

#include "dpbudget/accounting/base/bound.h"
#include "dpbudget/accounting/base/require.h"

namespace dpbudget {

/// What `value()` of an answer does that is none.
/// @throws Unsupported
[[noreturn]] void throw_exception_from_error(const Refusal& refusal, const boost::source_location& where);

/// A T, or a refusal: that an accountant cannot answer is no error of whoever asks.
template <class T>
using Answer = boost::system::result<T, Refusal>;

/// What `f` returns, or why it cannot: for use where an accountant's own theorems and numbers begin.
/// @param f  given what is in range: whatever it finds out of range is a limit of its own
template <class F>
Answer<std::invoke_result_t<const F&>> answered(const F& f) {
  try {
    return f();
  } catch (const Unsupported& unable) {
    return unable.refusal;
  } catch (const InvalidArgument& limit) {
    return Refusal{"", limit.what()};
  }
}

/// That nothing is known, in the form of a bound: an infinite one, which says why.
Bound no_bound(const Refusal& refusal);

}  // namespace dpbudget
