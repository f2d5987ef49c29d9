#include "dpbudget/tools/cli/simulation/interrupt_note.h"

namespace dpbudget::tools {
namespace {

volatile std::sig_atomic_t interrupts = 0;
int living = 0;  // of the main thread's notes

extern "C" void note_interrupt(int /*signal*/) { interrupts = interrupts + 1; }

}  // namespace

InterruptNote::InterruptNote() {
  if (living++ == 0) interrupts = 0;
  struct sigaction action = {};
  action.sa_handler = note_interrupt;
  // What waits to be written goes on waiting: standard output would be given up for good.
  action.sa_flags = static_cast<int>(SA_RESETHAND) | SA_RESTART;
  sigaction(SIGINT, &action, &on_interrupt_);
  sigaction(SIGTERM, &action, &on_termination_);
}

InterruptNote::~InterruptNote() {
  sigaction(SIGINT, &on_interrupt_, nullptr);
  sigaction(SIGTERM, &on_termination_, nullptr);
  --living;
}

bool was_interrupted() { return interrupts > 0; }

}  // namespace dpbudget::tools
