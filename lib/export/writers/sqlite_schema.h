// SPDX-License-Identifier: Apache-2.0
//
// The columns of Nsight Systems' export, schema 3.25, as its SQLite files have them.
#ifndef PROF_LIB_EXPORT_WRITERS_SQLITE_SCHEMA_H_
#define PROF_LIB_EXPORT_WRITERS_SQLITE_SCHEMA_H_

#include <string>

namespace prof::exporting::schema {

// What all operations have first.
inline const std::string kOperationColumns =
    "start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL, contextId INTEGER "
    "NOT NULL, greenContextId INTEGER, streamId INTEGER NOT NULL, correlationId INTEGER, "
    "globalPid INTEGER, ";
inline const std::string kKernelColumns =
    kOperationColumns +
    "demangledName INTEGER NOT NULL, shortName INTEGER NOT NULL, mangledName INTEGER, "
    "launchType INTEGER, cacheConfig INTEGER, registersPerThread INTEGER NOT NULL, "
    "gridX INTEGER NOT NULL, gridY INTEGER NOT NULL, gridZ INTEGER NOT NULL, "
    "blockX INTEGER NOT NULL, blockY INTEGER NOT NULL, blockZ INTEGER NOT NULL, "
    "staticSharedMemory INTEGER NOT NULL, dynamicSharedMemory INTEGER NOT NULL, "
    "localMemoryPerThread INTEGER NOT NULL, localMemoryTotal INTEGER NOT NULL, "
    "gridId INTEGER NOT NULL, sharedMemoryExecuted INTEGER, graphNodeId INTEGER, "
    "sharedMemoryLimitConfig INTEGER, qmdBulkReleaseDone INTEGER, qmdPreexitDone INTEGER, "
    "qmdLastCtaDone INTEGER, graphId INTEGER, clusterX INTEGER, clusterY INTEGER, "
    "clusterZ INTEGER, clusterSchedulingPolicy INTEGER, maxPotentialClusterSize INTEGER, "
    "maxActiveClusters INTEGER, sharedMemoryRequestedPercentage INTEGER, "
    "tensorSizeMinusOneElements TEXT";
inline const std::string kCopyColumns =
    kOperationColumns +
    "bytes INTEGER NOT NULL, copyKind INTEGER NOT NULL, deprecatedSrcId INTEGER, srcKind INTEGER, "
    "dstKind INTEGER, srcDeviceId INTEGER, srcContextId INTEGER, dstDeviceId INTEGER, "
    "dstContextId INTEGER, migrationCause INTEGER, graphNodeId INTEGER, virtualAddress INTEGER, "
    "copyCount INTEGER";
inline const std::string kMemsetColumns =
    kOperationColumns +
    "value INTEGER NOT NULL, bytes INTEGER NOT NULL, graphNodeId INTEGER, memKind INTEGER";
inline const std::string kSyncColumns =
    kOperationColumns +
    "deprecatedSyncType INTEGER, syncType INTEGER NOT NULL, eventId INTEGER NOT NULL, "
    "eventSyncId INTEGER";
inline constexpr const char* kCallColumns =
    "start INTEGER NOT NULL, end INTEGER NOT NULL, eventClass INTEGER NOT NULL, globalTid INTEGER, "
    "correlationId INTEGER, nameId INTEGER NOT NULL, returnValue INTEGER NOT NULL, callchainId "
    "INTEGER";
inline constexpr const char* kNvtxColumns =
    "start INTEGER NOT NULL, end INTEGER, eventType INTEGER NOT NULL, rangeId INTEGER, category "
    "INTEGER, color INTEGER, text TEXT, globalTid INTEGER, endGlobalTid INTEGER, textId INTEGER, "
    "domainId INTEGER, uint64Value INTEGER, int64Value INTEGER, doubleValue REAL, uint32Value "
    "INTEGER, int32Value INTEGER, floatValue REAL, jsonTextId INTEGER, jsonText TEXT, binaryData "
    "TEXT";
inline constexpr const char* kEnumColumns =
    "id INTEGER NOT NULL PRIMARY KEY, name TEXT, label TEXT";

}  // namespace prof::exporting::schema

#endif  // PROF_LIB_EXPORT_WRITERS_SQLITE_SCHEMA_H_
