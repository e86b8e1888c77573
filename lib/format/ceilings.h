// SPDX-License-Identifier: Apache-2.0
//
// The kinds of ceilings that a calibration measures. The capture half writes them, and the analyzer
// looks for them.
#ifndef PROF_LIB_FORMAT_CEILINGS_H_
#define PROF_LIB_FORMAT_CEILINGS_H_

namespace prof::format {

// Bytes per second between DRAM and L2.
inline constexpr char kCeilingDramRead[] = "dram-read";
inline constexpr char kCeilingDramWrite[] = "dram-write";
inline constexpr char kCeilingDramCopy[] = "dram-copy";      // one byte written for each one read
inline constexpr char kCeilingDramTwoReads[] = "dram-2to1";  // for each two
// Bytes per second between L2 and the SMs, of data that L2 holds.
inline constexpr char kCeilingL2[] = "l2";
// Bytes per second between L1 and the registers of all SMs, of data that L1 holds.
inline constexpr char kCeilingL1[] = "l1";
// Bytes per second between the host's pinned memory and the device, and from one device to another.
inline constexpr char kCeilingHostToDevice[] = "h2d";
inline constexpr char kCeilingDeviceToHost[] = "d2h";
inline constexpr char kCeilingPeer[] = "peer";
// Operations per second of one type: this and FlopCount::kind, "flops fp16 tensor". With the
// suffix: by products of a warp (mma.sync), where the chip has faster ones.
inline constexpr char kCeilingFlops[] = "flops ";
inline constexpr char kCeilingOfWarps[] = " mma.sync";

}  // namespace prof::format

#endif  // PROF_LIB_FORMAT_CEILINGS_H_
