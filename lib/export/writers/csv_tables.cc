// SPDX-License-Identifier: Apache-2.0
#include "lib/export/writers/csv_tables.h"

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>

#include "lib/export/base/json_text.h"
#include "lib/export/base/labels.h"
#include "lib/export/base/signatures.h"
#include "lib/export/base/text_buffer.h"

namespace prof::exporting {
namespace {

// A cell as RFC 4180 has it.
std::string CsvCell(std::string_view text) {
  std::string valid = ValidUtf8(text);
  if (valid.find_first_of(",\"\r\n") == std::string::npos) return valid;
  std::string quoted = "\"";
  for (const char c : valid) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted += '"';
}

std::string SizeCells(const std::array<uint32_t, 3>& size) {
  return std::to_string(size[0]) + ',' + std::to_string(size[1]) + ',' + std::to_string(size[2]);
}

// The cells that all operations of a signature have.
std::string CommonCells(const Events& events, const OperationEvent& op) {
  std::string cells = ToString(op.kind);
  cells += ',' + CsvCell(OperationName(events, op)) + ',' + CsvCell(events.paths()[op.path].full) +
           ',' + std::to_string(op.device) + ',' + std::to_string(op.context) + ',' +
           std::to_string(op.stream) + ',';
  if (op.graph != 0) cells += std::to_string(op.graph);
  if (op.kind != OperationKind::kKernel) {
    const bool copy = op.kind == OperationKind::kCopy;
    return cells + ",,,,,,,,,," + (copy ? ToString(op.copy) : "") + ',' +
           (copy ? ToString(op.source) : "") + ',' +
           (op.kind == OperationKind::kGraph ? "" : ToString(op.destination));
  }
  const KernelShape& shape = events.shapes()[op.shape];
  return cells + ',' + SizeCells(shape.grid) + ',' + SizeCells(shape.block) + ',' +
         std::to_string(shape.registers_per_thread) + ',' +
         std::to_string(shape.static_shared_bytes) + ',' +
         std::to_string(shape.dynamic_shared_bytes) + ",,,";
}

int64_t WriteLaunches(const Events& events, const Selection& selection, TextBuffer* out) {
  *out << "start_ns,duration_ns,correlation,bytes,sampled,call_start_ns,call_duration_ns,thread,"
          "kind,name,range,device,context,stream,graph,grid_x,grid_y,grid_z,block_x,block_y,"
          "block_z,registers_per_thread,static_shared_bytes,dynamic_shared_bytes,copy,source,"
          "destination\n";
  int64_t rows = 0;
  Signatures<std::string> common;
  const EventTable<OperationEvent> operations = events.operations();
  for (size_t row = 0; row < operations.size(); ++row) {
    const OperationEvent op = operations[row];
    if (!selection.Has(op, row)) continue;
    *out << op.start_ns << "," << op.end_ns - op.start_ns << "," << int64_t{op.correlation} << ",";
    if (op.kind == OperationKind::kCopy || op.kind == OperationKind::kMemset) {
      *out << static_cast<int64_t>(op.bytes);
    }
    *out << (op.sampled ? ",1," : ",0,");
    if (op.call >= 0) {
      const CallEvent call = events.calls()[static_cast<size_t>(op.call)];
      *out << call.start_ns << "," << call.end_ns - call.start_ns << ","
           << int64_t{events.threads()[call.thread].tid};
    } else {
      *out << ",,";
    }
    *out << "," << common.Of(op, [&](const OperationEvent& first, size_t) {
      return CommonCells(events, first);
    }) << "\n";
    out->EndRow();
    ++rows;
  }
  return rows;
}

int64_t WriteCounterRows(const Events& events, const Selection& selection, TextBuffer* out) {
  *out << "unit,level,kernel,range,device,correlation,kernel_start_ns,kernel_duration_ns,"
          "counted_start_ns,counted_duration_ns,metric,value\n";
  int64_t rows = 0;
  for (const CounterEvent& sample : events.counters()) {
    std::string cells = std::string(ToString(sample.unit)) + ',' + CsvCell(sample.level) + ',';
    std::string kernel_times = ",";
    std::string device;
    if (sample.operation >= 0) {
      const auto row = static_cast<size_t>(sample.operation);
      const OperationEvent op = events.operations()[row];
      if (!selection.Has(op, row)) continue;
      cells += CsvCell(OperationName(events, op));
      device = std::to_string(op.device);
      kernel_times = std::to_string(op.start_ns) + ',' + std::to_string(op.end_ns - op.start_ns);
    } else if (!selection.HasAt(sample.path, sample.start_ns)) {
      continue;
    }
    for (const std::string& cell :
         {CsvCell(events.paths()[sample.path].full), device, std::to_string(sample.correlation),
          kernel_times, std::to_string(sample.start_ns),
          std::to_string(sample.end_ns - sample.start_ns)}) {
      cells += ',';
      cells += cell;
    }
    cells += ',';
    for (size_t i = 0; i < sample.values->size(); ++i) {
      const double value = (*sample.values)[i];
      *out << cells << CsvCell((*sample.metrics)[i]) << ","
           << (std::isfinite(value) ? JsonNumber(value) : "") << "\n";
      ++rows;
    }
    out->EndRow();
  }
  return rows;
}

void WriteRange(const Events& events, const RangeEvent& range, std::string_view kind,
                TextBuffer* out) {
  *out << range.start_ns << "," << range.end_ns - range.start_ns << ","
       << int64_t{events.threads()[range.thread].tid} << "," << kind << ","
       << CsvCell(events.NameOf(range.path, range.thread, range.start_ns)) << ","
       << CsvCell(events.paths()[range.path].full) << (range.closed ? ",1\n" : ",0\n");
  out->EndRow();
}

int64_t WriteRanges(const Events& events, const Selection& selection, TextBuffer* out) {
  *out << "start_ns,duration_ns,thread,kind,name,path,closed\n";
  int64_t rows = 0;
  const auto write = [&](const EventTable<RangeEvent>& table, std::string_view kind) {
    for (size_t row = 0; row < table.size(); ++row) {
      if (!selection.Has(table[row], row)) continue;
      WriteRange(events, table[row], kind, out);
      ++rows;
    }
  };
  write(events.ranges(), "push");
  write(events.spans(), "span");
  return rows;
}

int64_t WriteCalls(const Events& events, const Selection& selection, TextBuffer* out) {
  *out << "start_ns,duration_ns,thread,name,correlation,error,range\n";
  int64_t rows = 0;
  const EventTable<CallEvent> calls = events.calls();
  for (size_t row = 0; row < calls.size(); ++row) {
    const CallEvent call = calls[row];
    if (!selection.Has(call, row)) continue;
    *out << call.start_ns << "," << call.end_ns - call.start_ns << ","
         << int64_t{events.threads()[call.thread].tid} << "," << CsvCell(call.name) << ","
         << int64_t{call.correlation} << "," << int64_t{call.error} << ","
         << CsvCell(events.paths()[call.path].full) << "\n";
    out->EndRow();
    ++rows;
  }
  return rows;
}

// Whether the recording has what the table has a row for.
bool HasRowsFor(const Events& events, ExportTable table) {
  switch (table) {
    case ExportTable::kKernels:
      break;
    case ExportTable::kLaunches:
      return !events.operations().empty();
    case ExportTable::kCounters:
      return !events.counters().empty();
    case ExportTable::kRanges:
      return !events.ranges().empty() || !events.spans().empty();
    case ExportTable::kCalls:
      return !events.calls().empty();
  }
  return false;
}

const char* WhyNotRecorded(ExportTable table) {
  switch (table) {
    case ExportTable::kKernels:
      break;
    case ExportTable::kLaunches:
      return "no work of a GPU was recorded";
    case ExportTable::kCounters:
      return "no counters of single launches, ranges or graphs were read. prof run --counters sol "
             "reads them; PM samples are in --to sqlite";
    case ExportTable::kRanges:
      return "no NVTX range was recorded";
    case ExportTable::kCalls:
      return "no call of CUDA was recorded";
  }
  return "no kernel was recorded";
}

}  // namespace

int64_t WriteCsvTable(const Events& events, ExportTable table, const Selection& selection,
                      std::ostream& out) {
  TextBuffer buffer(&out);
  switch (table) {
    case ExportTable::kKernels:  // lib/report/csv.h
      break;
    case ExportTable::kLaunches:
      return WriteLaunches(events, selection, &buffer);
    case ExportTable::kCounters:
      return WriteCounterRows(events, selection, &buffer);
    case ExportTable::kRanges:
      return WriteRanges(events, selection, &buffer);
    case ExportTable::kCalls:
      return WriteCalls(events, selection, &buffer);
  }
  return 0;
}

const char* TableName(ExportTable table) {
  switch (table) {
    case ExportTable::kKernels:
      break;
    case ExportTable::kLaunches:
      return "launches";
    case ExportTable::kCounters:
      return "counters";
    case ExportTable::kRanges:
      return "ranges";
    case ExportTable::kCalls:
      return "calls";
  }
  return "kernels";
}

std::string WhyNoRows(const Events& events, ExportTable table) {
  return std::string("the table ") + TableName(table) + " has no rows: " +
         (HasRowsFor(events, table) ? "nothing of it is in the part that was asked for"
                                    : WhyNotRecorded(table));
}

}  // namespace prof::exporting
