(** The unrolling of a game: a formula that is true exactly if Black wins.  Nothing here
    has to be read; [Unrolled.v] proves it. *)
From Coq Require Import List Bool.
From Verified Require Import Qbf Trie Checker Games.
Import ListNotations.

(** ** Gates on demand: constants, or literals with the gates that they need *)

Inductive value := C (b : bool) | L (l : lit).
Definition acc := (name * list gate)%type.
Definition M A := acc -> A * acc.
Definition ret {A} (x : A) : M A := fun a => (x, a).
Definition bind {A B} (m : M A) (k : A -> M B) : M B := fun a => let (x, a) := m a in k x a.
Notation "'do' x <- m ; k" := (bind m (fun x => k)) (at level 200, x name, m at level 100).

Fixpoint succ (n : name) : name :=
  match n with
  | End => D1 End
  | D0 n => D1 n | D1 n => D2 n | D2 n => D3 n | D3 n => D4 n
  | D4 n => D5 n | D5 n => D6 n | D6 n => D7 n
  | D7 n => D0 (succ n)
  end.

Definition make (k : kind) (ls : list lit) : M value := fun a =>
  let (n, gs) := a in (L (P n), (succ n, Gate n k ls :: gs)).

Definition vneg (v : value) : value := match v with C b => C (negb b) | L l => L (neg l) end.

(** The literals of a conjunction ([u] true) or disjunction without constants; [None] if a
    constant decides. *)
Fixpoint plain (u : bool) (vs : list value) : option (list lit) :=
  match vs with
  | [] => Some []
  | C b :: vs => if Bool.eqb b u then plain u vs else None
  | L l :: vs => option_map (cons l) (plain u vs)
  end.
Definition junction (u : bool) (vs : list value) : M value :=
  match plain u vs with
  | None => ret (C (negb u))
  | Some [] => ret (C u)
  | Some [l] => ret (L l)
  | Some ls => make (if u then And else Or) ls
  end.
Definition conj := junction true.
Definition disj := junction false.

Fixpoint every {A B} (f : A -> M B) (xs : list A) : M (list B) :=
  match xs with
  | [] => ret []
  | x :: xs => do y <- f x; do ys <- every f xs; ret (y :: ys)
  end.

(** ** Positions *)

Definition symbolic := trie value.
Definition val (s : symbolic) (x : name) : value :=
  match find x s with Some v => v | None => C false end.
Definition lval (s : symbolic) (l : lit) : value :=
  match l with P x => val s x | N x => vneg (val s x) end.
Definition holdsM (s : symbolic) (c : condition) : M value := conj (map (lval s) c).

(** The first true one of the bits is the move. *)
Fixpoint firstM (seen : value) (bits : list name) : M (list value) :=
  match bits with
  | [] => ret []
  | b :: bits =>
      do c <- conj [L (P b); vneg seen];
      do seen <- disj [seen; L (P b)];
      do cs <- firstM seen bits;
      ret (c :: cs)
  end.

(** The bits of the moves that have a property. *)
Fixpoint select {A B} (f : A -> bool) (xs : list A) (ys : list B) : list B :=
  match xs, ys with
  | x :: xs, y :: ys => if f x then y :: select f xs ys else select f xs ys
  | _, _ => []
  end.

Fixpoint touched (ms : list move) (T : trie unit) (xs : list name) : list name :=
  match ms with
  | [] => xs
  | m :: ms =>
      let '(T, xs) := fold_left (fun Txs l => if mem (var l) (fst Txs) then Txs
                         else (add (var l) tt (fst Txs), var l :: snd Txs)) (effects m) (T, xs) in
      touched ms T xs
  end.

Fixpoint afterM (ms : list move) (cs : list value) (s : symbolic) (xs : list name)
    (new : symbolic) : M symbolic :=
  match xs with
  | [] => ret new
  | x :: xs =>
      do off <- disj (select (puts (N x)) ms cs);
      do kept <- conj [val s x; vneg off];
      do now <- disj (kept :: select (puts (P x)) ms cs);
      afterM ms cs s xs (add x now new)
  end.

(** ** Goals *)

Definition passableM (n : network) (s : symbolic) (x : name) : value :=
  if cut n then vneg (val s x) else val s x.
