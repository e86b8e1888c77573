// SPDX-License-Identifier: Apache-2.0
//
// What the decoder makes of activity buffers made by hand.
#ifndef PROF_TEST_CUPTI_BACKEND_ACTIVITY_ACTIVITY_BUFFER_H_
#define PROF_TEST_CUPTI_BACKEND_ACTIVITY_ACTIVITY_BUFFER_H_

#include "cupti_backend/activity/activity_decode.h"
#include "cupti_backend/api/cupti_api.h"
#include "lib/capture/collector/memory_output.h"
#include "lib/capture/wire/encoder.h"
#include "lib/snapshot/read/reader.h"
#include "test/support/activity_records.h"
#include "test/support/catch.h"

namespace prof::cupti::test {

// An api whose activity_get_next_record and get_callback_name need no CUPTI.
CuptiApi DecodingApi();

// A decoder with its encoder behind it.
struct Decoding {
  explicit Decoding(const CuptiApi& table) : api(table) { encoder.Add(capture::HeaderEvent{}); }

  void Decode(ActivityBuffer& buffer) { decoder.Decode(buffer.data(), buffer.size(), encoder); }
  // The end of the capture.
  model::Model Model() {
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
  capture::MemoryOutput output;
  capture::Encoder encoder{&output};
};

}  // namespace prof::cupti::test

#endif  // PROF_TEST_CUPTI_BACKEND_ACTIVITY_ACTIVITY_BUFFER_H_
