(** The checker: what is extracted.  Nothing here has to be read; [Sound.v] proves that
    what it accepts is so. *)
From Coq Require Import List Bool PArith.
From Verified Require Import Qbf Trie.
Import ListNotations.

(** ** The prefix *)

Definition quant_eqb (a b : quant) : bool :=
  match a, b with Ex, Ex | All, All => true | _, _ => false end.

(** The positions of all variables, and those of the opponent's; no variable twice.  The
    first position is 2: gates that read nothing have level 1. *)
Fixpoint index (w : quant) (p : prefix) (i : positive) (A U : trie positive)
  : option (trie positive * trie positive) :=
  match p with
  | [] => Some (A, U)
  | (q, v) :: p =>
      if mem v A then None
      else index w p (Pos.succ i) (add v i A) (if quant_eqb q w then U else add v i U)
  end.

(** ** Circuits *)

Fixpoint join (L : trie positive) (ls : list lit) (k : positive) : option positive :=
  match ls with
  | [] => Some k
  | l :: ls => match find (var l) L with
               | None => None
               | Some j => join L ls (if Pos.leb j k then k else j)
               end
  end.

(** The level of a gate is the largest one of its inputs.  Each input has to be there
    before the gate, and the gate's name must be new. *)
Fixpoint scan (bad : name -> bool) (gs : list gate) (L : trie positive)
  : option (trie positive) :=
  match gs with
  | [] => Some L
  | g :: gs =>
      match join L (gins g) 1%positive with
      | None => None
      | Some k => if bad (gout g) || mem (gout g) L then None
                  else scan bad gs (add (gout g) k L)
      end
  end.

(** The functions: a literal, or the constant false for a variable that does not matter. *)
Definition func := option lit.

Fixpoint funs_ok (A U L : trie positive) (fs : list (name * func)) (F : trie func)
  : option (trie func) :=
  match fs with
  | [] => Some F
  | (x, f) :: fs =>
      match find x A, find x U, find x F with
      | Some i, None, None =>
          if match f with
             | None => true
             | Some l => match find (var l) L with
                         | None => false
                         | Some k => Pos.ltb k i
                         end
             end
          then funs_ok A U L fs (add x f F) else None
      | _, _, _ => None
      end
  end.

(** ** Clauses *)

(** As [map], for lists of any length. *)
Definition each {X Y} (f : X -> Y) (xs : list X) (rest : list Y) : list Y :=
  rev_append (fold_left (fun ys x => f x :: ys) xs []) rest.

Definition tseitin (g : gate) : list clause :=
  let v := gout g in
  match gkind g, gins g with
  | And, ls => each (fun l => [N v; l]) ls [P v :: each neg ls []]
  | Or, ls => each (fun l => [P v; neg l]) ls [N v :: ls]
  | Xor, [a; b] => [[N v; a; b]; [N v; neg a; neg b]; [P v; neg a; b]; [P v; a; neg b]]
  | Xor, _ => []
  | Ite, [c; t; e] => [[N v; neg c; t]; [N v; c; e]; [P v; neg c; neg t]; [P v; c; neg e]]
  | Ite, _ => []
  end.

Definition tie (x : name) (f : func) : list clause :=
  match f with
  | None => [[N x]]
  | Some l => [[N x; l]; [P x; neg l]]
  end.

(** ** Proofs by reverse unit propagation, as LRAT has them

    Clauses stand in places; a step overwrites the place that it names, so that a place
    can be used again when its clause is needed no more.  A clause of a definition may be
    put into a place at the beginning, or by a step [Take] when it is needed.  What tells
    the places of clauses at the beginning, and the steps, is a [supply] of which nothing
    is known: the theorems hold whatever it says. *)

Inductive definition := DGate (g : gate) | DFun (x : name) (f : func).
Definition clauses_of (d : definition) : list clause :=
  match d with DGate g => tseitin g | DFun x f => tie x f end.
Definition definitions := trie definition.

Inductive step :=
| Step (place : name) (c : clause) (hints : list name)
| Take (place v : name) (k : nat).
Record supply (S : Type) := Supply {
  place_of : name -> clause -> S -> option name * S;
  next_step : S -> option (step * S) }.
Arguments place_of {S}. Arguments next_step {S}.

Definition places := trie clause.
Definition partial := trie bool.

Definition assume (a : partial) (l : lit) : partial := add (var l) (sign l) a.
Definition falsified (a : partial) (l : lit) : bool :=
  match find (var l) a with
  | Some b => negb (Bool.eqb b (sign l))
  | None => false
  end.
Definition lit_eqb (a b : lit) : bool :=
  match a, b with P v, P w | N v, N w => name_eqb v w | _, _ => false end.

Inductive state := Conflict | Unit (l : lit) | Other.
Fixpoint under (a : partial) (c : clause) (u : option lit) : state :=
  match c with
  | [] => match u with None => Conflict | Some l => Unit l end
  | l :: c =>
      if falsified a l then under a c u
      else match u with
           | None => under a c (Some l)
           | Some l' => if lit_eqb l l' then under a c u else Other
           end
  end.

Fixpoint rup (d : places) (a : partial) (hints : list name) : bool :=
  match hints with
  | [] => false
  | h :: hints =>
      match find h d with
      | None => false
      | Some c => match under a c None with
                  | Conflict => true
                  | Unit l => rup d (assume a l) hints
                  | Other => false
                  end
      end
  end.

Fixpoint deny (c : clause) (a : partial) : partial :=
  match c with [] => a | l :: c => deny c (assume a (neg l)) end.

Section Supplied.
Context {S : Type} (from : supply S).

(** At most [fuel] steps, until one of them is the empty clause. *)
Fixpoint refutes (defs : definitions) (fuel : nat) (s : S) (d : places) : bool :=
  match fuel with
  | 0 => false
  | Datatypes.S fuel =>
      match next_step from s with
      | None => false
      | Some (Step i c hints, s) =>
          if rup d (deny c Empty) hints
          then match c with [] => true | _ => refutes defs fuel s (add i c d) end
          else false
      | Some (Take i v k, s) =>
          match find v defs with
          | None => false
          | Some df => match nth_error (clauses_of df) k with
                       | None => false
                       | Some c => refutes defs fuel s (add i c d)
                       end
          end
      end
  end.

(** Clauses go to the places that they are told; those that are told none are not needed,
    or taken later.  [v] is the name that they define. *)
Definition load1 (v : name) (sd : S * places) (c : clause) : S * places :=
  match place_of from v c (fst sd) with
  | (None, s) => (s, snd sd)
  | (Some i, s) => (s, add i c (snd sd))
  end.
Definition load (v : name) (cs : list clause) (sd : S * places) : S * places :=
  fold_left (load1 v) cs sd.
Definition load_gates (gs : list gate) (sd : S * places) : S * places :=
  fold_left (fun sd g => load (gout g) (tseitin g) sd) gs sd.
Definition load_funs (fs : list (name * func)) (sd : S * places) : S * places :=
  fold_left (fun sd xf => load (fst xf) (tie (fst xf) (snd xf)) sd) fs sd.

Definition define_gates (gs : list gate) (T : definitions) : definitions :=
  fold_left (fun T g => add (gout g) (DGate g) T) gs T.
Definition define_funs (fs : list (name * func)) (T : definitions) : definitions :=
  fold_left (fun T xf => add (fst xf) (DFun (fst xf) (snd xf)) T) fs T.

(** ** The checker *)

Record certificate := Cert { cgates : list gate; cfuns : list (name * func) }.

Definition final (w : quant) (o : lit) : lit := match w with Ex => neg o | All => o end.

Definition loses (w : quant) (q : qcir) (c : certificate) (fuel : nat) (s : S) : bool :=
  let sd := load_gates (gates q) (s, Empty) in
  let sd := load_gates (cgates c) sd in
  let sd := load_funs (cfuns c) sd in
  let sd := load End [[final w (out q)]] sd in
  let defs := define_funs (cfuns c) (define_gates (cgates c) (define_gates (gates q) Empty)) in
  refutes defs fuel (fst sd) (snd sd).

Definition check (w : quant) (q : qcir) (c : certificate) (fuel : nat) (s : S) : bool :=
  match index w (pre q) 2 Empty Empty with
  | None => false
  | Some (A, U) =>
      match scan (fun x => mem x A) (cgates c) U with
      | None => false
      | Some L =>
          match scan (fun x => mem x L) (gates q) A with
          | None => false
          | Some D =>
              match funs_ok A U L (cfuns c) Empty with
              | None => false
              | Some _ => mem (var (out q)) D
              end
          end
      end
  end && loses w q c fuel s.

(** Clauses alone: a proof that no assignment satisfies them. *)
Definition check_clauses (cs : list clause) (fuel : nat) (s : S) : bool :=
  let sd := load End cs (s, Empty) in refutes Empty fuel (fst sd) (snd sd).

(** ** QDIMACS: clauses as gates

    A clause of one literal is that literal; each other clause takes the next of [ns]
    as its gate's name, and the conjunction of all takes one more. *)

Fixpoint clause_gates (cs : list clause) (ns : list name) (gs : list gate) (js : list lit)
  : option (list gate * list lit * list name) :=
  match cs with
  | [] => Some (gs, js, ns)
  | c :: cs =>
      match c, ns with
      | [l], _ => clause_gates cs ns gs (l :: js)
      | _, n :: ns => clause_gates cs ns (Gate n Or c :: gs) (P n :: js)
      | _, [] => None
      end
  end.

Definition circuit_of (p : prefix) (cs : list clause) (ns : list name) : option qcir :=
  match clause_gates cs ns [] [] with
  | Some (gs, js, m :: _) =>
      Some (Qcir p (rev_append gs [Gate m And (rev_append js [])]) (P m))
  | _ => None
  end.

(** Clauses read variables of the prefix, and no gates. *)
Definition closed (A : trie positive) (cs : list clause) : bool :=
  forallb (forallb (fun l => mem (var l) A)) cs.

Definition check_qdimacs (w : quant) (q : qdimacs) (ns : list name)
    (c : certificate) (fuel : nat) (s : S) : bool :=
  match index w (qpre q) 2 Empty Empty, circuit_of (qpre q) (qclauses q) ns with
  | Some (A, _), Some k => closed A (qclauses q) && check w k c fuel s
  | _, _ => false
  end.

(** ** Dependency sets *)

(** The names that a function may read: those of its set, and the gates that read
    nothing else. *)
Fixpoint readable (gs : list gate) (D : trie unit) : trie unit :=
  match gs with
  | [] => D
  | g :: gs => readable gs (if forallb (fun l => mem (var l) D) (gins g)
                            then add (gout g) tt D else D)
  end.
Definition marks (xs : list name) : trie unit := fold_left (fun D x => add x tt D) xs Empty.

(** Each function in the order of the sets; each set of others' names only. *)
Fixpoint sets_ok (U : trie positive) (gs : list gate) (ds : list (name * list name))
    (fs : list (name * func)) : bool :=
  match ds, fs with
  | [], [] => true
  | (x, d) :: ds, (y, f) :: fs =>
      name_eqb x y && forallb (fun z => mem z U) d &&
      match f with
      | None => true
      | Some l => mem (var l) (readable gs (marks d))
      end && sets_ok U gs ds fs
  | _, _ => false
  end.

(** The others' names, each before any gate; no name twice. *)
Fixpoint universals (us : list name) (A : trie positive) : option (trie positive) :=
  match us with
  | [] => Some A
  | u :: us => if mem u A then None else universals us (add u 1%positive A)
  end.

Definition check_dqdimacs (us : list name) (q : dqdimacs) (ns : list name)
    (c : certificate) (fuel : nat) (s : S) : bool :=
  match circuit_of [] (dclauses q) ns with
  | None => false
  | Some k =>
      match universals us Empty with
      | None => false
      | Some U =>
          match universals (map fst (deps q)) U with
          | None => false
          | Some A =>
              match scan (fun x => mem x A) (cgates c) U with
              | None => false
              | Some L =>
                  match scan (fun x => mem x L) (gates k) A with
                  | None => false
                  | Some D => mem (var (out k)) D && closed A (dclauses q)
                      && sets_ok U (cgates c) (deps q) (cfuns c)
                  end
              end
          end
      end && loses Ex k c fuel s
  end.

End Supplied.
