#include "dpbudget/fl/data/mat_file.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "dpbudget/fl/data/byte_file.h"

namespace dpbudget::fl {
namespace {

using Bytes = ByteFile::Bytes;
using ByteSpan = std::span<const std::uint8_t>;

// Data types of the format that numbers are stored as.
enum Type : std::uint32_t {
  int8 = 1,
  uint8 = 2,
  int16 = 3,
  uint16 = 4,
  int32 = 5,
  uint32 = 6,
  single = 7,
  real = 9,
  matrix = 14,
  compressed = 15,
};

constexpr std::size_t header_size = 128;
constexpr std::size_t tag_size = 8;
constexpr std::size_t inflated_piece = 1 << 20;
constexpr std::uint32_t most_dimensions = 16;

template <class Number>
Number number_at(ByteSpan bytes, std::size_t index) {
  Number number;
  std::memcpy(&number, bytes.data() + index * sizeof(Number), sizeof(Number));
  return number;
}

struct Element {
  std::uint32_t type;
  ByteSpan data;
};

// The parts of a matrix, one after the other.
class Parts {
 public:
  Parts(const ByteFile& file, ByteSpan bytes) : file_(file), rest_(bytes) {}

  // A tag of eight bytes and what it announces, filled up to eight; or both in eight bytes.
  Element next() {
    const ByteSpan tag = take(tag_size);
    const auto first = number_at<std::uint32_t>(tag, 0);
    if (const std::uint32_t small = first >> 16U; small != 0) {
      if (small > 4) file_.fail("has a small element of more than 4 bytes");
      return {first & 0xffffU, tag.subspan(4, small)};
    }
    const auto size = number_at<std::uint32_t>(tag, 1);
    const ByteSpan data = take(size);
    take(std::min<std::size_t>(rest_.size(), (tag_size - size % tag_size) % tag_size));
    return {first, data};
  }

  Element next(std::uint32_t type, std::string_view what) {
    const Element element = next();
    if (element.type != type) file_.fail(fmt::format("has a variable without {}", what));
    return element;
  }

 private:
  ByteSpan take(std::size_t count) {
    if (count > rest_.size())
      file_.fail(fmt::format("is damaged: {} bytes of a variable are missing", count - rest_.size()));
    const ByteSpan taken = rest_.first(count);
    rest_ = rest_.subspan(count);
    return taken;
  }

