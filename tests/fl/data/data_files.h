/// @file
/// Small files in a folder of the test's own, removed at its end.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>
#include <zlib.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace dpbudget::fl {

class DataFiles : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path plain(const std::string& name, const std::string& bytes) const {
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
    return folder_ / name;
  }

  std::filesystem::path gzipped(const std::string& name, const std::string& bytes) const {
    const gzFile file = gzopen((folder_ / name).c_str(), "wb");
    gzwrite(file, bytes.data(), static_cast<unsigned>(bytes.size()));
    gzclose(file);
    return folder_ / name;
  }

  static std::string contents(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  const std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("dpbudget_data_" + std::to_string(::getpid()) + "_" +
                                                testing::UnitTest::GetInstance()->current_test_info()->name());
};

/// A file of the shared folder; empty where that is absent.
inline std::filesystem::path shared_data(const std::string& name) {
  const std::filesystem::path path = std::filesystem::path(DPBUDGET_SHARED_DIR) / "data" / name;
  return std::filesystem::exists(path) ? path : std::filesystem::path();
}

}  // namespace dpbudget::fl
