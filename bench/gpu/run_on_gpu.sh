#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Runs what needs a GPU, from the folder device/ that pack.sh filled, and leaves at most 8 files in
# $OUT: summary.txt first, results.tgz with everything. No step stops the ones after it.
#
#   bench/gpu/run_on_gpu.sh [transformer] [pytorch] [accuracy] [continuous] [cost] [tests]
#                           [storm] [peers] [living] [soak] [gpus]
#
# Without arguments all sections run. Nothing is begun after PROF_GPU_SECONDS, by default 560.
# PROF_GPU_WORKLOADS, PROF_GPU_VARIANTS: expressions that choose among those of peers;
# PROF_GPU_KINDS: the kinds of storm. PROF_GPU_LONG_SECONDS: seconds of the long run of continuous.
set -uo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../.." || exit 1

readonly kBin=device/bin kLib=$PWD/device/lib  # relative: commands end up in snapshots
readonly kOut=${OUT:-$PWD/out/gpu}
readonly kCuda=${CUDA_HOME:-/usr/local/cuda}
[[ -x /opt/torch/.venv/bin/python3 ]] && PATH=/opt/torch/.venv/bin:$PATH
readonly kPython=python3
readonly kAllSections=(tests transformer accuracy pytorch storm peers living gpus continuous cost soak)
readonly kLargestFile=$((15 << 20))
readonly kSecondsInAll=${PROF_GPU_SECONDS:-560} kLongSeconds=${PROF_GPU_LONG_SECONDS:-60}
export PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1
export CUDA_DEVICE_ORDER=PCI_BUS_ID  # nvidia-smi's
export LD_LIBRARY_PATH=$kLib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}

# One folder for everything; what is worth reading by itself is copied out of it at the end. Relative
# for the same reason.
work=out/gpu.$$
mkdir -p "$work"
readonly work
trap 'rm -rf "$work"' EXIT
mkdir -p "$kOut"
: >"$work/summary.txt"

say() { printf '%s\n' "$*" | tee -a "$work/summary.txt"; }

# step <seconds> <log> <command...>: runs a command within its own and its section's time.
section='' section_end=0
step() {
  local limit=$1 log=$2 left=$((section_end - SECONDS)) start=$SECONDS rc=0
  shift 2
  ((limit < left)) || limit=$left
  if ((limit <= 0)); then
    say "$(printf '%-12s %-28s %s' "$section" "$log" 'not run: the time of the section is over')"
    return 1
  fi
  timeout --kill-after=10 "$limit" "$@" >"$work/$log" 2>&1 || rc=$?
  local note=ok
  ((rc == 0)) || note="FAILED, exit code $rc: $(tail -n 1 "$work/$log" | cut -c 1-100)"
  ((rc != 124 && rc != 137)) || note="FAILED: stopped after $limit s"
  grep -q '^\[skipped\]' "$work/$log" && note=$(grep -m 1 '^\[skipped\]' "$work/$log")
  say "$(printf '%-12s %-28s %4d s  %s' "$section" "$log" $((SECONDS - start)) "$note")"
  return "$rc"
}

# ours <seconds> <log> <command...>: our CUDA programs need the toolkit's cuBLAS. Python brings its own.
ours() {
  local limit=$1 log=$2
  shift 2
  step "$limit" "$log" env LD_LIBRARY_PATH="$LD_LIBRARY_PATH:$kCuda/lib64" "$@"
}

# report_json <snapshot> <name>: leaves no file when it fails.
report_json() {
  # shellcheck disable=SC2016  # the inner bash expands it
  step 60 "$2.txt" bash -c '"$0" report --json "$1" >"$2"' "$kBin/prof" "$1" "$work/$2" ||
    rm -f "$work/$2"
}

tail_lines() { grep -hE '^\[(timing|checksum|counts|thread|memory|loss|failed)\]' "$@" 2>/dev/null | tee -a "$work/summary.txt"; }

