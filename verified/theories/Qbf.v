(** What the theorems about formulas say.

    Nothing else of the development has to be read to know what has been proved of a
    formula: this file defines formulas and their truth, and no checker. *)
From Coq Require Import List Bool Number Nat.
Import ListNotations.

(** ** Names of variables and gates

    A name is a number in base 8, the lowest digit first.  All that matters is which
    names are equal. *)
Inductive name :=
| End
| D0 (n : name) | D1 (n : name) | D2 (n : name) | D3 (n : name)
| D4 (n : name) | D5 (n : name) | D6 (n : name) | D7 (n : name).

Fixpoint name_eqb (a b : name) : bool :=
  match a, b with
  | End, End => true
  | D0 a, D0 b | D1 a, D1 b | D2 a, D2 b | D3 a, D3 b
  | D4 a, D4 b | D5 a, D5 b | D6 a, D6 b | D7 a, D7 b => name_eqb a b
  | _, _ => false
  end.

(** Literals, and the values of names. *)
Inductive lit := P (v : name) | N (v : name).
Definition var (l : lit) : name := match l with P v | N v => v end.
Definition sign (l : lit) : bool := match l with P _ => true | N _ => false end.
Definition neg (l : lit) : lit := match l with P v => N v | N v => P v end.

Definition assign := name -> bool.
Definition upd (r : assign) (v : name) (b : bool) : assign :=
  fun x => if name_eqb x v then b else r x.
Definition leval (r : assign) (l : lit) : bool :=
  match l with P v => r v | N v => negb (r v) end.

(** ** Circuits

    The gates of QCIR; [Xor] of any number of inputs is their parity. *)
Inductive kind := And | Or | Xor | Ite.
Record gate := Gate { gout : name; gkind : kind; gins : list lit }.
Definition geval (r : assign) (g : gate) : bool :=
  match gkind g, gins g with
  | And, ls => forallb (leval r) ls
  | Or, ls => existsb (leval r) ls
  | Xor, ls => fold_right (fun l b => xorb (leval r l) b) false ls
  | Ite, [c; a; b] => if leval r c then leval r a else leval r b
  | Ite, _ => false
  end.

(** A circuit is evaluated gate by gate, in the order of the list. *)
Fixpoint ceval (gs : list gate) (r : assign) : assign :=
  match gs with
  | [] => r
  | g :: gs => ceval gs (upd r (gout g) (geval r g))
  end.

(** ** Quantifiers *)
Inductive quant := Ex | All.
Definition prefix := list (quant * name).

(** The value of a matrix [m] behind a prefix, where [r] has the values of what the
    prefix does not quantify. *)
Fixpoint qeval (p : prefix) (m : assign -> bool) (r : assign) : bool :=
  match p with
  | [] => m r
  | (Ex, v) :: p => qeval p m (upd r v true) || qeval p m (upd r v false)
  | (All, v) :: p => qeval p m (upd r v true) && qeval p m (upd r v false)
  end.

(** ** QCIR and QDIMACS

    Free variables are bound existentially in front of the prefix, as both standards
    have it; the readers put them there.  So nothing is free, and the formula has one
    value whatever [r] is. *)
Record qcir := Qcir { pre : prefix; gates : list gate; out : lit }.
Definition qcir_matrix (q : qcir) (r : assign) : bool :=
  leval (ceval (gates q) r) (out q).
Definition qcir_true (q : qcir) := forall r, qeval (pre q) (qcir_matrix q) r = true.
Definition qcir_false (q : qcir) := forall r, qeval (pre q) (qcir_matrix q) r = false.

(** ** Quantifiers inside the matrix

    A gate of QCIR may quantify variables in a literal, and so in all that the literal
    depends on.  Gates stand in a list with the last one first: a gate's inputs have the
    values that the gates behind it give them, under the values that hold where the gate
    is read. *)
Inductive ngate :=
| Plain (g : gate)
| Quantified (out : name) (p : prefix) (body : lit).
Fixpoint nval (gs : list ngate) (r : assign) : assign :=
  match gs with
  | [] => r
  | Plain g :: gs => fun x =>
      if name_eqb x (gout g) then geval (nval gs r) g else nval gs r x
  | Quantified v p l :: gs => fun x =>
      if name_eqb x v then qeval p (fun r => leval (nval gs r) l) r else nval gs r x
  end.

Record nested := Nested { npre : prefix; ngates : list ngate; nout : lit }.
Definition nested_matrix (q : nested) (r : assign) : bool :=
  leval (nval (rev (ngates q)) r) (nout q).
Definition nested_true (q : nested) := forall r, qeval (npre q) (nested_matrix q) r = true.
Definition nested_false (q : nested) := forall r, qeval (npre q) (nested_matrix q) r = false.

Definition clause := list lit.
Definition csat (r : assign) (c : clause) : bool := existsb (leval r) c.
Record qdimacs := Qdimacs { qpre : prefix; qclauses : list clause }.
Definition qdimacs_matrix (q : qdimacs) (r : assign) : bool :=
  forallb (csat r) (qclauses q).
Definition qdimacs_true (q : qdimacs) := forall r, qeval (qpre q) (qdimacs_matrix q) r = true.
Definition qdimacs_false (q : qdimacs) := forall r, qeval (qpre q) (qdimacs_matrix q) r = false.

Definition unsatisfiable (cs : list clause) := forall r, forallb (csat r) cs = false.

(** ** Dependency sets (DQDIMACS)

    Each existential variable comes with the set of variables that its value may
    depend on.  The formula is true if there are functions, each of its set alone,
    with which all clauses hold whatever the other variables are. *)
Record dqdimacs := Dqdimacs { deps : list (name * list name); dclauses : list clause }.
Fixpoint own_names (x : name) (ds : list (name * list name)) : bool :=
  match ds with [] => false | (y, _) :: ds => name_eqb x y || own_names x ds end.
Definition plays (ds : list (name * list name)) (sk : name -> assign -> bool) (r : assign)
  : assign := fun x => if own_names x ds then sk x r else r x.
Definition dqdimacs_true (q : dqdimacs) := exists sk : name -> assign -> bool,
  (forall x d, In (x, d) (deps q) ->
     forall r r', (forall y, In y d -> r y = r' y) -> sk x r = sk x r') /\
  forall r, forallb (csat (plays (deps q) sk r)) (dclauses q) = true.
