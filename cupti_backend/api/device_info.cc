// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/api/device_info.h"

#include <cstdio>

namespace prof::cupti {

std::vector<capture::DeviceEvent> ReadDevices(const CuptiApi& api, const DriverApi& driver) {
  std::vector<capture::DeviceEvent> devices;
  int count = 0;
  if (driver.device_get_count(&count) != CUDA_SUCCESS) return devices;
  for (int i = 0; i < count; ++i) {
    CUdevice device = 0;
    if (driver.device_get(&device, i) != CUDA_SUCCESS) continue;
    const auto attribute = [&](CUdevice_attribute which) -> uint32_t {
      int value = 0;
      if (driver.device_get_attribute(&value, which, device) != CUDA_SUCCESS) return 0;
      return value > 0 ? static_cast<uint32_t>(value) : 0;
    };
    capture::DeviceEvent event;
    event.id = static_cast<uint32_t>(i);
    char name[256] = {};
    if (driver.device_get_name(name, sizeof(name) - 1, device) == CUDA_SUCCESS) event.name = name;
    CUpti_Device_GetChipName_Params chip = {CUpti_Device_GetChipName_Params_STRUCT_SIZE};
    chip.deviceIndex = static_cast<size_t>(i);
    if (api.device_get_chip_name(&chip) == CUPTI_SUCCESS) event.chip = chip.pChipName;
    event.uuid = UuidOf(driver, device);
    size_t memory = 0;
    if (driver.device_total_mem(&memory, device) == CUDA_SUCCESS) event.memory_bytes = memory;
    event.compute_major = attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
    event.compute_minor = attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
    event.sm_count = attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
    event.warp_size = attribute(CU_DEVICE_ATTRIBUTE_WARP_SIZE);
    event.max_threads_per_sm = attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR);
    event.max_blocks_per_sm = attribute(CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR);
    event.registers_per_sm = attribute(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR);
    event.shared_memory_per_sm =
        attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR);
    event.reserved_shared_memory_per_block =
        attribute(CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK);
    event.l2_bytes = attribute(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
    event.sm_clock_khz = attribute(CU_DEVICE_ATTRIBUTE_CLOCK_RATE);
    event.memory_clock_khz = attribute(CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE);
    event.memory_bus_bits = attribute(CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH);
    devices.push_back(std::move(event));
  }
  return devices;
}

std::string UuidOf(const DriverApi& driver, int device) {
  CUuuid uuid{};
  std::string text;
  if (driver.device_get_uuid == nullptr || driver.device_get_uuid(&uuid, device) != CUDA_SUCCESS) {
    return text;
  }
  for (const char byte : uuid.bytes) {
    char hex[3];
    std::snprintf(hex, sizeof(hex), "%02x", static_cast<unsigned char>(byte));
    text += hex;
  }
  return text;
}

}  // namespace prof::cupti
