/// @file
/// An interrupt that ends a run after the round that is under way.
#pragma once

#include <csignal>

namespace dpbudget::tools {

/// While it lives, an interrupt (SIGINT, SIGTERM) is noted; the one after it does what it did before. One inside
/// another forgets nothing that the other noted.
class InterruptNote {
 public:
  InterruptNote();
  InterruptNote(const InterruptNote&) = delete;
  InterruptNote& operator=(const InterruptNote&) = delete;
  ~InterruptNote();

 private:
  struct sigaction on_interrupt_ = {};
  struct sigaction on_termination_ = {};
};

/// Whether an interrupt has come.
bool was_interrupted();

}  // namespace dpbudget::tools
