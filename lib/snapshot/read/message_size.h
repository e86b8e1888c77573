// SPDX-License-Identifier: Apache-2.0
//
// Message size is what protobuf needs for a message, estimated from its bytes before it is parsed:
// an entry of two bytes becomes an object of a hundred.
#ifndef PROF_LIB_SNAPSHOT_READ_MESSAGE_SIZE_H_
#define PROF_LIB_SNAPSHOT_READ_MESSAGE_SIZE_H_

#include <cstddef>
#include <string_view>

#include "google/protobuf/descriptor.h"

namespace prof::snapshot {

// About the memory, in bytes, that a message of `type` with these bytes takes when it is parsed. It
// looks at each field of each nested message once, and stops where the bytes are no valid message.
[[nodiscard]] size_t MessageSize(std::string_view bytes, const google::protobuf::Descriptor& type);

}  // namespace prof::snapshot

#endif  // PROF_LIB_SNAPSHOT_READ_MESSAGE_SIZE_H_
