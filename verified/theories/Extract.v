(** Extraction: booleans, options, pairs and lists become OCaml's own, and nothing else. *)
From Coq Require Import Extraction ExtrOcamlBasic.
From Verified Require Import Qbf Checker Prenex Games Unroll.
Extraction "core.ml" check check_qdimacs check_dqdimacs check_nested check_game check_clauses
  circuit_of tseitin tie final unrolled positional_game bddl_game.
