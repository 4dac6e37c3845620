(** Names written as decimal numbers, and lists as suppliers: what the theorems that
    [qsage verify --theorem] writes are written with. *)
From Coq Require Import List NArith Number.
From Verified Require Import Qbf Checker.
Import ListNotations.

Fixpoint name_of_pos (p : positive) : name :=
  match p with
  | xH => D1 End
  | xO xH => D2 End | xI xH => D3 End
  | xO (xO xH) => D4 End | xI (xO xH) => D5 End | xO (xI xH) => D6 End | xI (xI xH) => D7 End
  | xO (xO (xO p)) => D0 (name_of_pos p)
  | xI (xO (xO p)) => D1 (name_of_pos p)
  | xO (xI (xO p)) => D2 (name_of_pos p)
  | xI (xI (xO p)) => D3 (name_of_pos p)
  | xO (xO (xI p)) => D4 (name_of_pos p)
  | xI (xO (xI p)) => D5 (name_of_pos p)
  | xO (xI (xI p)) => D6 (name_of_pos p)
  | xI (xI (xI p)) => D7 (name_of_pos p)
  end.
Definition name_of_uint (u : Number.uint) : name :=
  match N.of_num_uint u with N0 => End | Npos p => name_of_pos p end.

Fixpoint N_of_name (n : name) : BinNums.N :=
  match n with
  | End => 0
  | D0 n => 8 * N_of_name n | D1 n => 8 * N_of_name n + 1
  | D2 n => 8 * N_of_name n + 2 | D3 n => 8 * N_of_name n + 3
  | D4 n => 8 * N_of_name n + 4 | D5 n => 8 * N_of_name n + 5
  | D6 n => 8 * N_of_name n + 6 | D7 n => 8 * N_of_name n + 7
  end%N.
(** Names with zeros behind them are printed as they are. *)
Fixpoint plain_number (n : name) : bool :=
  match n with
  | End => true
  | D0 End => false
  | D0 n | D1 n | D2 n | D3 n | D4 n | D5 n | D6 n | D7 n => plain_number n
  end.
Definition uint_of_name (n : name) : option Number.uint :=
  if plain_number n then Some (N.to_num_uint (N_of_name n)) else None.

Declare Scope name_scope.
Delimit Scope name_scope with name.
Bind Scope name_scope with name.
Number Notation name name_of_uint uint_of_name : name_scope.

Definition listed : supply (list (option name) * list step) := {|
  place_of := fun _ _ s => match fst s with
                         | x :: xs => (x, (xs, snd s))
                         | [] => (None, s)
                         end;
  next_step := fun s => match snd s with
                        | x :: xs => Some (x, (fst s, xs))
                        | [] => None
                        end |}.
