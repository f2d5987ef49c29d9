/// @file
/// What every question does while it is worked on.
#pragma once

#include <nanobind/nanobind.h>

#include <chrono>

#include "dpbudget/accounting/base/interruption.h"

namespace dpbudget::python {

/// While it lives the interpreter's lock is released, and a signal's handler that raises, as Ctrl-C's does, ends what
/// is worked on: Python runs handlers in its main thread alone.
class Released {
 public:
  Released() : heeding_([this] { look(); }) {}

 private:
  using Clock = std::chrono::steady_clock;

  void look() {
    const Clock::time_point now = Clock::now();
    if (now < next_) return;
    next_ = now + std::chrono::milliseconds(50);
    const nanobind::gil_scoped_acquire held;
    if (PyErr_CheckSignals() != 0) throw nanobind::python_error();
  }

  nanobind::gil_scoped_release lock_;
  Clock::time_point next_ = Clock::now();
  Interruption heeding_;
};

}  // namespace dpbudget::python
