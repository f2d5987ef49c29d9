/// @file
/// The threads of a simulation, and what each keeps for itself.
#pragma once

#include <tbb/enumerable_thread_specific.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <cstddef>
#include <optional>

#include "dpbudget/fl/data/dataset.h"
#include "dpbudget/fl/model/model.h"
#include "dpbudget/fl/model/single_features.h"
#include "dpbudget/fl/simulate/release.h"

namespace dpbudget::fl {

/// What a thread keeps for itself.
struct Worker {
  ReleaseWorkspace release;  ///< with a workspace of the model
  FederatedData records;     ///< of the client that it is busy with, where they are drawn
};

/// The threads, each with a workspace of its own.
class Workers {
 public:
  /// @param model    outlives this
  /// @param held     all training records, where they are held, else null; outlives this and stays as it is
  /// @param threads  at least 1
  Workers(const Model& model, const Dataset* held, unsigned threads)
      : model_(model),
        control_(tbb::global_control::max_allowed_parallelism, threads),
        arena_(static_cast<int>(threads)) {
    // Rounding takes a share of a step's time where few multiply-adds follow on each feature.
    constexpr Eigen::Index few_parameters = 64;
    const bool is_small = held != nullptr && model.dimension() <= few_parameters * held->features.cols();
    if (is_small && model.precision() == Precision::single_) single_features_.emplace(*held);
  }

  /// That of the thread that asks.
  Worker& local() {
    Worker& worker = workers_.local();
    if (!worker.release.model) {
      worker.release.model = model_.workspace();
      if (single_features_) worker.release.model->single_features = &*single_features_;
    }
    return worker;
  }

  /// Calls task(index, worker) for every index below `count`, on any of the threads.
  template <class Task>
  void for_each(std::size_t count, const Task& task) {
    arena_.execute([&] { tbb::parallel_for(std::size_t{0}, count, [&](std::size_t index) { task(index, local()); }); });
  }

 private:
  const Model& model_;
  std::optional<SingleFeatures> single_features_;
  tbb::global_control control_;
  tbb::task_arena arena_;
  tbb::enumerable_thread_specific<Worker> workers_;
};

}  // namespace dpbudget::fl
