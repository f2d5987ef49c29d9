#!/usr/bin/env bash
# How far runs of the papers' settings may end from the optimum, one command each (Zheng et al. have no theorem on that).
# What they claim and spend of privacy is for validation/papers.
#
#     validation/convergence.sh [PAPER...]     noble, chang, chen, lowy; none: all
#
# DPBUDGET names the program, else that of build/release.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
dpbudget=${DPBUDGET:-$root/build/release/tools/dpbudget}
[[ -x $dpbudget ]] || { printf '%s cannot be run\n' "$dpbudget" >&2; exit 2; }

show() {
  printf '\n$ dpbudget'
  printf ' %q' "$@"
  printf '\n\n'
  "$dpbudget" "$@"
}

# Fig. 1: synthetic data, softmax of 40 features and 10 classes, K = 10.
noble() {
  show converge dp-scaffold-warm --rounds 400 --users 100 --participants 20 --local-steps 10 --batch 800 --noise 60 \
    --clip 1 --dimension 410 --smoothness 0.3 --gradient-variance 1 --distance 5
}

# Fig. 3: sigma_0^2 = 8 on the mean of 500 gradients of norm 1 at most, 700 rounds.
chang() {
  show converge dp-scaffold --schedule chang1:beta=0.998,hold=200 --rounds 700 --local-steps 200 --noise 707.10678 \
    --clip 1 --batch 500 --dimension 1 --users 40 --participants 8 --server-step 2 --smoothness 2 --distance 1 \
    --gradient-variance 1 --control-error 1
}

# MNIST: B = 10, tau = 300, 10 of 100 clients.
chen() {
  show converge dpnfl --rounds 100 --users 100 --participants 10 --local-steps 300 --batch 10 --noise 15.2 --clip 1 \
    --dimension 7850 --smoothness 0.5 --strong-convexity 0.001 --gradient-variance 1 --gradient-bound 1 --distance 5 \
    --optima-gap 0.5 --dissimilarity-offset 1
}

# Section 6: 25 silos of 1000 records, 25 rounds of 424, epsilon 0.75 at delta 1e-6.
lowy() {
  show converge dp-mb-sgd --rounds 25 --users 25 --batch 424 --noise 14.859 --clip 1 --dimension 51 --smoothness 0.3 \
    --gradient-variance 1 --gradient-bound 1 --distance 5 --records 1000 --epsilon 0.75 --delta 1e-6
}

(($#)) || set -- noble chang chen lowy
for paper; do
  case $paper in
    noble | chang | chen | lowy) "$paper" ;;
    *) printf '%s is none of noble, chang, chen and lowy\n' "$paper" >&2; exit 2 ;;
  esac
done
