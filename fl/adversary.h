/// @file
/// Who may look at a run, and what is known about what they learn.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dpbudget/accounting/bound.h"
#include "dpbudget/accounting/plan/plan.h"

namespace dpbudget::fl {

enum class Adversary {
  third_party,  ///< sees every global model; one record is protected
  server,       ///< sees every message and who was sampled; one record is protected
  user_level,   ///< sees what the server sees; everything that one user holds is protected
};
inline constexpr std::array all_adversaries = {Adversary::third_party, Adversary::server, Adversary::user_level};

/// `published`: what the algorithm's paper claims. `proven`: what a theorem whose preconditions hold gives.
enum class Basis { published, proven };
inline constexpr std::array all_bases = {Basis::published, Basis::proven};

constexpr std::string_view to_string(Adversary adversary) {
  switch (adversary) {
    case Adversary::third_party:
      return "third_party";
    case Adversary::server:
      return "server";
    case Adversary::user_level:
      return "user_level";
  }
  return "";
}

constexpr std::string_view to_string(Basis basis) { return basis == Basis::published ? "published" : "proven"; }

/// @return nothing when `name` is not the name of an adversary
constexpr std::optional<Adversary> adversary_named(std::string_view name) {
  for (const Adversary adversary : all_adversaries)
    if (to_string(adversary) == name) return adversary;
  return std::nullopt;
}

/// @return nothing when `name` is not the name of a basis
constexpr std::optional<Basis> basis_named(std::string_view name) {
  for (const Basis basis : all_bases)
    if (to_string(basis) == name) return basis;
  return std::nullopt;
}

/// How many clients there are, and how many records the client under protection holds.
struct Sizes {
  std::uint64_t clients;
  std::uint64_t records;
};

/// What a whole run releases about one client, as one adversary sees it.
struct AdversaryPlan {
  Plan plan;                       ///< adjacency replace_one; its unit is a whole client for Adversary::user_level
  Guarantee guarantee;             ///< whether the plan is proven to describe the adversary's view
  std::string source;              ///< the statement that the plan rests on
  std::vector<std::string> notes;  ///< what a reader must know besides, the gaps of a published claim above all
};

}  // namespace dpbudget::fl
