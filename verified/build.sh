#!/bin/sh
# Builds verified/bin/qsage-verified from the OCaml that is checked in (needs ocamlfind).
# "build.sh coq" first proves the theorems and extracts that OCaml anew (needs coqc);
# "build.sh check" has coqchk check the compiled theorems once more.
set -e
cd "$(dirname "$0")"
case "$1" in
coq)
  cd theories
  for file in $(cat ORDER); do
    coqc -q -w none -Q . Verified "$file.v"
  done
  for file in core.ml core.mli; do
    cmp -s "$file" "../ocaml/$file" || echo "verified/ocaml/$file: extracted anew, it has changed"
    mv "$file" "../ocaml/$file"
  done
  cd ..
  ;;
check)
  exec coqchk -silent -o -Q theories Verified Verified.Unrolled Verified.Prenex
  ;;
esac
mkdir -p bin build
cp ocaml/*.ml ocaml/*.mli build/
cd build
# The extracted code and the readers are compiled with all checks of bounds.
ocamlfind ocamlopt -w -a -inline 200 -o qsage-verified \
  core.mli core.ml text.ml game_text.ml read.ml read_game.ml verdict.ml write.ml main.ml
mv qsage-verified ../bin/
