#!/bin/sh
# The tables of the documents made anew, into tables/NAME.txt. A table that is there is skipped, and
# experiments go on where they were interrupted: run it again until it has nothing left to do.
#
#     sh tables.sh               all, the quick ones first
#     sh tables.sh --list        their names, pages and commands
#     sh tables.sh NAME ...      these
#     DATA=FOLDER sh tables.sh   also those about files that others have published, see README.md
set -u
cd "$(dirname "$0")"
here=$PWD
data=${DATA:-}
wanted=" $* "
failed=0
table() { # NAME PAGE COMMAND
    if [ "$wanted" = " --list " ]; then
        echo "$1 (source/docs/$2): $3"
        return
    fi
    case "$wanted" in "  " | *" $1 "*) ;; *) return ;; esac
    if [ -e "$here/tables/$1.txt" ]; then
        echo "$1: is there"
        return
    fi
    case "$3" in
    *'$data'*) [ -n "$data" ] || { echo "$1: left out, DATA is not set"; return; } ;;
    esac
    python "$here/measure.py" "$1" "$here/tables/$1.txt" 0 sh -euc "data='$data'; $3" ||
        failed=$((failed + 1))
}
if [ "$wanted" != " --list " ]; then
    sh install.sh || exit 2
    PATH=$here/env/bin:$PATH
    export PATH
    mkdir -p tables
    cd source || exit 2
fi
t=../tables

# Minutes.
table encodings results/benchmarks.md 'python research/benchmarks/encodings.py'
table certificates results/benchmarks.md 'python research/benchmarks/certificates.py'
table positional-sizes explanation/positional-encodings.md 'python research/benchmarks/positional_sizes.py'
table checkers how-to/verify.md 'python research/benchmarks/checkers.py'
table check results/benchmarks.md 'python research/benchmarks/check.py'
table starts results/benchmarks.md 'python research/benchmarks/starts.py'
table walks explanation/architecture.md 'python research/benchmarks/walks.py'
table plays results/benchmarks.md 'python research/benchmarks/plays.py'
table reading results/benchmarks.md 'python research/benchmarks/reading.py'
table load results/benchmarks.md 'python research/benchmarks/load.py'
table opening results/benchmarks.md 'python research/benchmarks/opening.py'
table keys results/benchmarks.md 'python research/benchmarks/keys.py'
table pages results/benchmarks.md \
    'python research/benchmarks/pages.py --gates 900000 ${data:+--data "${data}"}'
table simulation results/benchmarks.md 'python research/benchmarks/simulation.py'
table completion results/benchmarks.md 'python research/benchmarks/completion.py'
table minimise results/benchmarks.md 'python research/benchmarks/minimise.py'
table traces results/benchmarks.md 'python research/benchmarks/traces.py'
table lifting results/benchmarks.md 'python research/benchmarks/lifting.py'
table search results/benchmarks.md 'python research/benchmarks/search.py'
table faults explanation/validation.md 'python research/benchmarks/faults.py'
table listed-faults explanation/validation.md 'python research/benchmarks/listed_faults.py --seconds 600'
table compare-faults explanation/compare.md 'python research/benchmarks/compare_faults.py'

# Hours.
table solving explanation/encodings.md 'python research/benchmarks/solving.py --long --solvers depqbf,caqe'
table campaign how-to/solving.md 'python research/benchmarks/campaign.py --count 2000 --seed 1'
table table2-search results/table2.md \
    "qsage bench table2 --memory 8000 -o $t/search.jsonl; qsage bench table $t/search.jsonl --cpu"
table table2-solvers results/table2.md \
    "qsage bench table2 --solver depqbf --solver caqe --preprocess bloqqer --memory 8000 \
     -o $t/solvers.jsonl; qsage bench table $t/search.jsonl $t/solvers.jsonl --table solved"
table table2-certificates results/table2.md \
    "qsage bench table2 --solver certify:search --memory 8000 --timeout 60 \
     -o $t/certificates.jsonl; qsage bench table $t/certificates.jsonl --table certificates"
table httt-5x5 results/httt-5x5.md \
    "qsage bench httt --solver positional --only '5x5*' --timeout 600 --processor-time \
     -o $t/httt.jsonl; qsage bench table $t/httt.jsonl --table shapes"
table httt-depths results/httt-depths.md \
    "qsage bench httt --set depth=7,9,11,13,15 --timeout 20 --processor-time --memory 8000 \
     -o $t/depths.jsonl; qsage bench table $t/depths.jsonl --table depths"
table pairings explanation/positional-encodings.md \
    "qsage bench httt --set board=5x5 --solver search --solver depqbf+pairs --timeout 60 \
     -o $t/pairs.jsonl; qsage bench table $t/pairs.jsonl --table winners"
table impartial results/impartial-benchmark.md \
    "qsage bench impartial -o $t/impartial.jsonl; qsage bench table $t/impartial.jsonl"
table liars explanation/liars.md \
    "python research/benchmarks/liars.py --cases 100000 --checkpoint $t/liars.txt.checkpoint"

# About files that others have published: $DATA/gdl, $DATA/impartial, $DATA/B-Hex, $DATA/bddl.
table gdl results/gdl-benchmark.md \
    "qsage bench gdl \"\$data/gdl\" --timeout 1000 -o $t/gdl.jsonl; qsage bench table $t/gdl.jsonl"
table impartial-published results/impartial-benchmark.md \
    "qsage bench impartial \"\$data/impartial\" --set every=10 --solver hybrid --solver synms \
     --solver enum --timeout 60 -o $t/published.jsonl; qsage bench table $t/published.jsonl"
table hein results/positional-benchmark.md \
    "qsage bench positional \"\$data/B-Hex\" --solver search --processor-time -o $t/hein.jsonl; \
     qsage bench table $t/hein.jsonl --table solved"
table solver-plays results/benchmarks.md "python research/benchmarks/solver_plays.py \"\$data\""
table explanations results/benchmarks.md "python research/benchmarks/explanations.py"
table quabs explanation/encodings.md "python research/benchmarks/solving.py --data \"\$data\" --formulas"

if [ "$wanted" != " --list " ]; then
    if [ "$failed" = 0 ]; then echo "nothing failed"; else echo "$failed tables FAILED"; fi
fi
[ "$failed" = 0 ]
