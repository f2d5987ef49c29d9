#include "dpbudget/accounting/base/interruption.h"

#include <utility>

namespace dpbudget {
namespace {

thread_local Interruption* innermost = nullptr;

}  // namespace

Interruption::Interruption(std::function<void()> ask) : ask_(std::move(ask)), outer_(innermost) { innermost = this; }

Interruption::~Interruption() { innermost = outer_; }

void heed_interruption() {
  if (innermost != nullptr) innermost->ask_();
}

}  // namespace dpbudget
