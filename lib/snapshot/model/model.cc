// SPDX-License-Identifier: Apache-2.0
#include "lib/snapshot/model/model.h"

namespace prof::model {

Model::Model() = default;
Model::~Model() = default;
Model::Model(const Model& other) = default;
Model::Model(Model&& other) noexcept = default;
Model& Model::operator=(const Model& other) = default;
Model& Model::operator=(Model&& other) noexcept = default;

}  // namespace prof::model
