#include "dpbudget/fl/simulate/release.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

#include "dpbudget/accounting/base/require.h"
#include "dpbudget/fl/model/tensor_clipping.h"
#include "dpbudget/fl/round/passes.h"
#include "dpbudget/mechanisms/gaussian.h"
#include "dpbudget/mechanisms/random.h"
#include "dpbudget/mechanisms/sample.h"
#include "dpbudget/mechanisms/shuffler.h"

namespace dpbudget::fl {
namespace {

using mechanisms::Purpose;
using mechanisms::Stream;

// A client's records in a random order: that of pass `pass` of round `round`, from 1 each, or, of 0 and 0, the one in
// which disjoint batches use them, fixed for the run.
std::vector<std::uint32_t> order_of(const ClientData& data, std::uint64_t round, std::uint64_t pass) {
  std::vector<std::uint32_t> order(data.rows.begin(), data.rows.end());
  Stream stream({data.seed, Purpose::record_sampling, round, data.client, pass});
  mechanisms::shuffle(order, stream);
  return order;
}

// Divides by `divisor` and adds noise, piece by piece while it is near.
// @return the noise's sum of squares, measured on what leaves and not taken from what the mechanism says, so that the
// variance test has something to find
double add_measured_noise(Vector& value, double divisor, double noise_std, Stream& noise) {
  constexpr Eigen::Index piece = 1024;
  Eigen::Matrix<double, piece, 1> noiseless;
  double sum = 0;
  for (Eigen::Index first = 0; first < value.size(); first += piece) {
    const Eigen::Index length = std::min(piece, value.size() - first);
    auto part = value.segment(first, length);
    part /= divisor;
    noiseless.head(length) = part;
    mechanisms::add_gaussian_noise(part, noise_std, noise);
    sum += (part - noiseless.head(length)).squaredNorm();
  }
  return sum;
}

bool same_recipe(const ReleaseRun& a, const ReleaseRun& b) {
  return a.noise_std == b.noise_std && a.clip_norm == b.clip_norm && a.pass == b.pass &&
         (!a.first || *b.first == a.end());
}

}  // namespace

BatchRelease::BatchRelease(const ClientData& data, const BatchRecipe& recipe, ReleaseWorkspace& workspace, Fault fault)
    : data_(data), recipe_(recipe), workspace_(workspace), fault_(fault) {
  require(1 <= recipe.sample && recipe.sample <= data.rows.size(), "sample", recipe.sample,
          "in [1, records of the client]");
  const bool has_noise = traits_of(recipe.mechanism).adds_noise;
  require(0 < recipe.clip_norm && std::isfinite(recipe.clip_norm) == has_noise, "clip", recipe.clip_norm,
          "positive, and finite if and only if there is noise");
  for (const double multiplier : recipe.noise_multipliers)
    require(has_noise && 0 < multiplier && std::isfinite(multiplier), "noise", multiplier, "positive and finite");
  if (!workspace_.model) workspace_.model = data.model.workspace();
}

const Vector& BatchRelease::gradient(const Vector& parameters) {
  ++step_;
  const bool takes_multiplier = traits_of(recipe_.mechanism).takes_multipliers;
  require(!takes_multiplier || step_ <= recipe_.noise_multipliers.size(), "steps", step_, "those that were planned");
  const double multiplier = takes_multiplier ? recipe_.noise_multipliers[step_ - 1] : 0;

  ReleaseRun done;
  done.count = 1;
  done.mechanism = mechanism_name(recipe_);
  take_batch(done);
  done.clip_norm = threshold(parameters);
  done.coordinates = static_cast<std::uint64_t>(data_.model.dimension());
  workspace_.gradient.resize(data_.model.dimension());
  switch (recipe_.mechanism) {
    case Mechanism::none:
    case Mechanism::gaussian:
      sum_gradients(parameters, workspace_.batch, done);
      if (recipe_.mechanism == Mechanism::gaussian)
        add_noise(multiplier, done);
      else
        workspace_.gradient /= static_cast<double>(done.sample);
      break;
    case Mechanism::shuffled_gaussian:
      add_noise_to_each(parameters, multiplier, done);
      break;
    case Mechanism::shuffled_binomial:
      encode_each(parameters, done);
      break;
  }
  if (recipe_.count_noise) {
    workspace_.norms.resize(workspace_.batch.size());
    data_.model.gradient_norms(parameters, data_.train, workspace_.batch, *workspace_.model, workspace_.norms);
    count_below(done);
  }
  record(done);
  return workspace_.gradient;
}

void BatchRelease::take_batch(ReleaseRun& done) {
  done.population = data_.rows.size();
  done.sample = recipe_.sample;
  done.scheme = scheme_name(recipe_.batches);
  if (recipe_.batches == Batches::disjoint) {
    const std::uint64_t first = (recipe_.first_batch + step_ - 1) * recipe_.sample;
    require(first + recipe_.sample <= data_.rows.size(), "steps", step_, "as many as there are disjoint batches");
    take_from_order(order_of(data_, 0, 0), first, done);
    return;
  }
  if (recipe_.batches == Batches::shuffled) {
    const Place place = Passes(data_.rows.size(), recipe_.sample).place(step_);
    if (place.first == 0) order_ = order_of(data_, data_.round, place.pass);
    done.pass = place.pass;
    take_from_order(order_, fault_ == Fault::reused_batch ? 0 : place.first, done);
    return;
  }
  Stream sampling({data_.seed, Purpose::record_sampling, data_.round, data_.client, step_});
  const auto take = [&](const auto& sample) {
    workspace_.batch.clear();
    for (const std::uint32_t index : sample.indices) workspace_.batch.push_back(data_.rows[index]);
  };
  if (recipe_.batches == Batches::with_replacement)
    take(mechanisms::sample_with_replacement(data_.rows.size(), recipe_.sample, sampling));
  else
    take(mechanisms::sample_without_replacement(data_.rows.size(), recipe_.sample, sampling));
}

void BatchRelease::take_from_order(const std::vector<std::uint32_t>& order, std::uint64_t first, ReleaseRun& done) {
  const auto begin = order.begin() + static_cast<std::ptrdiff_t>(first);
  workspace_.batch.assign(begin, begin + static_cast<std::ptrdiff_t>(done.sample));
  done.first = first;
}

// The norm that this step clips to.
double BatchRelease::threshold(const Vector& parameters) {
  if (!std::holds_alternative<MedianClipping>(recipe_.clipping)) return recipe_.clip_norm;
  std::vector<double>& norms = workspace_.norms;
  norms.resize(workspace_.batch.size());
  data_.model.gradient_norms(parameters, data_.train, workspace_.batch, *workspace_.model, norms);
  const auto middle = norms.begin() + static_cast<std::ptrdiff_t>(norms.size() / 2);
  std::ranges::nth_element(norms, middle);
  // A median of zero would clip everything to nothing, and leave no noise to hide it in.
  return *middle > 0 ? *middle : recipe_.clip_norm;
}

// The clipped gradients of `rows`, summed, and how large they were.
void BatchRelease::sum_gradients(const Vector& parameters, std::span<const std::uint32_t> rows, ReleaseRun& done) {
  const auto sum = [&](std::span<const std::uint32_t> some, double clip_norm, Vector& out) {
    const bool is_per_tensor = std::holds_alternative<PerTensorClipping>(recipe_.clipping) && std::isfinite(clip_norm);
    const Norms norms =
        is_per_tensor
            ? tensor_clipped_gradient_sum(data_.model, parameters, data_.train, some, clip_norm, *workspace_.model, out)
            : data_.model.clipped_gradient_sum(parameters, data_.train, some, clip_norm, *workspace_.model, out);
    done.largest_norm = std::max(done.largest_norm, norms.largest);
    done.largest_released = std::max(done.largest_released, norms.largest_clipped);
  };
  sum(rows, done.clip_norm, workspace_.gradient);
  if (fault_ != Fault::unclipped) return;
  Vector first(workspace_.gradient.size());
  sum(rows.first(1), std::numeric_limits<double>::infinity(), first);
  workspace_.gradient += first;
  sum(rows.first(1), done.clip_norm, first);
  workspace_.gradient -= first;
}

// The client's own, unless the mistake is to share it.
Stream BatchRelease::stream_of(Purpose purpose, Fault shared) const {
  const std::uint64_t client = fault_ == shared ? 0 : data_.client;
  return Stream({data_.seed, purpose, data_.round, client, step_});
}

Stream BatchRelease::noise_stream() const { return stream_of(Purpose::noise, Fault::shared_noise); }

void BatchRelease::add_noise(double multiplier, ReleaseRun& done) {
  Stream noise = noise_stream();
  done.noise_std = workspace_.gaussian_stds(multiplier, done.clip_norm, recipe_.divisor);
  done.noise_sum_of_squares =
      add_measured_noise(workspace_.gradient, static_cast<double>(done.sample), noise_added(done), noise);
}

double BatchRelease::noise_added(const ReleaseRun& done) const {
  return done.noise_std * (fault_ == Fault::weak_noise ? 0.99 : 1);
}

// Every record's gradient is a report of its own. The shuffler forgets whose it is, and the sum does not know.
void BatchRelease::add_noise_to_each(const Vector& parameters, double multiplier, ReleaseRun& done) {
  done.noise_std = workspace_.gaussian_stds(multiplier, done.clip_norm, 1);
  Vector sum = Vector::Zero(data_.model.dimension());
  Vector& report = workspace_.gradient;
  Stream noise = noise_stream();
  for (const std::uint32_t row : workspace_.batch) {
    sum_gradients(parameters, std::span(&row, 1), done);
    done.noise_sum_of_squares += add_measured_noise(report, 1, noise_added(done), noise);
    sum += report;
  }
  workspace_.gradient = sum / static_cast<double>(done.sample);
}

// Every coordinate of every record's gradient becomes bits; what the analyser makes of a client's share of them is its
// part of the sum, because decoding is affine.
void BatchRelease::encode_each(const Vector& parameters, ReleaseRun& done) {
  const mechanisms::BinomialEncoder& encoder = recipe_.encoder.value();
  done.encoder = encoder;
  mechanisms::BinomialEncoder sent = encoder;
  if (fault_ == Fault::weak_noise)  // the standard deviation goes with the root of the bits
    sent.noise_bits = std::max<std::uint64_t>(1, encoder.noise_bits * 9801 / 10000);
  const auto dimension = static_cast<std::size_t>(data_.model.dimension());
  std::vector<mechanisms::Bits> bits(dimension);
  std::vector<std::uint64_t> own(dimension);  // the ones that are no noise
  Vector& report = workspace_.gradient;
  Stream noise = noise_stream();
  Stream rounding({data_.seed, Purpose::rounding, data_.round, data_.client, step_});
  for (const std::uint32_t row : workspace_.batch) {
    sum_gradients(parameters, std::span(&row, 1), done);
    // Clipping may overshoot the interval by a rounding error.
    report = report.cwiseMax(encoder.lower).cwiseMin(encoder.upper);
    Stream same_rounding = rounding;
    const std::vector<std::uint64_t> rounded = mechanisms::rounded(report, encoder, same_rounding);
    const std::vector<mechanisms::Bits> encoded = mechanisms::encode(report, sent, rounding, noise);
    for (std::size_t j = 0; j < dimension; ++j) {
      bits[j] += {encoded[j].ones, encoder.granularity + encoder.noise_bits};
      own[j] += rounded[j];
    }
  }
  Vector& mean = workspace_.gradient;
  for (std::size_t j = 0; j < dimension; ++j) {
    mean(static_cast<Eigen::Index>(j)) = mechanisms::decode(bits[j], encoder);
    // Measured on the bits that leave, as with Gaussian noise.
    const double found = mechanisms::noise_of(bits[j].ones - own[j], done.sample, encoder);
    done.noise_sum_of_squares += found * found;
  }
  done.noise_std = std::sqrt(static_cast<double>(done.sample) * mechanisms::report_variance(encoder.lower, encoder));
  mean /= static_cast<double>(done.sample);
}

// Replacing a record changes the number below the threshold by at most one.
void BatchRelease::count_below(ReleaseRun& done) {
  const auto below =
      static_cast<double>(std::ranges::count_if(workspace_.norms, [&](double norm) { return norm <= done.clip_norm; }));
  done.count_noise = recipe_.count_noise;
  Vector noisy{{below}};
  Stream noise = stream_of(Purpose::clipping, Fault::shared_count_noise);
  mechanisms::add_gaussian_noise(noisy, *done.count_noise * (fault_ == Fault::weak_count_noise ? 0.99 : 1), noise);
  done.count_noise_sum_of_squares = (noisy(0) - below) * (noisy(0) - below);
  done.count_below = fault_ == Fault::noiseless_count ? below : noisy(0);
}

void BatchRelease::record(const ReleaseRun& release) {
  if (releases_.empty() || !same_recipe(releases_.back(), release)) {
    releases_.push_back(release);
    return;
  }
  ReleaseRun& run = releases_.back();
  run.count += release.count;
  run.largest_norm = std::max(run.largest_norm, release.largest_norm);
  run.largest_released = std::max(run.largest_released, release.largest_released);
  run.noise_sum_of_squares += release.noise_sum_of_squares;
  run.count_below += release.count_below;
  run.count_noise_sum_of_squares += release.count_noise_sum_of_squares;
}

}  // namespace dpbudget::fl
