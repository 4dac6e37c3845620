(** Maps from names: a trie with eight children, in which what stands alone below a
    node is a leaf.  Small maps are shallow, and dense ones have one node for eight
    names. *)
From Coq Require Import Bool.
From Verified Require Import Qbf.

Lemma name_eqb_spec : forall a b, reflect (a = b) (name_eqb a b).
Proof.
  induction a; destruct b; simpl; try (constructor; congruence);
    destruct (IHa b); constructor; congruence.
Qed.

Lemma name_eqb_refl a : name_eqb a a = true.
Proof. now destruct (name_eqb_spec a a). Qed.

Section Trie.
Context {A : Type}.

Inductive trie :=
| Empty
| Leaf (k : name) (a : A)
| Node (a : option A) (c0 c1 c2 c3 c4 c5 c6 c7 : trie).

Fixpoint find (k : name) (t : trie) {struct t} : option A :=
  match t with
  | Empty => None
  | Leaf k' a => if name_eqb k k' then Some a else None
  | Node a c0 c1 c2 c3 c4 c5 c6 c7 =>
      match k with
      | End => a
      | D0 k => find k c0 | D1 k => find k c1 | D2 k => find k c2 | D3 k => find k c3
      | D4 k => find k c4 | D5 k => find k c5 | D6 k => find k c6 | D7 k => find k c7
      end
  end.

Definition mem (k : name) (t : trie) : bool :=
  match find k t with None => false | Some _ => true end.

(** The same map, with a node at its root. *)
Definition opened (t : trie) : trie :=
  let e := Empty in
  match t with
  | Empty => Node None e e e e e e e e
  | Node _ _ _ _ _ _ _ _ _ => t
  | Leaf k a =>
      match k with
      | End => Node (Some a) e e e e e e e e
      | D0 k => Node None (Leaf k a) e e e e e e e
      | D1 k => Node None e (Leaf k a) e e e e e e
      | D2 k => Node None e e (Leaf k a) e e e e e
      | D3 k => Node None e e e (Leaf k a) e e e e
      | D4 k => Node None e e e e (Leaf k a) e e e
      | D5 k => Node None e e e e e (Leaf k a) e e
      | D6 k => Node None e e e e e e (Leaf k a) e
      | D7 k => Node None e e e e e e e (Leaf k a)
      end
  end.

Definition alone (k : name) (t : trie) : bool :=
  match t with Empty => true | Leaf k' _ => name_eqb k k' | Node _ _ _ _ _ _ _ _ _ => false end.

Fixpoint add (k : name) (x : A) (t : trie) : trie :=
  if alone k t then Leaf k x else
  match opened t with
  | Node a c0 c1 c2 c3 c4 c5 c6 c7 =>
      match k with
      | End => Node (Some x) c0 c1 c2 c3 c4 c5 c6 c7
      | D0 k => Node a (add k x c0) c1 c2 c3 c4 c5 c6 c7
      | D1 k => Node a c0 (add k x c1) c2 c3 c4 c5 c6 c7
      | D2 k => Node a c0 c1 (add k x c2) c3 c4 c5 c6 c7
      | D3 k => Node a c0 c1 c2 (add k x c3) c4 c5 c6 c7
      | D4 k => Node a c0 c1 c2 c3 (add k x c4) c5 c6 c7
      | D5 k => Node a c0 c1 c2 c3 c4 (add k x c5) c6 c7
      | D6 k => Node a c0 c1 c2 c3 c4 c5 (add k x c6) c7
      | D7 k => Node a c0 c1 c2 c3 c4 c5 c6 (add k x c7)
      end
  | t => t
  end.

Lemma find_opened k t : find k (opened t) = find k t.
Proof. now destruct t as [|k' a|]; [destruct k|destruct k', k|]. Qed.

Lemma opened_node t : exists a c0 c1 c2 c3 c4 c5 c6 c7,
  opened t = Node a c0 c1 c2 c3 c4 c5 c6 c7.
Proof. destruct t as [|[] ?|]; simpl; repeat eexists. Qed.

Lemma find_alone j k x t : alone k t = true ->
  find j (Leaf k x) = if name_eqb j k then Some x else find j t.
Proof.
  destruct t as [|k' a|]; [easy| |easy]. cbn [alone find].
  destruct (name_eqb_spec k k') as [<-|]; [|easy]. now destruct (name_eqb j k).
Qed.

Lemma find_add : forall k j x t,
  find j (add k x t) = if name_eqb j k then Some x else find j t.
Proof.
  induction k; intros j x t; cbn [add];
  match goal with |- context [alone ?k t] => destruct (alone k t) eqn:E end;
  try (now apply find_alone);
  rewrite <- (find_opened j t);
  destruct (opened_node t) as (a & c0 & c1 & c2 & c3 & c4 & c5 & c6 & c7 & ->);
  destruct j; cbn [find name_eqb]; rewrite ?IHk; easy.
Qed.

Lemma mem_find k t : mem k t = false <-> find k t = None.
Proof. unfold mem. destruct (find k t); split; congruence. Qed.

End Trie.
Arguments trie : clear implicits.
