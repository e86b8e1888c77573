// SPDX-License-Identifier: Apache-2.0
//
// Against values worked out by hand with CUDA's rules, for compute capability 9.0: 65,536
// registers, 64 warps, 32 blocks, 228 KiB of shared memory per SM, of which each block takes 1 KiB
// more than it asks for.
#include "lib/analyzer/kernels/occupancy.h"

#include <string>
#include <vector>

#include "test/support/catch.h"
#include "test/support/snapshot_builder.h"

namespace prof::analyzer::occupancy_test {
namespace {

using Names = std::vector<std::string>;

Occupancy Compute(uint32_t threads, uint32_t registers, uint32_t dynamic_shared = 0,
                  uint32_t blocks = 1, uint32_t shared_executed = 0) {
  model::Shape shape;
  shape.grid = {blocks, 1, 1};
  shape.block = {threads, 1, 1};
  shape.registers_per_thread = registers;
  shape.dynamic_shared_bytes = dynamic_shared;
  shape.shared_executed_bytes = shared_executed;
  const model::Device device = test::H200();
  return ComputeOccupancy(shape, &device);
}

TEST_CASE("256 threads with 32 registers fill the SM: 8 blocks by warps and by registers") {
  // 8 warps a block: 64 / 8 = 8. 32 * 32 = 1,024 registers a warp: 16,384 / 1,024 = 16 warps in
  // each of 4 sub-partitions, 64 in all, 8 blocks.
  const Occupancy o = Compute(256, 32);
  REQUIRE(o.known);
  CHECK(o.blocks_per_sm == 8);
  CHECK(o.limit_warps == 8);
  CHECK(o.limit_registers == 8);
  CHECK(o.limit_blocks == 32);
  CHECK(o.limit_shared == 228);  // 233,472 / 1,024
  CHECK(o.limited_by == Names{"registers", "warps"});
  CHECK(o.theoretical == 1.0);
}

TEST_CASE("1,024 threads with 64 registers: one block, half the warps") {
  // 2,048 registers a warp: 8 a sub-partition, 32 in all, which is one block of 32 warps.
  const Occupancy o = Compute(1024, 64);
  CHECK(o.blocks_per_sm == 1);
  CHECK(o.limited_by == Names{"registers"});
  CHECK(o.theoretical == 0.5);
}

TEST_CASE("Registers are allocated per warp in units of 256") {
  // 33 * 32 = 1,056 rounds up to 1,280: 12 warps a sub-partition, 48 in all, 6 blocks of 8.
  const Occupancy o = Compute(256, 33);
  CHECK(o.limit_registers == 6);
  CHECK(o.theoretical == 0.75);
  // 255 * 32 = 8,160 rounds up to 8,192: 2 a sub-partition, 8 warps, one block of 8.
  CHECK(Compute(256, 255).blocks_per_sm == 1);
  CHECK(Compute(256, 255).theoretical == 0.125);
}

TEST_CASE("Each sub-partition is filled on its own") {
  // 168 * 32 = 5,376: 3 warps a sub-partition and 12 in all; 65,536 / 5,376 would also be 12.19.
  CHECK(Compute(384, 168).limit_registers == 1);
  // 96 * 32 = 3,072: 5 a sub-partition, 20 warps; the SM as a whole would hold 21.
  CHECK(Compute(32, 96).limit_registers == 20);
}

TEST_CASE("Shared memory counts with its reserved part, in units of 128 bytes") {
  // 100 KiB + 1 KiB = 103,424: 233,472 / 103,424 = 2 blocks.
  const Occupancy o = Compute(64, 32, 100 * 1024);
  CHECK(o.limit_shared == 2);
  CHECK(o.limited_by == Names{"shared memory"});
  CHECK(o.theoretical == 2 * 2 / 64.0);
  // 1 + 1,024 rounds up to 1,152: 202 blocks.
  CHECK(Compute(64, 32, 1).limit_shared == 202);
  // The most a block can have, 227 KiB, leaves room for exactly one.
  CHECK(Compute(64, 32, 227 * 1024).limit_shared == 1);
}

TEST_CASE("Small blocks run out of block slots") {
  const Occupancy o = Compute(32, 32);
  CHECK(o.blocks_per_sm == 32);
  CHECK(o.limited_by == Names{"blocks"});
  CHECK(o.theoretical == 0.5);
}

TEST_CASE("A block of 33 threads takes two warps") {
  const Occupancy o = Compute(33, 16);
  CHECK(o.limit_warps == 32);
  CHECK(o.limited_by == Names{"warps", "blocks"});
  CHECK(o.theoretical == 1.0);
}

TEST_CASE("The partition that the SM had while the kernel ran limits shared memory") {
  CHECK(Compute(64, 32, 10 * 1024, 1, 64 * 1024).limit_shared == 5);  // 65,536 / 11,264
  CHECK(Compute(64, 32, 10 * 1024, 1, 1024).limit_shared == 20);      // impossible, so ignored
  CHECK(Compute(64, 32, 10 * 1024, 1, 1 << 30).limit_shared == 20);   // larger than the SM's
}

TEST_CASE("Waves and the lost part of the last one follow from the grid") {
  // 8 blocks a SM on 132 SMs: 1,056 blocks a wave.
  CHECK(Compute(256, 32, 0, 1056).waves == 1.0);
  CHECK(Compute(256, 32, 0, 1056).tail_lost == 0.0);
  CHECK(Compute(256, 32, 0, 1584).waves == 1.5);
  CHECK(Compute(256, 32, 0, 1584).tail_lost == 0.25);
  CHECK(Compute(256, 32, 0, 132).tail_lost == Approx(1 - 0.125));
  CHECK(Compute(256, 32, 0, 1057).tail_lost == Approx(0.4995).margin(1e-4));
}

TEST_CASE("Before compute capability 8.0 shared memory comes in units of 256 bytes") {
  model::Device volta = test::H200();
  volta.compute_major = 7;
  volta.shared_memory_per_sm = 96 * 1024;
  volta.reserved_shared_memory_per_block = 0;
  model::Shape shape;
  shape.grid = shape.block = {1, 1, 1};
  shape.registers_per_thread = 16;
  shape.static_shared_bytes = 3 * 1024 + 1;  // 3,328: 29 blocks
  CHECK(ComputeOccupancy(shape, &volta).limit_shared == 29);
  shape.static_shared_bytes = 0;  // none at all is no limit
  const Occupancy o = ComputeOccupancy(shape, &volta);
  CHECK(o.limited_by == Names{"blocks"});
}

TEST_CASE("Occupancy is unknown without the device's limits, or when they contradict the launch") {
  model::Shape shape;
  shape.grid = {1, 1, 1};
  shape.block = {256, 1, 1};
  shape.registers_per_thread = 32;
  CHECK_FALSE(ComputeOccupancy(shape, nullptr).known);
  model::Device device = test::H200();
  device.registers_per_sm = 0;
  CHECK_FALSE(ComputeOccupancy(shape, &device).known);
  CHECK_FALSE(Compute(1024, 255).known);  // cannot have been launched
  CHECK_FALSE(Compute(0, 32).known);
  CHECK_FALSE(Compute(4096, 32).known);
  shape.block = {0xffffffff, 0xffffffff, 0xffffffff};
  const model::Device good = test::H200();
  CHECK_FALSE(ComputeOccupancy(shape, &good).known);
}

}  // namespace
}  // namespace prof::analyzer::occupancy_test