Fixpoint stepsM (n : network) (s : symbolic) (k : nat) : M symbolic :=
  match k with
  | 0 => ret (fold_left (fun R x => add x (if is_in x (source n) then passableM n s x else C false) R)
                (map fst (cells n)) Empty)
  | S k =>
      do R <- stepsM n s k;
      do vs <- every (fun x => do near <- disj (val R x :: map (val R) (neighbours (cells n) x));
                               do v <- conj [passableM n s x; near];
                               ret (x, v)) (map fst (cells n));
      ret (fold_left (fun R xv => add (fst xv) (snd xv) R) vs Empty)
  end.
Definition reachedM (g : game) (p : player) (s : symbolic) : M value :=
  match p, black_network g with
  | Black, Some n =>
      do R <- stepsM n s (length (cells n));
      do c <- disj (C (joined n) :: map (val R) (target n));
      ret (if cut n then vneg c else c)
  | Black, None => do vs <- every (holdsM s) (black_goals g); disj vs
  | White, _ => do vs <- every (holdsM s) (white_goals g); disj vs
  end.

(** ** The play *)

Fixpoint fresh (k : nat) (n : name) : list name * name :=
  match k with
  | 0 => ([], n)
  | S k => let (ns, m) := fresh k (succ n) in (n :: ns, m)
  end.
Fixpoint blocks_of (g : game) (ps : list player) (n : name) : list (list name) * name :=
  match ps with
  | [] => ([], n)
  | p :: ps => let (b, n) := fresh (length (moves g p)) n in
               let (bs, n) := blocks_of g ps n in (b :: bs, n)
  end.
Definition quant_of (p : player) : quant := match p with Black => Ex | White => All end.
Fixpoint prefix_of (ps : list player) (bs : list (list name)) : prefix :=
  match ps, bs with
  | p :: ps, b :: bs => map (pair (quant_of p)) b ++ prefix_of ps bs
  | _, _ => []
  end.

(** [xs] are the atoms that Black's and White's moves change. *)
Fixpoint playM (g : game) (xs : player -> list name) (ps : list player) (bs : list (list name))
    (s : symbolic) : M value :=
  match ps, bs with
  | p :: ps, b :: bs =>
      do cs <- firstM (C false) b;
      do legal <- every (fun m => holdsM s (needs m)) (moves g p);
      do made <- every (fun cl => conj [fst cl; snd cl]) (combine cs legal);
      do moved <- disj made;
      do s' <- afterM (moves g p) cs s (xs p) s;
      do goal <- reachedM g p s';
      do rest <- playM g xs ps bs s';
      match p with
      | Black => do won <- disj [goal; rest]; conj [moved; won]
      | White => do on <- conj [vneg goal; rest];
                 do open <- disj [vneg moved; on];
                 do any <- disj (C (stuck_loses g) :: legal);
                 conj [any; open]
      end
  | _, _ => ret (C false)
  end.

Definition firstS (g : game) : symbolic := fold_left (fun s x => add x (C true) s) (start g) Empty.

Definition unrolled (g : game) : qcir :=
  let (bs, n) := blocks_of g (turns g) (D1 End) in
  let b := touched (black_moves g) Empty [] in
  let w := touched (white_moves g) Empty [] in
  let xs := fun p => match p with Black => b | White => w end in
  let m := do black <- (if goals_at_start g then reachedM g Black (firstS g) else ret (C false));
           do white <- (if goals_at_start g then reachedM g White (firstS g) else ret (C false));
           do play <- playM g xs (turns g) bs (firstS g);
           do lost <- conj [vneg white; play];
           disj [black; lost] in
  let '(v, (n, gs)) := m (n, []) in
  match v with
  | L l => Qcir (prefix_of (turns g) bs) (rev_append gs []) l
  | C b => Qcir (prefix_of (turns g) bs) (rev_append (Gate n (if b then And else Or) [] :: gs) []) (P n)
  end.

Section Supplied.
Context {S : Type} (from : supply S).
Definition check_game (w : quant) (g : game) (c : certificate) (fuel : nat) (s : S) : bool :=
  check from w (unrolled g) c fuel s.
End Supplied.
