#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Runs experiments on a machine with a GPU, from the folder device/ that pack.sh filled. It leaves
# a few files in $OUT: summary.txt first, results.tgz with everything. See bench/README.md.
#
#   bench/gpu/run_on_gpu.sh [NAME...]      without names: all of them
set -euo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../.."

export PYTHONDONTWRITEBYTECODE=1
exec python3 bench/run.py run "$@"
