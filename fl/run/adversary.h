/// @file
/// Who may look at a run, and what is known about what they learn.
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "dpbudget/accounting/base/bound.h"
#include "dpbudget/accounting/base/names.h"
#include "dpbudget/accounting/plan/plan.h"

namespace dpbudget::fl {

/// Who looks at a run.
enum class Adversary {
  third_party,    ///< sees every global model; one record is protected
  server,         ///< sees every message and who was sampled; one record is protected
  one_client,     ///< sees every global model and what it sent itself; a record of another client is protected
  other_clients,  ///< all but one pool what they see; a record of that one is protected
  user_level,     ///< sees what the server sees; everything that one user holds is protected
};
inline constexpr std::array all_adversaries = {Adversary::third_party, Adversary::server, Adversary::one_client,
                                               Adversary::other_clients, Adversary::user_level};

/// Whether what a round costs against `other` is no more than what it costs against `adversary`: its noise counts for
/// more, or less of what it sees is protected.
/// @source fl/account/proofs.md, 12.3
constexpr bool is_covered_by(Adversary other, Adversary adversary) {
  constexpr std::array ascending = {Adversary::third_party, Adversary::one_client, Adversary::other_clients,
                                    Adversary::server, Adversary::user_level};
  const auto rank = [&](Adversary who) { return std::ranges::find(ascending, who) - ascending.begin(); };
  return rank(other) <= rank(adversary);
}

/// `published`: what the algorithm's paper claims. `proven`: what a theorem whose preconditions hold gives.
enum class Basis { published, proven };
inline constexpr std::array all_bases = {Basis::published, Basis::proven};

/// What a whole run releases about one client, as one adversary sees it.
struct AdversaryPlan {
  Plan plan;                       ///< adjacency replace_one; its unit is a whole client for Adversary::user_level
  Guarantee guarantee;             ///< whether the plan is proven to describe the adversary's view
  std::string source;              ///< the statement that the plan rests on
  std::vector<std::string> notes;  ///< what a reader must know besides, the gaps of a published claim above all
};

}  // namespace dpbudget::fl

namespace dpbudget {

template <>
struct Names<fl::Adversary> {
  static constexpr NameTable<fl::Adversary, 5> all{{{fl::Adversary::third_party, "third_party"},
                                                    {fl::Adversary::server, "server"},
                                                    {fl::Adversary::one_client, "one_client"},
                                                    {fl::Adversary::other_clients, "other_clients"},
                                                    {fl::Adversary::user_level, "user_level"}}};
};

template <>
struct Names<fl::Basis> {
  static constexpr NameTable<fl::Basis, 2> all{{{fl::Basis::published, "published"}, {fl::Basis::proven, "proven"}}};
};

}  // namespace dpbudget
