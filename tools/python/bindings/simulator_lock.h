/// @file
/// Who may use the simulator inside this process.
#pragma once

#include <mutex>

namespace dpbudget::python {

/// One at a time: algorithms may not be added while one runs, and a run's output goes where the process's would. To be
/// taken without the interpreter's lock, which a run takes and gives up again.
std::mutex& simulator_lock();

}  // namespace dpbudget::python