  const ByteFile& file_;
  ByteSpan rest_;
};

template <class Number>
std::vector<double> numbers_of(ByteSpan data) {
  std::vector<double> numbers(data.size() / sizeof(Number));
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<double>(number_at<Number>(data, i));
  return numbers;
}

std::optional<std::vector<double>> numbers_of(const Element& element) {
  switch (element.type) {
    case int8:
      return numbers_of<std::int8_t>(element.data);
    case int16:
      return numbers_of<std::int16_t>(element.data);
    case uint16:
      return numbers_of<std::uint16_t>(element.data);
    case int32:
      return numbers_of<std::int32_t>(element.data);
    case uint32:
      return numbers_of<std::uint32_t>(element.data);
    case single:
      return numbers_of<float>(element.data);
    case real:
      return numbers_of<double>(element.data);
    default:
      return std::nullopt;
  }
}

void add_matrix(const ByteFile& file, ByteSpan bytes, MatFile& found) {
  Parts parts(file, bytes);
  const Element flags = parts.next(uint32, "array flags");
  if (flags.data.size() != 8) file.fail("has a variable without array flags");
  const auto word = number_at<std::uint32_t>(flags.data, 0);
  constexpr std::uint32_t is_complex = 0x800;
  constexpr std::uint32_t first_of_numbers = 6;  // double, and those up to
  constexpr std::uint32_t last_of_numbers = 15;  // 64 bits
  const std::uint32_t kind = word & 0xffU;
  if (kind < first_of_numbers || kind > last_of_numbers || (word & is_complex) != 0)
    file.fail("has a variable that is no full, real array of numbers");
  const Element sizes = parts.next(int32, "dimensions");
  std::vector<std::uint64_t> dimensions;
  std::uint64_t all = 1;
  for (std::size_t i = 0; i < sizes.data.size() / sizeof(std::int32_t); ++i) {
    const auto size = number_at<std::int32_t>(sizes.data, i);
    if (size < 0 || dimensions.size() >= most_dimensions) file.fail("has a variable of impossible dimensions");
    dimensions.push_back(static_cast<std::uint64_t>(size));
    // More than a tag can announce is as good as any more.
    all = std::min<std::uint64_t>(all * dimensions.back(), std::uint64_t{1} << 33U);
  }
  if (dimensions.size() < 2) file.fail("has a variable of fewer than 2 dimensions");
  const Element name = parts.next(int8, "a name");
  const std::string called(name.data.begin(), name.data.end());
  const Element values = parts.next();
  const auto require_all = [&](std::size_t count) {
    if (count != all) file.fail(fmt::format("`{}` holds {} numbers where its dimensions say {}", called, count, all));
  };
  if (values.type == uint8) {
    require_all(values.data.size());
    found.byte_arrays.push_back({called, std::move(dimensions), Bytes(values.data.begin(), values.data.end())});
    return;
  }
  auto numbers = numbers_of(values);
  if (!numbers) file.fail(fmt::format("`{}` is stored as type {}, which is no number", called, values.type));
  require_all(numbers->size());
  found.arrays.push_back({called, std::move(dimensions), *std::move(numbers)});
}

// A matrix with its tag, as long as the tag says.
Bytes inflated(const ByteFile& file, Bytes given) {
  z_stream stream{};
  if (inflateInit(&stream) != Z_OK) file.fail("cannot be decompressed");
  const std::unique_ptr<z_stream, decltype(&inflateEnd)> end(&stream, inflateEnd);
  stream.next_in = given.data();
  stream.avail_in = static_cast<unsigned>(given.size());
  Bytes bytes;
  for (int code = Z_OK; code != Z_STREAM_END;) {
    const std::size_t before = bytes.size();
    bytes.resize(before + inflated_piece);
    stream.next_out = bytes.data() + before;
    stream.avail_out = static_cast<unsigned>(inflated_piece);
    code = inflate(&stream, Z_NO_FLUSH);
    bytes.resize(bytes.size() - stream.avail_out);
    const bool is_stuck = bytes.size() == before && code != Z_STREAM_END;
    if ((code != Z_OK && code != Z_STREAM_END) || is_stuck) file.fail("is damaged: a variable cannot be decompressed");
    if (bytes.size() >= tag_size && bytes.size() - tag_size > number_at<std::uint32_t>(bytes, 1))
      file.fail("is damaged: a variable is longer than it says");
  }
  return bytes;
}

void require_header(const ByteFile& file, const Bytes& header) {
  const auto text = std::string_view(reinterpret_cast<const char*>(header.data()), header_size);
  if (!text.starts_with("MATLAB")) file.fail("is no MAT-file: it does not begin with `MATLAB`");
  if (text.substr(126) == "MI") file.fail("has the byte order of other machines");
  if (text.substr(126) != "IM") file.fail("is no MAT-file: its byte order is not given");
  const auto version = number_at<std::uint16_t>(header, 124 / 2);
  if (version == 0x0200) file.fail("is a MAT-file of version 7.3, which is HDF5; save it with -v7");
  if (version != 0x0100) file.fail("is no MAT-file of version 5");
}

}  // namespace

MatFile read_mat(const std::filesystem::path& path) {
  static_assert(std::endian::native == std::endian::little, "numbers are copied as the file has them");
  ByteFile file(path);
  require_header(file, file.take(header_size));
  MatFile found;
  while (const std::optional<Bytes> tag = file.take_unless_at_end(tag_size)) {
    const auto type = number_at<std::uint32_t>(*tag, 0);
    const auto size = number_at<std::uint32_t>(*tag, 1);
    if (type != matrix && type != compressed) file.fail(fmt::format("has an element of type {}, no variable", type));
    Bytes data = file.take(size);
    if (type == matrix) {
      add_matrix(file, data, found);
      continue;
    }
    const Bytes whole = inflated(file, std::move(data));
    if (whole.size() < tag_size || number_at<std::uint32_t>(whole, 0) != matrix)
      file.fail("has a compressed element that is no variable");
    add_matrix(file, ByteSpan(whole).subspan(tag_size), found);
  }
  return found;
}

}  // namespace dpbudget::fl
