// SPDX-License-Identifier: Apache-2.0
#include "lib/eval/label_json.h"

#include <string>
#include <vector>

namespace prof::eval {
namespace {

using Json = nlohmann::json;

std::vector<std::string> Strings(const Json& value) {
  return value.get<std::vector<std::string>>();
}

Elasticity ToElasticity(const Json& value) {
  return {value.at("resource"), value.at("elasticity"), value.at("low"), value.at("high")};
}

std::vector<std::string> SameChanges(const Json& value) {
  return Strings(value.value("same", Json::array()));
}

MeasuredPair ToPair(const Json& value) {
  return {value.at("kind") == "fix", value.at("action"), value.at("gain"),
          value.at("low"),           value.at("high"),   SameChanges(value)};
}

}  // namespace

Label ToLabel(const Json& value) {
  Label label;
  label.limiters = Strings(value.at("limiters"));
  label.rules = Strings(value.at("rules"));
  label.helpful = Strings(value.at("helpful"));
  label.harmful = Strings(value.at("harmful"));
  label.why = value.at("why").get<std::string>();
  if (const Json& saves = value.at("saves"); !saves.is_null()) {
    label.saves =
        KnownGain{saves.at("action"), saves.at("part"), saves.at("source"), SameChanges(saves)};
  }
  for (const Json& one : value.value("elasticities", Json::array())) {
    label.elasticities.push_back(ToElasticity(one));
  }
  for (const Json& one : value.value("pairs", Json::array())) label.pairs.push_back(ToPair(one));
  return label;
}

}  // namespace prof::eval
