// SPDX-License-Identifier: Apache-2.0
//
// Activity buffers made by hand, and what the decoder makes of them.
#ifndef PROF_TEST_CUPTI_ACTIVITY_BUFFER_H_
#define PROF_TEST_CUPTI_ACTIVITY_BUFFER_H_

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "cupti_backend/activity_decode.h"
#include "cupti_backend/cupti_api.h"
#include "lib/capture/output.h"
#include "lib/snapshot/reader.h"
#include "test/support/catch.h"

namespace prof::cupti::test {

// Records one after another, as CUPTI packs them.
class ActivityBuffer {
 public:
  template <typename Record>
  void Add(const Record& record) {
    const size_t at = bytes_.size();
    bytes_.resize(at + sizeof(record));
    std::memcpy(&bytes_[at], &record, sizeof(record));
  }
  uint8_t* data() { return bytes_.data(); }
  size_t size() const { return bytes_.size(); }

 private:
  std::vector<uint8_t> bytes_;
};

// A record with its kind set and everything else zero.
template <typename Record>
Record Zeroed(CUpti_ActivityKind kind) {
  Record record;
  std::memset(&record, 0, sizeof(record));
  record.kind = kind;
  return record;
}

// An api whose activity_get_next_record and get_callback_name need no CUPTI.
CuptiApi DecodingApi();

// A decoder with its encoder behind it.
struct Decoding {
  explicit Decoding(const CuptiApi& table) : api(table) { encoder.Add(capture::HeaderEvent{}); }

  void Decode(ActivityBuffer& buffer) { decoder.Decode(buffer.data(), buffer.size(), encoder); }
  // The end of the capture.
  model::Model Model() {
    decoder.Flush(encoder);
    Integrity integrity;
    encoder.AddCounts(integrity);
    encoder.WriteLastBlock(integrity, 1);
    absl::StatusOr<model::Model> model = ReadSnapshot(output.TakeBytes());
    INFO(model.status());
    REQUIRE(model.ok());
    CHECK(model->truncation.empty());
    return *std::move(model);
  }

  const CuptiApi api;
  ActivityDecoder decoder{&api};
  capture::Output output{""};
  capture::Encoder encoder{&output};
};

}  // namespace prof::cupti::test

#endif  // PROF_TEST_CUPTI_ACTIVITY_BUFFER_H_
