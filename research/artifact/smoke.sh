#!/bin/sh
# The artifact in a few minutes: each step with its time and its peak of memory.
#
#     sh smoke.sh                installs first, if install.sh has not been run
#
# The last line says whether all steps ended as expected; the exit code is 1 when one did not.
set -u
cd "$(dirname "$0")"
sh install.sh || exit 2
PATH=$PWD/env/bin:$PATH
export PATH
mkdir -p smoke
cd smoke || exit 2
failed=0
has() { python -c "import importlib.util as u, sys; sys.exit(u.find_spec('$1') is None)"; }
step() { # NAME CODES COMMAND ...
    name=$1 codes=$2
    shift 2
    python ../measure.py "$name" "$(echo "$name" | tr -c 'a-z0-9\n' '-').txt" "$codes" "$@" ||
        failed=$((failed + 1))
}

for sample in tic connect3 breakthrough evader hex domineering; do
    step "validate sample $sample" 0 qsage validate "sample:$sample" --cert "sample:$sample.aig"
done
step "samples are what their commands make" 0 python ../source/certificates/regenerate.py --check
step "search: black wins" 10 qsage solve httt --size 4x4 --shape tic --depth 5
step "search: white wins" 20 qsage solve httt --size 4x4 --shape tic --depth 3
step "certify" 0 qsage certify httt --size 4x4 --shape el --depth 9 -o el.aig --formula el.qcir
step "validate, with proofs for other checkers" 0 \
    qsage validate el.qcir --cert el.aig --proof el-proof
step "verify these proofs" 0 qsage verify el-proof
step "a certificate of another formula is bad input" 2 \
    qsage validate sample:hex --cert sample:tic.aig
step "a strategy with one flipped function is refuted" 0 python ../source/demos/wrong_strategy.py
step "play by a script" 0 qsage-play --moves "occupy(1,1) occupy(4,4)"
step "compare two encodings" 0 python ../source/demos/encodings.py
step "a game of one's own" 0 python ../source/demos/own_game.py
if has pyqbf; then
    step "a qbf solver says the same" 10 qsage solve sample:tic --solver depqbf
fi
if has clingo; then
    step "a game in gdl is encoded" 0 qsage encode trails --role red --depth 6 -o trails.qcir
fi
if has z3; then
    step "winning formula of an impartial game" 0 qsage synthesize take-away-3
fi
if [ "$failed" = 0 ]; then echo "all steps ended as expected"; else echo "$failed steps FAILED"; fi
[ "$failed" = 0 ]
