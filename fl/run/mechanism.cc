#include "dpbudget/fl/run/mechanism.h"

namespace dpbudget::fl {

OptionList options_of(Mechanism mechanism) {
  return mechanism == Mechanism::shuffled_binomial ? OptionList::of<BinomialNoise>() : OptionList();
}

}  // namespace dpbudget::fl
