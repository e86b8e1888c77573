// SPDX-License-Identifier: Apache-2.0
//
// A recording with its report, and what is made from both.
#ifndef PROF_PYTHON_SRC_RECORDING_H_
#define PROF_PYTHON_SRC_RECORDING_H_

#include <memory>
#include <mutex>
#include <string>

#include "prof/events.h"
#include "prof/export.h"
#include "prof/report.h"
#include "prof/snapshot.h"

namespace prof::python {

// Analyzed when it is made, never changed after that: any thread may use it. Its functions hold no
// Python object, so that callers can release the GIL.
class Recording {
 public:
  // Throws Problem where `snapshot` cannot be read.
  explicit Recording(Snapshot snapshot);

  [[nodiscard]] const std::shared_ptr<Report>& report() const { return report_; }
  // The report with its steps, analyzed at the first call. Throws Problem.
  [[nodiscard]] const std::shared_ptr<Report>& with_steps();
  // The rows of the recording, read at the first call. Throws Problem.
  [[nodiscard]] const Events& events();
  [[nodiscard]] const Snapshot& snapshot() const { return snapshot_; }

  struct TextLooks {
    int width = 120, top = 20;
    bool color = false, details = false, utf8 = true;
  };
  [[nodiscard]] std::string Text(const TextLooks& looks) const;
  [[nodiscard]] std::string Json() const;
  // The HTML report. Throws Problem where this build has none.
  [[nodiscard]] std::string Html() const;
  [[nodiscard]] std::string Csv(ExportTable table);
  // Into the file `path`; the operations that were written. Throws Problem.
  ExportResult WriteTo(const std::string& path, const ExportOptions& options, bool verdicts);

 private:
  Snapshot snapshot_;
  std::shared_ptr<Report> report_;
  std::once_flag steps_read_, read_;
  std::shared_ptr<Report> with_steps_;
  Events events_;
};

}  // namespace prof::python

#endif  // PROF_PYTHON_SRC_RECORDING_H_
