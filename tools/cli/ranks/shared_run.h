/// @file
/// What the processes that mpirun started do together.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "dpbudget/fl/data/client_source.h"
#include "dpbudget/fl/ranks/ranks.h"
#include "dpbudget/fl/run/run.h"

namespace dpbudget::tools {

/// A run and its clients, as every process finds them.
struct SeededRun {
  fl::SettledRun run;
  std::unique_ptr<const fl::ClientSource> clients;
};

/// On the first process: runs are shared as long as this lives. Then the others are told that there are no more.
class Leading {
 public:
  /// @param ranks  null where there are no others
  explicit Leading(fl::Ranks* ranks) : ranks_(ranks) {}
  Leading(const Leading&) = delete;
  Leading& operator=(const Leading&) = delete;
  ~Leading();

 private:
  fl::Ranks* ranks_;
};

/// On the first process: the others serve the run of this seed as long as this lives.
class SharedRun {
 public:
  /// @param ranks  null where there are no others
  SharedRun(fl::Ranks* ranks, std::uint64_t seed);
  SharedRun(const SharedRun&) = delete;
  SharedRun& operator=(const SharedRun&) = delete;
  ~SharedRun();

 private:
  fl::Ranks* ranks_;
};

/// On the first process: the others `look` at what it is going to look at.
/// @param ranks  null where there are no others
void have_looked_at(fl::Ranks* ranks);

/// On the others: serves every run that the first shares, until there are no more.
/// @param seeded  what is run with a seed; what it throws the first process is told
/// @param look    takes its part in what the first `have_looked_at`
void follow(fl::Ranks& ranks, const std::function<SeededRun(std::uint64_t seed)>& seeded,
            const std::function<void()>& look = {});

/// Does each process's part of what needs no more than its outcome.
/// @param ranks  null where there is one process alone
/// @param work   returns an exit status
/// @return the greatest status of all
/// @throws what `work` throws on the first process; of others it is told on standard error, once where it is the same
int together(fl::Ranks* ranks, const std::function<int()>& work);

/// Whether `own` is the same text on every process.
/// @param what  that it tells apart, in a message that names the rank where it is another
/// @return an exit status
int same_everywhere(fl::Ranks* ranks, const std::string& own, const std::string& what);

}  // namespace dpbudget::tools
