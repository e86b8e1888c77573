#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Fills the git-ignored folder device/ for run_on_gpu.sh, which runs where nothing can be installed.
# Programs go to bin/, libraries to lib/, both stripped. lib/ also gets the shared libraries that
# such a machine lacks. Other files in device/ stay.
#
#   bench/gpu/pack.sh [build folder, default build/release]
set -euo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../.."

readonly kBuild=${1:-build/release}
readonly kLimitMiB=${PROF_PACK_MIB:-64}  # what is copied to the machine for each run stays small
readonly kPrograms=(prof saxpy transpose transformer_layer saxpy_test transformer_bare layer_steps
  known_kernels pipeline long_kernels stream_hops delays planted endings endings_session launch_storm storm_bare
  zoo ceilings matrix matrix_few_registers options_fast_math options_without particles
  particles_as_structs filters filters_renamed)
readonly kLibraries=(libprof.so.0 libprof_inject.so)

if [[ ! -d $kBuild ]]; then
  echo "there is no build in '$kBuild': build first, or name the folder" >&2
  exit 2
fi

# Executable: the completion of a shell has the name of its program. A package that was made in the
# build folder once has the programs of that time.
find_built() {
  find "$kBuild" -name "$1" \( -type f -o -type l \) -executable ! -path '*/CMakeFiles/*' \
    ! -path '*/_CPack_Packages/*' ! -path '*/test/*' -print
}

# pack <name> <folder>: copies a build product, or lists it as missing.
missing=()
pack() {
  local path
  path=$(find_built "$1")
  if [[ -z $path ]]; then
    missing+=("$1")
    return
  fi
  cp -L "$path" "device/$2/$1"
}

for name in "${kPrograms[@]}" "${kLibraries[@]}"; do
  found=$(find_built "$name")
  if [[ $found == *$'\n'* ]]; then
    printf 'there are several of %s, and one may be old:\n%s\n' "$name" "$found" >&2
    exit 2
  fi
done
rm -rf device/bin device/lib device/commit  # ours; other files in the folder stay
mkdir -p device/bin device/lib
for name in "${kPrograms[@]}"; do pack "$name" bin; done
for name in "${kLibraries[@]}"; do pack "$name" lib; done

# Experiments that record from within Python take prof's package from here. PROF_PACK_WHEEL names a
# wheel for the machine's version of Python.
rm -rf device/python
if [[ -n ${PROF_PACK_WHEEL:-} ]]; then
  python3 -m zipfile -e "$PROF_PACK_WHEEL" device/python
fi

# The tests that need a GPU have a tag. All benchmarks go along.
while IFS= read -r program; do
  # Not with a pipe into grep -q: it closes early, and pipefail makes that a failure.
  listed=$(timeout 20 "$program" --list-tests '[gpu]' 2>/dev/null || true)
  [[ $listed == *'[gpu]'* ]] && cp "$program" device/bin/
done < <(find "$kBuild" -name '*_test' -type f -executable ! -path '*/CMakeFiles/*' \
  ! -path '*/_CPack_Packages/*')
while IFS= read -r program; do
  cp "$program" device/bin/
done < <(find "$kBuild/bench" -maxdepth 1 -name 'bench_*' -type f -executable 2>/dev/null)

# Only what a bare machine is known to lack: our libz or libstdc++ must not shadow its own.
for file in device/bin/* device/lib/*; do
  ldd "$file" 2>/dev/null | awk '$3 ~ /^\// && $1 ~ /^lib(absl|protobuf)/ {print $3}'
done | sort -u | while IFS= read -r library; do cp -L "$library" device/lib/; done
for file in device/bin/* device/lib/*; do
  ldd "$file" 2>/dev/null | awk '$3 ~ /^\// {print $1}'
done | sort -u |
  grep -vE '^lib(absl|protobuf|prof|c|m|dl|rt|pthread|stdc\+\+|gcc_s|cuda|cublas|cublasLt|cupti)[._]' |
  sed 's/^/the other machine must have /' || true

for file in device/bin/* device/lib/*; do strip "$file" 2>/dev/null || true; done
if [[ -d $kBuild/lib/prof ]]; then cp -r "$kBuild/lib/prof" device/lib/; fi  # Python files, for --torch modules
PYTHONDONTWRITEBYTECODE=1 python3 bench/run.py commit >device/commit

readonly kSizeMiB=$(($(du -sk device | cut -f1) / 1024))
printf 'device/: %d programs, %d libraries, %d MiB, commit %s\n' "$(find device/bin -type f | wc -l)" \
  "$(find device/lib -type f | wc -l)" "$kSizeMiB" "$(cat device/commit)"
if ((${#missing[@]})); then printf 'missing from %s: %s\n' "$kBuild" "${missing[*]}"; fi
if ((kSizeMiB >= kLimitMiB)); then
  echo "device/ must stay below $kLimitMiB MiB (PROF_PACK_MIB)" >&2
  exit 1
fi
