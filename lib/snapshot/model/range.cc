// SPDX-License-Identifier: Apache-2.0
#include "lib/snapshot/model/range.h"

namespace prof::model {

void InstanceTable::Sort() {
  rows_.Sort([this](const Row& row_a, const Row& row_b) {
    if (row_a.start_ns != row_b.start_ns) return row_a.start_ns < row_b.start_ns;
    const RangeInstance a = Unpack(row_a), b = Unpack(row_b);
    return std::tie(b.end_ns, a.path, a.thread) < std::tie(a.end_ns, b.path, b.thread);
  });
}

void InstanceTable::Pack(const RangeInstance& instance, Row* row) {
  row->start_ns = instance.start_ns;
  row->duration_ns = ShortNs(instance.start_ns, instance.end_ns);
  row->shared = shared_.Add(
      {instance.path, instance.thread, row->duration_ns == kLongNs ? instance.end_ns : 0});
  row->closed = instance.closed ? 1 : 0;
}

}  // namespace prof::model
