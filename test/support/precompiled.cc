// SPDX-License-Identifier: Apache-2.0
//
// CMake ties a precompiled header to a target, and a target needs a source.
