#!/usr/bin/env bash
# Does DP-SCAFFOLD beat DP-FedAvg on real, heterogeneous data at the same privacy, as Noble, Bellet and Dieuleveut
# (2022) say? MNIST is dealt to 10 users by label (similarity 0 %) and softmax regression trained as in their section 5.
#
#     validation/mnist_noble.sh [IMAGES LABELS]
#
# IMAGES and LABELS are IDX files, gzip too; left out, those under ../shared/data. DPBUDGET names the program, else that
# of build/release. As in the paper each algorithm's step size is tuned, here together with the clipping norm: on seed
# 0, by test accuracy. Seeds 1, 2 and 3, which deal the records afresh, are reported. No budget covers the tuning.
set -euo pipefail
(($# == 0 || $# == 2)) || { printf '%d arguments, but must be none, or IMAGES and LABELS\n' "$#" >&2; exit 2; }
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
data=$root/../shared/data
images=${1:-$data/mnist-10k-images-idx3-ubyte.gz}
labels=${2:-$data/mnist-10k-labels-idx1-ubyte.gz}
export images labels dpbudget=${DPBUDGET:-$root/build/release/tools/dpbudget}

algorithms=(dp-fedavg dp-scaffold dp-scaffold-warm)
clips=(0.5 1 2)
steps=(0.05 0.1 0.2 0.4)
seeds=(1 2 3)
export delta=1.25e-4 # 1 / (10 users * 800 training records)

for file in "$dpbudget" "$images" "$labels"; do
  [[ -r $file ]] || { printf '%s cannot be read\n' "$file" >&2; exit 2; }
done
folder=$(mktemp -d)
export folder
trap 'rm -rf "$folder"' EXIT

# train ALGORITHM CLIP STEP SEED: 200 released rounds, and a ledger and a report named after the arguments. The warm
# start is paid from the same 200, so that all algorithms spend the same.
# shellcheck disable=SC2317 # it is called through xargs
train() {
  local name="$1,$2,$3,$4" rounds=(--rounds 200)
  [[ $1 != *-warm ]] || rounds=(--rounds 180 --warm-rounds 20)
  "$dpbudget" simulate --algorithm "$1" --data "idx:$images,$labels" --users 10 --similarity 0 "${rounds[@]}" \
    --local-steps 10 --user-rate 0.2 --record-rate 0.2 --noise 8 --clip "$2" --step "$3" --seed "$4" --delta "$delta" \
    --evaluate-every 200 --threads 1 --ledger "$folder/$name.jsonl" > "$folder/$name.report"
}
export -f train

# Lines of arguments of `train`, two at a time: a run's bits do not depend on what runs beside it.
train_all() { xargs --max-procs 2 --max-lines=1 bash -c 'train "$@"' train; }

accuracy() { awk '/^accuracy/ { print $2 }' "$folder/$1.report"; }

grid() {
  local algorithm clip step
  for algorithm in "${algorithms[@]}"; do
    for clip in "${clips[@]}"; do
      for step in "${steps[@]}"; do printf '%s %s %s 0\n' "$algorithm" "$clip" "$step"; done
    done
  done
}

# best ALGORITHM: the clip and step of its best run on seed 0
best() {
  local algorithm clip step seed
  grid | while read -r algorithm clip step seed; do
    [[ $algorithm != "$1" ]] || printf '%s %s %s\n' "$(accuracy "$algorithm,$clip,$step,$seed")" "$clip" "$step"
  done | sort --key 1,1gr --stable | head --lines 1 | cut --delimiter ' ' --fields 2,3
}

printf 'MNIST, 10 users, similarity 0 %%: T 200, K 10, l 0.2, s 0.2, noise 8, delta %s\n' "$delta"
printf 'Tuning on seed 0: %d algorithms, clip %s, step %s\n\n' "${#algorithms[@]}" "${clips[*]}" "${steps[*]}"
grid | train_all

declare -A tuned
for algorithm in "${algorithms[@]}"; do tuned[$algorithm]=$(best "$algorithm"); done
for algorithm in "${algorithms[@]}"; do
  for seed in "${seeds[@]}"; do printf '%s %s %s\n' "$algorithm" "${tuned[$algorithm]}" "$seed"; done
done | train_all

line='%-18s%6s%6s   %-24s%8s%11s   %-24s %s\n'
# shellcheck disable=SC2059 # the format is the one above
printf "$line" algorithm clip step "accuracy %, seeds ${seeds[*]}" mean deviation "proven epsilon" "ledgers verified"
printf -- '-%.0s' {1..121}
printf '\n'
failed=0
declare -A result
for algorithm in "${algorithms[@]}"; do
  read -r clip step <<< "${tuned[$algorithm]}"
  accuracies=() verdicts=() epsilons=()
  for seed in "${seeds[@]}"; do
    name="$algorithm,$clip,$step,$seed"
    accuracies+=("$(accuracy "$name")")
    if "$dpbudget" verify "$folder/$name.jsonl" > "$folder/$name.verified"; then
      verdicts+=(PASS)
    else
      verdicts+=(FAIL) failed=1
    fi
    # The last pair of the third party's line: what the executed events cost.
    epsilons+=("$(awk '/^third_party/ { print $(NF - 1) }' "$folder/$name.verified")")
  done
  result[$algorithm]=${accuracies[*]}
  read -r mean deviation < <(printf '%s\n' "${accuracies[@]}" | awk '
    { n++; sum += $1; squares += $1 * $1 }
    END { mean = sum / n; printf "%.2f %.2f\n", mean, sqrt((squares - n * mean * mean) / (n - 1)) }')
  # shellcheck disable=SC2059
  printf "$line" "$algorithm" "$clip" "$step" "${accuracies[*]}" "$mean" "$deviation" "${epsilons[*]}" "${verdicts[*]}"
done

for algorithm in "${algorithms[@]:1}"; do
  read -ra better <<< "${result[$algorithm]}"
  read -ra base <<< "${result[dp-fedavg]}"
  for i in "${!seeds[@]}"; do printf '%s %s\n' "${better[i]}" "${base[i]}"; done | awk -v name="$algorithm" '
    { sum += $1 - $2; if ($1 > $2) wins++ }
    END { printf "%s beats dp-fedavg on %d of %d seeds; mean difference %.2f points\n", name, wins, NR, sum / NR }'
done
exit "$failed"
