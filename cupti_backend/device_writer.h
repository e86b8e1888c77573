// SPDX-License-Identifier: Apache-2.0
//
// The device writer writes the devices into the snapshot: once what they are, with the ceilings
// that a calibration left on this machine, and again whenever a new peak was measured. A later
// entry replaces an earlier one.
#ifndef PROF_CUPTI_BACKEND_DEVICE_WRITER_H_
#define PROF_CUPTI_BACKEND_DEVICE_WRITER_H_

#include <string>
#include <utility>
#include <vector>

#include "cupti_backend/api/cupti_api.h"
#include "cupti_backend/api/driver_api.h"
#include "cupti_backend/sampling/sample_reader.h"
#include "lib/capture/events/event_sink.h"

namespace prof::cupti {

// One recording. The collector thread.
class DeviceWriter {
 public:
  // Both tables outlive this. `ceilings`: a file of them, which need not exist.
  DeviceWriter(const CuptiApi* api, const DriverApi* driver, std::string ceilings)
      : api_(api), driver_(driver), ceilings_(std::move(ceilings)) {}

  // Writes the devices when they are read and when a peak is new. `used`: the program did something
  // on a GPU; devices are not read before that, and peaks until then are lost.
  void Write(const std::vector<PeakEvent>& peaks, bool used, capture::EventSink& sink);

 private:
  bool AddPeak(const PeakEvent& peak);  // false: it is known

  const CuptiApi* const api_;
  const DriverApi* const driver_;
  const std::string ceilings_;
  std::vector<capture::DeviceEvent> devices_;
};

}  // namespace prof::cupti

#endif  // PROF_CUPTI_BACKEND_DEVICE_WRITER_H_
