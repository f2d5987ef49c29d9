#include "dpbudget/fl/files/growing_file.h"

#include <ios>
#include <system_error>
#include <utility>

namespace dpbudget {
namespace {

namespace fs = std::filesystem;

}  // namespace

GrowingFile::GrowingFile(fs::path file) : path_(std::move(file)) {}

void GrowingFile::begin() { open(std::ios::trunc); }

void GrowingFile::go_on() { open(std::ios::app); }

void GrowingFile::open(std::ios::openmode mode) {
  out_.close();
  out_.clear();
  out_.open(path_, std::ios::binary | mode);
  std::error_code no_size;  // of a device
  size_ = fs::file_size(path_, no_size);
}

bool GrowingFile::append(std::string_view piece) {
  out_ << piece << std::flush;
  if (out_) {
    size_ += piece.size();
    return true;
  }
  out_.close();
  std::error_code failure;
  if (!fs::is_regular_file(path_, failure)) return false;
  if (size_ == 0)
    fs::remove(path_, failure);
  else
    fs::resize_file(path_, size_, failure);
  return false;
}

}  // namespace dpbudget
