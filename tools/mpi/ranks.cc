/// @file
/// Ranks by MPI, as a library of its own.
#include "dpbudget/fl/ranks/ranks.h"

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace {

// Counts of MPI are ints.
constexpr std::size_t most_at_once = std::size_t{1} << 30U;

// An error of MPI's ends all processes, and is told by MPI: no return value says more.
class MpiRanks final : public dpbudget::fl::Ranks {
 public:
  MpiRanks() {
    int provided = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &count_);
  }
  MpiRanks(const MpiRanks&) = delete;
  MpiRanks& operator=(const MpiRanks&) = delete;
  ~MpiRanks() override { MPI_Finalize(); }

  std::size_t rank() const override { return static_cast<std::size_t>(rank_); }
  std::size_t count() const override { return static_cast<std::size_t>(count_); }

  std::string from_first(const std::string& bytes) override {
    std::uint64_t size = bytes.size();
    MPI_Bcast(&size, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    std::string all = rank_ == 0 ? bytes : std::string(size, '\0');
    in_pieces(size,
              [&](std::size_t at, int length) { MPI_Bcast(all.data() + at, length, MPI_BYTE, 0, MPI_COMM_WORLD); });
    return all;
  }

  std::vector<std::string> to_first(const std::string& bytes) override {
    std::uint64_t size = bytes.size();
    std::vector<std::uint64_t> sizes(rank_ == 0 ? count() : 0);
    MPI_Gather(&size, 1, MPI_UINT64_T, sizes.data(), 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    if (rank_ != 0) {
      in_pieces(size, [&](std::size_t at, int length) {
        MPI_Send(bytes.data() + at, length, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
      });
      return {};
    }
    std::vector<std::string> all{bytes};
    for (int rank = 1; rank < count_; ++rank) {
      std::string& one = all.emplace_back(sizes[static_cast<std::size_t>(rank)], '\0');
      in_pieces(one.size(), [&](std::size_t at, int length) {
        MPI_Recv(one.data() + at, length, MPI_BYTE, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      });
    }
    return all;
  }

 private:
  template <class Task>
  static void in_pieces(std::size_t size, const Task& task) {
    for (std::size_t at = 0; at < size; at += most_at_once)
      task(at, static_cast<int>(std::min(most_at_once, size - at)));
  }

  int rank_ = 0;
  int count_ = 1;
};

}  // namespace

/// What the program looks up by name: those of this process, once.
extern "C" __attribute__((visibility("default"))) dpbudget::fl::Ranks* dpbudget_mpi_ranks() { return new MpiRanks(); }
