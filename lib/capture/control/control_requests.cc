// SPDX-License-Identifier: Apache-2.0
#include "lib/capture/control/control_requests.h"

#include <unistd.h>

#include <cmath>
#include <optional>
#include <sstream>
#include <string>

namespace prof::capture {
namespace {

std::string Ok(const std::string& text) { return "ok\n" + text + "\n"; }
std::string Failed(const std::string& text) { return "failed\n" + text + "\n"; }

std::string Start(const Controlled& recording) {
  if (!recording.paused()) return Ok("it records already");
  if (recording.start()) return Ok("recording");
  return Failed("the recording does not go on: it has ended, or its thread is held up");
}

std::string Stop(const Controlled& recording) {
  if (recording.stop()) return Ok("paused; prof ctl PID start goes on");
  if (recording.paused()) return Ok("it is paused; prof ctl PID start goes on");
  return Failed("the recording was not paused: it has ended, or a launch does not return");
}

std::string End(const Controlled& recording) {
  switch (recording.end()) {
    case Ended::kNow:
      return Ok("the recording has ended: " + recording.output());
    case Ended::kBefore:
      return Ok("the recording had ended before: " + recording.output());
    case Ended::kNot:
      break;
  }
  return Failed("the recording does not end: the GPU or CUPTI does not answer");
}

std::string Dump(const Controlled& recording, const std::string& path) {
  if (recording.keep_last_seconds == 0) {
    return Failed("the recording keeps everything in " + recording.output() +
                  ", which can be read now; to dump the last seconds, start the program with prof "
                  "run --keep-last SECONDS");
  }
  if (path.empty()) return Failed("a dump needs the path of a file");
  if (recording.dump(path)) return Ok("wrote the last seconds to " + path);
  return Failed("nothing was written to " + path +
                ": either the GPU has done nothing yet, or stderr of the process has the reason");
}

std::string StatusText(const Controlled& recording) {
  std::ostringstream text;
  text << "process: " << getpid() << '\n'
       << "recording: " << (recording.paused() ? "paused" : "on") << '\n'
       << "file: " << recording.output() << '\n';
  if (recording.keep_last_seconds != 0) {
    text << "kept: the last " << recording.keep_last_seconds << " s\n";
  }
  text << recording.status();
  return Ok(text.str());
}

std::string CountersText(const Controlled& recording) {
  std::ostringstream text;
  text << "counters: " << recording.status().counters << '\n';
  if (const std::optional<double> decided = recording.decided_share()) {
    text << "nothing is open about " << std::lround(100 * *decided)
         << " % of the GPU time so far\n";
  }
  text << (recording.counters_complete()  ? "complete: every kernel has its samples"
           : recording.counters_pending() ? "not complete: more samples will come"
                                          : "not complete, and no more samples can come");
  return Ok(text.str());
}

}  // namespace

std::string AnswerControl(const Controlled& recording, const std::string& request) {
  if (request == "start") return Start(recording);
  if (request == "stop") return Stop(recording);
  if (request == "end") return End(recording);
  if (request == "status") return StatusText(recording);
  if (request == "counters") return CountersText(recording);
  if (request.rfind("dump ", 0) == 0) return Dump(recording, request.substr(5));
  return Failed("this version of prof does not know the request: use the prof ctl of its version");
}

}  // namespace prof::capture
