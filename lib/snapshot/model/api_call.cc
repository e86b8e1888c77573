// SPDX-License-Identifier: Apache-2.0
#include "lib/snapshot/model/api_call.h"

namespace prof::model {

void CallTable::Sort() {
  rows_.Sort([this](const Row& a, const Row& b) {
    return a.start_ns != b.start_ns ? a.start_ns < b.start_ns : EndOf(b) < EndOf(a);
  });
}

void CallTable::Pack(const ApiCall& call, Row* row) {
  row->start_ns = call.start_ns;
  row->duration_ns = ShortNs(call.start_ns, call.end_ns);
  row->correlation = call.correlation;
  row->path = call.path;
  row->shared = shared_.Add({call.name, call.thread, call.error, call.stack, call.cls,
                             row->duration_ns == kLongNs ? call.end_ns : 0});
  row->loads_code = call.loads_code ? 1 : 0;
}

}  // namespace prof::model
