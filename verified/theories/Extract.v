(** Extraction: booleans, options, pairs and lists become OCaml's own, and nothing else. *)
From Coq Require Import Extraction ExtrOcamlBasic.
From Verified Require Import Qbf Checker.
Extraction "core.ml" check check_qdimacs check_dqdimacs circuit_of tseitin tie final.
