# SPDX-License-Identifier: Apache-2.0
"""Checks a profile with the schema that speedscope ships (npm: speedscope; PyPI: jsonschema).
PROF_SPEEDSCOPE_SCHEMA names its file-format-schema.json."""
import json
import os

import reader

try:
    import jsonschema
except ImportError:
    reader.skip("the Python package jsonschema is not installed: pip install jsonschema")
schema_path = os.environ.get("PROF_SPEEDSCOPE_SCHEMA", "")
if not schema_path:
    reader.skip("PROF_SPEEDSCOPE_SCHEMA does not name speedscope's file-format-schema.json")

with reader.folder() as folder, open(schema_path, encoding="utf-8") as schema:
    with open(reader.export("speedscope", folder, "app.json"), encoding="utf-8") as file:
        profile = json.load(file)
    jsonschema.validate(profile, json.load(schema))
sampled = profile["profiles"][0]
reader.check(len(sampled["samples"]) == len(sampled["weights"]) > 0, "each stack has a weight")
print("ok")
