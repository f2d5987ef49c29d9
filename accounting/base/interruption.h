/// @file
/// How whoever asks can end what takes too long.
#pragma once

#include <functional>

namespace dpbudget {

/// While it lives, searches of this thread ask now and then whether to go on: several times a second where they take
/// long. `ask` ends them by an exception, which passes through every accountant; those can be asked again afterwards.
/// The innermost of several is asked.
class Interruption {
 public:
  explicit Interruption(std::function<void()> ask);
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;
  ~Interruption();

 private:
  friend void heed_interruption();
  std::function<void()> ask_;
  Interruption* outer_;
};

/// Asks, where somebody wants to be asked. Costs a few nanoseconds else.
/// @throws what is thrown by whoever is asked
void heed_interruption();

}  // namespace dpbudget