run_tests() {
  local program name
  for program in "$kBin"/*_test; do
    name=$(basename "$program")
    case $name in
      saxpy_test) ours 60 "test_$name.txt" "$program" ;;
      *) ours 100 "test_$name.txt" "$program" '[gpu]' ;;
    esac
    say "             $(grep -hE '^(All tests passed|test cases:)' "$work/test_$name.txt" | tail -n 1)"
  done
  ours 60 saxpy.txt "$kBin/saxpy"
  # Programs that end while counters or PM sampling are still being prepared.
  # shellcheck disable=SC2016  # the inner bash expands it
  ours 150 short_programs.txt bash -c 'bin=$0 file=$1 failed=0
    for options in "" "--counters pulse" "--continuous --counters none"; do
      for i in {1..15}; do
        "$bin/prof" run $options --output "$file" -- "$bin/storm_bare" $((i * 400)) 1 ranges &&
          "$bin/prof" report "$file" >/dev/null && continue
        echo "[failed] $options: $((i * 400)) launches" && ((++failed))
      done
    done
    ((failed == 0)) || { echo "$failed of 45 failed"; exit 1; }' "$kBin" "$work/short.prof"
}

run_transformer() {
  local tokens
  for tokens in 2048 1; do
    ours 60 "transformer_$tokens.txt" "$kBin/transformer_layer" --tokens "$tokens" \
      --output "$work/transformer_$tokens.prof"
    tail_lines "$work/transformer_$tokens.txt"
    report_json "$work/transformer_$tokens.prof" "transformer_$tokens.json"
  done
}

# kernels_in <JSON report>
kernels_in() {
  "$kPython" -c 'import json, sys; print(json.load(open(sys.argv[1]))["totals"]["kernels"])' "$1" \
    2>/dev/null || echo unknown
}

# build_injection <name>: bench/gpu/<name>.cc to lib<name>.so.
build_injection() {
  step 30 "$1_build.txt" g++ -std=c++17 -O2 -shared -fPIC "bench/gpu/$1.cc" \
    -o "$work/lib$1.so" -I"$kCuda/include" -I"$kCuda/extras/CUPTI/include" \
    -L"$kCuda/lib64" -L"$kCuda/extras/CUPTI/lib64" -Wl,-rpath,"$kCuda/extras/CUPTI/lib64" \
    -lcupti
}

run_pytorch() {
  local script=examples/pytorch/llama_like.py counted recorded
  step 60 llama_bare.txt "$kPython" "$script"
  step 60 llama_bare_again.txt "$kPython" "$script"
  build_injection kernel_counter &&
    step 60 llama_counted.txt env CUDA_INJECTION64_PATH="$work/libkernel_counter.so" \
      KERNEL_COUNTER_OUTPUT="$work/kernel_counts.txt" "$kPython" "$script"
  # The program's own streams are kept apart, so that what prof prints cannot hide in them.
  # shellcheck disable=SC2016  # the inner bash expands it
  step 90 llama_prof_stderr.txt bash -c '"$@" >"$0"' "$work/llama_prof.txt" \
    "$kBin/prof" run --counters stalls --output "$work/llama.prof" -- "$kPython" "$script"
  report_json "$work/llama.prof" llama.json
  step 60 llama_report.txt "$kBin/prof" report "$work/llama.prof"

  for other in llama_bare_again llama_prof; do
    if grep -q checksum "$work/llama_bare.txt" && diff "$work/llama_bare.txt" "$work/$other.txt" \
      >"$work/$other.diff"; then
      say "             output of $other.txt is the same as of llama_bare.txt"
    else
      say "             output of $other.txt DIFFERS from llama_bare.txt (or has no checksum)"
    fi
  done
  counted=$(awk '{ n += $3; d += $5 } END { print n + 0, "with", d + 0, "dropped" }' \
    "$work/kernel_counts.txt" 2>/dev/null || echo unknown)
  recorded=$(kernels_in "$work/llama.json")
  say "             kernels: an independent counter saw $counted; prof recorded $recorded"
}

# with_ncu <seconds> <name> <program...>: the metrics of <name>.json under ncu, to ncu_<name>.json.
with_ncu() {
  local limit=$1 name=$2
  shift 2
  ours "$limit" "ncu_$name.txt" "$kPython" bench/gpu/ncu.py --metrics-of "$work/$name.json" \
    --limit $((limit - 50)) --output "$work/ncu_$name.json" -- "$@"
  say "             $(tail -n 1 "$work/ncu_$name.txt" 2>/dev/null)"
}

run_accuracy() {
  local known=$kBin/known_kernels python=bench/gpu/python_kernels.py pairs=() expected=() name
  ours 60 expected_known.txt "$known" --expected "$work/expected_known.json"
  step 20 expected_python.txt "$kPython" "$python" --expected "$work/expected_python.json"
  ours 100 known.txt "$known" --json "$work/known.json"
  tail_lines "$work/known.txt"
  with_ncu 200 known "$known" --bare
  step 60 python.txt env PROF_BUDGET_PERCENT=100 PROF_BUDGET_SECONDS=60 "$kBin/prof" run \
    --counters all --output "$work/python.prof" -- "$kPython" "$python" --seconds 12
  report_json "$work/python.prof" python.json
  with_ncu 130 python "$kPython" "$python"

  for name in known python; do
    [[ -s $work/$name.json ]] || continue
    [[ -s $work/expected_$name.json ]] &&
      expected+=(--pair "$work/expected_$name.json" "$work/$name.json")
    [[ -s $work/ncu_$name.json ]] && pairs+=(--pair "$work/$name.json" "$work/ncu_$name.json")
  done
  step 30 counts.txt "$kPython" bench/gpu/expected_counts.py "${expected[@]}" \
    --markdown "$work/counts.md" --json "$work/counts.json"
  say "$(tail -n 1 "$work/counts.txt" 2>/dev/null)"
  ours 90 counter_cost.txt "$kPython" bench/gpu/counter_cost.py --prof "$work/known.json" \
    --log "$work/known.txt" --ncu "$work/ncu_known.json" --markdown "$work/counter_cost.md" \
    --json "$work/counter_cost.json" -- "$known" --bare
  say "$(cat "$work/counter_cost.txt" 2>/dev/null)"
  step 30 accuracy.txt "$kPython" bench/gpu/compare_ncu.py "${pairs[@]}" \
    --markdown "$work/accuracy.md" --json "$work/accuracy.json"
  say "$(cat "$work/accuracy.txt" 2>/dev/null)"
}

run_continuous() {
  local left=$((section_end - SECONDS))
  step "$left" continuous.txt "$kPython" bench/gpu/continuous.py --bin "$kBin" --python "$kPython" \
    --seconds "$((left - kLongSeconds - 70))" --long-seconds "$kLongSeconds" --keep "$work" \
    --markdown "$work/continuous.md" --json "$work/continuous.json"
  grep -hE '^\||^\[failed\]' "$work/continuous.txt" 2>/dev/null | tee -a "$work/summary.txt"
}

run_storm() {
  local left=$((section_end - SECONDS))
  build_injection tracing_parts &&
    step "$left" tracing.txt "$kPython" bench/gpu/tracing.py --bin "$kBin" \
      --parts "$work/libtracing_parts.so" --seconds "$((left - 40))" \
      --kinds "${PROF_GPU_KINDS:-plain,ranges,graph,parts,graph parts}" --repeats 10 \
      --markdown "$work/tracing.md" --json "$work/tracing.json"
  grep -hE '^\||^\[failed\]' "$work/tracing.txt" 2>/dev/null | tee -a "$work/summary.txt"
  mkdir -p "$work/buffers"
  ours 40 buffers.txt env CUDA_INJECTION64_PATH="$PWD/$work/libtracing_parts.so" \
    TRACING_PARTS=kernels,copies,memsets,overhead,callback \
    TRACING_SAVE="$work/buffers" "$kBin/transformer_bare" --tokens 1 --steps 300 --steady 1
  ours 40 storm_4_threads.txt "$kBin/launch_storm" counters 50000 4
  tail_lines "$work/storm_4_threads.txt"
}

run_peers() {
  local left=$((section_end - SECONDS))
  build_injection tracing_parts
  step "$left" peers.txt "$kPython" bench/gpu/peers.py --bin "$kBin" --python "$kPython" \
    --parts "$work/libtracing_parts.so" --seconds "$((left - 30))" \
    --workloads "${PROF_GPU_WORKLOADS:-}" --variants "${PROF_GPU_VARIANTS:-}" \
    --markdown "$work/peers.md" --json "$work/peers.json"
  grep -hE '^\||^\[failed\]' "$work/peers.txt" 2>/dev/null | tee -a "$work/summary.txt"
}

run_living() {
  local left=$((section_end - SECONDS))
  step "$left" living_with.txt "$kPython" bench/gpu/living_with.py --bin "$kBin" \
    --python "$kPython" --seconds "$((left - 150))" --markdown "$work/living_with.md" \
    --json "$work/living_with.json"
  grep -hE '^\||^\[failed\]' "$work/living_with.txt" 2>/dev/null | tee -a "$work/summary.txt"
}

run_gpus() {
  local left=$((section_end - SECONDS))
  if (($(nvidia-smi --query-gpu=name --format=csv,noheader 2>/dev/null | wc -l) < 2)); then
    say "gpus         [skipped] fewer than two GPUs"
    return
  fi
  step "$left" several_gpus.txt "$kPython" bench/gpu/several_gpus.py --bin "$kBin" \
    --markdown "$work/several_gpus.md" --json "$work/several_gpus.json"
  grep -hE '^\|' "$work/several_gpus.txt" 2>/dev/null | tee -a "$work/summary.txt"
}

run_soak() {
  local left=$((section_end - SECONDS))
  ((left > 60)) || return
  step "$left" soak.txt "$kPython" bench/gpu/soak.py --bin "$kBin" --seconds "$((left - 45))" \
    --markdown "$work/soak.md" --json "$work/soak.json"
  grep -hE '^\|' "$work/soak.txt" 2>/dev/null | tee -a "$work/summary.txt"
}

run_cost() {
  local left=$((section_end - SECONDS))
  step "$left" cost.txt "$kPython" bench/gpu/cost.py --bin "$kBin" --python "$kPython" \
    --seconds "$((left - 110))" --markdown "$work/cost.md" --json "$work/cost.json"
  grep -hE '^\||^\[failed\]|^llama_like: ' "$work/cost.txt" 2>/dev/null | tee -a "$work/summary.txt"
}

collect() {
  local file copied=0
  cp "$work/summary.txt" "$kOut/"
  for file in accuracy.json accuracy.md counts.json counter_cost.json cost.json continuous.json tracing.json \
    peers.json living_with.json several_gpus.json soak.json \
    transformer_2048.txt transformer_1.txt llama_report.txt; do
    if ((copied < 6)) && [[ -f $work/$file ]] && (($(stat -c %s "$work/$file") < kLargestFile)); then
      cp "$work/$file" "$kOut/"
      copied=$((copied + 1))
    fi
  done
  tar -czf "$kOut/results.tgz" -C "$work" .
  if (($(stat -c %s "$kOut/results.tgz") > kLargestFile)); then
    tar -czf "$kOut/results.tgz" -C "$work" --exclude='*.prof' .
    say "the snapshots are left out of results.tgz: too large"
  fi
}

main() {
  local sections=("$@") name
  declare -A limits=([tests]=150 [transformer]=120 [accuracy]=400 [pytorch]=200 [storm]=300
    [peers]=280 [living]=300 [gpus]=250 [continuous]=$((240 + kLongSeconds)) [cost]=420 [soak]=560)
  ((${#sections[@]})) || sections=("${kAllSections[@]}")
  say "$(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader 2>/dev/null || echo 'no nvidia-smi'); commit $(cat device/commit 2>/dev/null)"
  for name in "${sections[@]}"; do
    if [[ -z ${limits[$name]:-} ]]; then
      say "$name: no such section; there are ${kAllSections[*]}"
      continue
    fi
    section=$name
    section_end=$((SECONDS + limits[$name]))
    ((${#sections[@]} > 1)) || section_end=$kSecondsInAll
    ((section_end < kSecondsInAll)) || section_end=$kSecondsInAll
    say "--- $name (at most $((section_end - SECONDS)) s)"
    "run_$name"
    collect  # after each: the time may be over any moment
  done
  local failed
  failed=$(grep -cE 'FAILED|DIFFERS' "$work/summary.txt")
  say "--- $SECONDS s in all; $failed failed"
  cp "$work/summary.txt" "$kOut/"
  ((failed == 0))
}

main "$@"
