#include "dpbudget/fl/algorithms/algorithm.h"

#include <fmt/format.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <tuple>
#include <utility>

#include "dpbudget/fl/algorithms/catalogue.h"
#include "dpbudget/fl/algorithms/shared_options.h"
#include "dpbudget/tools/python/bindings/bindings.h"
#include "dpbudget/tools/python/bindings/simulator_lock.h"

namespace dpbudget::python {
namespace {

namespace nb = nanobind;

using Array = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

nb::object to_array(const fl::Vector& vector) {
  const auto size = static_cast<std::size_t>(vector.size());
  auto copy = std::make_unique<double[]>(size);
  std::copy_n(vector.data(), size, copy.get());
  const nb::capsule owner(copy.get(), [](void* numbers) noexcept { delete[] static_cast<double*>(numbers); });
  return nb::cast(nb::ndarray<nb::numpy, double, nb::ndim<1>>(copy.release(), {size}, owner));
}

fl::Vector to_vector(const Array& array) {
  return Eigen::Map<const fl::Vector>(array.data(), static_cast<Eigen::Index>(array.size()));
}

nb::list to_arrays(const std::vector<fl::Vector>& vectors) {
  nb::list all;
  for (const fl::Vector& vector : vectors) all.append(to_array(vector));
  return all;
}

// A client's Release, for as long as its callback runs.
class LentRelease {
 public:
  explicit LentRelease(fl::Release& release) : release_(&release) {}

  void take_back() { release_ = nullptr; }

  nb::object gradient(const Array& parameters) {
    if (release_ == nullptr) throw nb::value_error("a release is for the call of `client` that was handed it");
    const fl::Vector at = to_vector(parameters);
    const fl::Vector* gradient = nullptr;
    {
      const nb::gil_scoped_release released;
      gradient = &release_->gradient(at);
    }
    return to_array(*gradient);
  }

 private:
  fl::Release* release_;
};

class LentForCall {
 public:
  explicit LentForCall(fl::Release& release)
      : lent_(new LentRelease(release)), object_(nb::cast(lent_, nb::rv_policy::take_ownership)) {}
  LentForCall(const LentForCall&) = delete;
  LentForCall& operator=(const LentForCall&) = delete;
  ~LentForCall() { lent_->take_back(); }

  const nb::object& object() const { return object_; }

 private:
  LentRelease* lent_;
  nb::object object_;
};

nb::tuple told(const fl::Round& round) {
  nb::list step_sizes;
  if (!round.step_sizes.empty())
    for (std::uint64_t step = 0; step < round.run.local_steps(); ++step) step_sizes.append(round.step_size_of(step));
  return nb::make_tuple(round.number, round.step_size, round.dimension, round.sample, round.noise_std,
                        nb::tuple(step_sizes));
}

nb::tuple kept(const fl::ServerState& state) {
  return nb::make_tuple(to_array(state.model), to_array(state.control), to_arrays(state.memory));
}

// A step, and how it changes; there is no theorem that prescribes one.
struct StepOptions : fl::StepOption, fl::StepScheduleOptions {
  static auto options() {
    const auto schedule = fl::StepScheduleOptions::options();
    return std::tuple_cat(fl::StepOption::options(), std::tuple(std::get<0>(schedule), std::get<1>(schedule)));
  }
};

// An algorithm whose functions are Python's; dpbudget._algorithm hands them their arguments.
class InPython final : public fl::Algorithm {
 public:
  // @param calls  answers `client` and `server`; kept for as long as the process runs, as every algorithm is
  InPython(nb::object calls, bool takes_step) : calls_(calls.release()), takes_step_(takes_step) {}

  fl::OptionList options() const override { return takes_step_ ? fl::OptionList::of<StepOptions>() : fl::OptionList{}; }

  void client(const fl::Round& round, const fl::ServerState& server, fl::ClientState& state, fl::Release& release,
              fl::Update& update) const override {
    const nb::gil_scoped_acquire held;
    const LentForCall lent(release);
    const auto answer = nb::cast<nb::tuple>(calls_.attr("client")(
        told(round), kept(server), nb::make_tuple(to_array(state.control), to_array(state.model)), lent.object()));
    update.model = to_vector(nb::cast<Array>(answer[0]));
    update.control = to_vector(nb::cast<Array>(answer[1]));
    state.control = to_vector(nb::cast<Array>(answer[2]));
    state.model = to_vector(nb::cast<Array>(answer[3]));
  }

  void server(const fl::Round& round, std::span<const fl::Update> updates, fl::ServerState& state) const override {
    const nb::gil_scoped_acquire held;
    nb::list sent;
    for (const fl::Update& update : updates)
      sent.append(nb::make_tuple(to_array(update.model), to_array(update.control), update.weight, update.share));
    const auto answer = nb::cast<nb::tuple>(calls_.attr("server")(told(round), sent, kept(state)));
    state.model = to_vector(nb::cast<Array>(answer[0]));
    state.control = to_vector(nb::cast<Array>(answer[1]));
    state.memory.clear();
    for (const nb::handle vector : nb::cast<nb::list>(answer[2]))
      state.memory.push_back(to_vector(nb::cast<Array>(vector)));
  }

 private:
  nb::handle calls_;
  bool takes_step_;
};

}  // namespace

void add_algorithm(nb::module_& module) {
  nb::class_<LentRelease>(module, "Release",
                          "What an algorithm's client sees of its own records: clipped, and with noise added.")
      .def("gradient", &LentRelease::gradient, nb::arg("parameters"),
           nb::sig("def gradient(self, parameters: numpy.typing.NDArray[numpy.float64]) -> "
                   "numpy.typing.NDArray[numpy.float64]"),
           R"doc(The mean gradient of the loss over a fresh batch, at `parameters`, as it may leave the client.

parameters  a float64 array of shape (dimension,)

Returns a new array of that shape. Every use of it is post-processing.)doc");
  module.def(
      "add_algorithm",
      [](const std::string& name, nb::object calls, bool adds_noise, bool one_step, bool released_mean,
         bool takes_step) {
        fl::AlgorithmTraits traits;
        traits.name = name;
        traits.mechanism = adds_noise ? fl::Mechanism::gaussian : fl::Mechanism::none;
        traits.steps = one_step ? fl::Steps::one : fl::Steps::given;
        traits.released_mean = released_mean;
        auto algorithm = std::make_unique<InPython>(std::move(calls), takes_step);
        // What an algorithm refers to is meant to live until the end, and no leak.
        nb::set_leak_warnings(false);
        // A run that holds the lock may wait for the interpreter's.
        const nb::gil_scoped_release released;
        const std::scoped_lock lock(simulator_lock());
        fl::add_algorithm(std::move(traits), std::move(algorithm));
      },
      nb::arg("name"), nb::arg("calls"), nb::arg("adds_noise"), nb::arg("one_step"), nb::arg("released_mean"),
      nb::arg("takes_step"));
}

}  // namespace dpbudget::python
