/// @file
/// The synthetic(alpha, beta) data: heterogeneous users whose models and inputs drift apart.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dpbudget/fl/data/dataset.h"
#include "dpbudget/mechanisms/random.h"

namespace dpbudget::fl {

/// How many records the users have.
enum class SyntheticSizes {
  equal,      ///< records_per_user each
  power_law,  ///< 50 + floor(exp(N(4, 2^2))) each, whatever records_per_user is
};

/// Parameters of synthetic(alpha, beta); the defaults are Noble et al.'s sizes.
struct Synthetic {
  double alpha = 0;                       ///< variance of the users' model means; finite, not negative
  double beta = 0;                        ///< variance of the users' input means; finite, not negative
  std::uint64_t users = 100;              ///< at least 1
  std::uint64_t records_per_user = 5000;  ///< in [2, 2^32) and, times users, below 2^32; floor(4/5) of them train
  std::uint64_t seed = 0;
  SyntheticSizes sizes = SyntheticSizes::equal;
  bool is_iid = false;  ///< Synthetic-IID: one model for all users and inputs of mean 0; alpha and beta are then 0
};

inline constexpr int synthetic_features = 40;
inline constexpr int synthetic_classes = 10;
inline constexpr double synthetic_label_noise = 0.05;

/// A user's ground truth.
struct SyntheticUser {
  Matrix weights;                 ///< classes x features
  Eigen::RowVectorXd bias;        ///< one per class
  Eigen::RowVectorXd input_mean;  ///< one per feature
};

/// User `user` has weights W ~ N(u, 1) per entry with u ~ N(0, alpha) per entry, bias b ~ N(u', 1) with u' ~ N(0,
/// alpha) per entry, and input mean v ~ N(B, 1) with B ~ N(0, beta) per coordinate. It depends on (seed, user, alpha,
/// beta) alone.
///
/// Every user draws its own u, u' and B. The text draws them per entry, where Li et al. 2020 draw one number per user;
/// the text is followed. Its nu is beta. In both, alpha leaves the law of the true labels as it is (here it scales all
/// logits of a user, there it shifts them alike, and argmax sees neither): users differ because their models are
/// independent, and the more in their inputs the larger beta is.
///
/// Of Synthetic-IID every user is user 0 with alpha = 0 and v = 0.
///
/// @throws InvalidArgument naming alpha or beta
/// @source Noble, Bellet, Dieuleveut 2022, appendix D.2; for Synthetic-IID Li et al. 2020 (FedProx)
SyntheticUser synthetic_user(const Synthetic& parameters, std::uint64_t user);

/// Records of user i are x ~ N(v, diag(j^-1.2)), j = 1..40, labelled argmax softmax(W x + b) of its synthetic_user;
/// then each label is changed, with probability 0.05, to one of the nine others, uniformly (the text only says
/// "changed"). The first floor(4/5) of a user's records, which are i.i.d., are its training records; the rest go to the
/// common test set. More users leave the first users' records as they are.
///
/// Chen et al. let the sizes obey "a power law", in the setting of Li et al. 2020 ("On the convergence of FedAvg on
/// non-iid data"), and no paper gives its exponent. What the published generators of that work and of FedProx draw is
/// the lognormal law of SyntheticSizes::power_law: median 104, mean 453, a quarter of the users with more than 260. It
/// is followed here.
///
/// @throws InvalidArgument naming alpha, beta, users or records_per_user; users also when sizes that are drawn add up
/// to 2^32 or more
/// @source Noble, Bellet, Dieuleveut 2022, appendix D.2; after Li et al. 2020 (FedProx); Chen et al. 2024, section VII
FederatedData synthetic(const Synthetic& parameters);

/// How many records users have.
struct SyntheticCounts {
  std::vector<std::uint64_t> train;
  std::vector<std::uint64_t> test;
};

/// @throws InvalidArgument as synthetic(parameters)
SyntheticCounts synthetic_counts(const Synthetic& parameters);

/// What synthetic(parameters) is, in a line.
/// @param counts  of all users
std::string describe(const Synthetic& parameters, const SyntheticCounts& counts);

/// As many empty records as there are to be drawn.
Dataset synthetic_form(std::uint64_t records);

/// The records of one user, who costs nothing to others: the same whether they are drawn all at once or alone.
class SyntheticRecords {
 public:
  /// @param parameters  as synthetic takes them
  /// @param user        one of them
  SyntheticRecords(const Synthetic& parameters, std::uint64_t user);

  /// Draws the user's next records, those that train before those that test, into rows [first, first + count) of
  /// `dataset`.
  void draw(Dataset& dataset, std::uint64_t first, std::uint64_t count);

 private:
  SyntheticUser user_;
  mechanisms::Stream inputs_;
  mechanisms::Stream label_noise_;
};

}  // namespace dpbudget::fl
