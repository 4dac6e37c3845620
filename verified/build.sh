#!/bin/sh
# Builds verified/bin/qsage-verified from the OCaml that is checked in; "build.sh coq" first proves
# the theorems and extracts that OCaml anew.
set -e
cd "$(dirname "$0")"
mkdir -p bin build
if [ "$1" = coq ]; then
  cd theories
  for file in $(cat ORDER); do coqc -q -w none -Q . Verified "$file.v"; done
  cd ..
fi
cp ocaml/*.ml ocaml/*.mli build/
cd build
ocamlfind ocamlopt -w -a -inline 200 -o ../bin/qsage-verified \
  core.mli core.ml text.ml game_text.ml read.ml read_game.ml verdict.ml write.ml main.ml
