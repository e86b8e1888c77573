// SPDX-License-Identifier: Apache-2.0
#include "lib/export/base/deflate.h"

#include <zlib.h>

#include <limits>
#include <new>

namespace prof::exporting {

std::string Deflate(std::string_view bytes, Envelope envelope, int level) {
  if (bytes.size() > std::numeric_limits<uInt>::max() / 2) throw std::bad_alloc();  // zlib's limit
  z_stream stream{};
  const int window = MAX_WBITS + (envelope == Envelope::kGzip ? 16 : 0);
  // zlib's default. With 9 its tables do not fit the cache: 1.4 times the time, for the same size.
  constexpr int kMemoryLevel = 8;
  if (deflateInit2(&stream, level, Z_DEFLATED, window, kMemoryLevel, Z_DEFAULT_STRATEGY) != Z_OK) {
    throw std::bad_alloc();
  }
  std::string out(deflateBound(&stream, bytes.size()), '\0');
  // zlib does not write to its input, but its declaration does not say so.
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  const int done = deflate(&stream, Z_FINISH);  // deflateBound() gave room for all of it
  out.resize(stream.total_out);
  deflateEnd(&stream);
  if (done != Z_STREAM_END) throw std::bad_alloc();
  return out;
}

}  // namespace prof::exporting
