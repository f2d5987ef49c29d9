/// @file
/// Mistakes that a simulator can be made to commit, so that verification can be seen to find them.
#pragma once

#include "dpbudget/accounting/base/names.h"

namespace dpbudget::fl {

/// What goes wrong, while the ledger is kept as if nothing did.
enum class Fault {
  none,
  weak_noise,          ///< noise 1 % smaller than planned
  shared_noise,        ///< every client draws the noise of client 0
  weak_count_noise,    ///< adaptive clipping: noise 1 % smaller on the number of norms below the threshold
  shared_count_noise,  ///< adaptive clipping: every client draws the noise of client 0 on that number
  noiseless_count,     ///< adaptive clipping: the norm follows the exact number, to which noise was drawn but not added
  stuck_norm,          ///< adaptive clipping: the norm stays that of the first round
  unclipped,           ///< the first record of a batch is not clipped
  drawn_twice,         ///< a round's first participant trains twice
  reused_batch,        ///< shuffled batches: all steps of a pass use its first batch
  ignored_filter,      ///< noise that follows errors: the rounds go on after the filter has had enough
  shifted_schedule,    ///< every round takes the next round's noise
};

}  // namespace dpbudget::fl

namespace dpbudget {

template <>
struct Names<fl::Fault> {
  static constexpr NameTable<fl::Fault, 12> all{{{fl::Fault::none, "none"},
                                                 {fl::Fault::weak_noise, "weak_noise"},
                                                 {fl::Fault::shared_noise, "shared_noise"},
                                                 {fl::Fault::weak_count_noise, "weak_count_noise"},
                                                 {fl::Fault::shared_count_noise, "shared_count_noise"},
                                                 {fl::Fault::noiseless_count, "noiseless_count"},
                                                 {fl::Fault::stuck_norm, "stuck_norm"},
                                                 {fl::Fault::unclipped, "unclipped"},
                                                 {fl::Fault::drawn_twice, "drawn_twice"},
                                                 {fl::Fault::reused_batch, "reused_batch"},
                                                 {fl::Fault::ignored_filter, "ignored_filter"},
                                                 {fl::Fault::shifted_schedule, "shifted_schedule"}}};
};

}  // namespace dpbudget
