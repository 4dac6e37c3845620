(** Quantifiers inside the matrix: what a prenex form proves of the formula that it was
    made of.  Nothing here has to be read.

    The prenex form is checked, not made: it may have its quantifiers in any order.  A
    list of [use]s says which of its literals stands for which gate of the formula, under
    which names of bound variables, and with which polarity. *)
From Coq Require Import List Bool PArith Lia.
From Verified Require Import Qbf Trie Checker Sound.
Import ListNotations.

(** ** The check *)

(** New names of bound variables; the first entry of a name counts. *)
Definition env := list (name * name).
Fixpoint envf (e : env) (y : name) : name :=
  match e with [] => y | (a, b) :: e => if name_eqb y a then b else envf e y end.

(** [upol] is [None] where the literal and the gate have one value, [Some true] where the
    gate is true if the literal is, and [Some false] where the literal is true if the gate
    is.  [ukids] are the uses of the gate's inputs, [ubound] the new names of the
    variables that it binds. *)
Record use := Use {
  uid : name; ugate : name; uenv : env; upol : option bool; ucopy : lit;
  ukids : list name; ubound : list name }.

(** [freely] has for each gate the names that are free in it, other than [fixed] ones;
    [fixed] names are bound by no gate. *)
Record uses := Uses {
  fixed : list name; local : list name; freely : list (name * list name);
  used : list use; root : name }.

Definition inlist (x : name) (l : list name) : bool := existsb (name_eqb x) l.
Definition known := trie (list name * ngate).
Definition nname (g : ngate) : name := match g with Plain g => gout g | Quantified v _ _ => v end.

Definition covers (O L : trie unit) (K : known) (D : list name) (l : lit) : bool :=
  match find (var l) K with
  | Some (d, _) => forallb (fun y => inlist y D) d
  | None => mem (var l) O || mem (var l) L && inlist (var l) D
  end.
Definition covered (O L : trie unit) (K : known) (D : list name) (g : ngate) : bool :=
  match g with
  | Plain g => forallb (covers O L K D) (gins g)
  | Quantified _ p l => covers O L K (map snd p ++ D) l
  end.
Fixpoint tab (O L : trie unit) (F : trie (list name)) (gs : list ngate) (K : known)
  : option known :=
  match gs with
  | [] => Some K
  | g :: gs =>
      let x := nname g in
      let D := match find x F with Some D => D | None => [] end in
      if mem x K || mem x O || mem x L then None
      else if covered O L K D g then tab O L F gs (add x (D, g) K) else None
  end.

Definition places_of_names := trie (quant * positive).
Fixpoint place (p : prefix) (i : positive) (J : places_of_names) : option places_of_names :=
  match p with
  | [] => Some J
  | (q, v) :: p => if mem v J then None else place p (Pos.succ i) (add v (q, i) J)
  end.

Definition turned (w : option bool) (l : lit) : option bool :=
  if sign l then w else option_map negb w.
Definition same_sign (l c : lit) : lit := if sign l then c else neg c.
Definition pol_ok (have want : option bool) : bool :=
  match have, want with
  | None, _ => true
  | Some a, Some b => Bool.eqb a b
  | _, None => false
  end.

Definition flip (q : quant) : quant := match q with Ex => All | All => Ex end.

(** What the opponent's value of a bound variable is chosen for: a gate's variable behind
    others, before the rest of them. *)
Record stage := Stage { senv : env; sname : name; srest : prefix; sbody : lit; spol : bool }.

Section Check.
Variables (O : trie unit) (K : known) (A : trie positive) (J : places_of_names).
Variable T : trie gate.

Definition env_ok (e : env) : bool := forallb (fun ab => negb (mem (fst ab) O)) e.

Definition resolve (U : trie use) (e : env) (w : option bool) (kid : name) (l : lit)
  : option lit :=
  match find (var l) K with
  | Some (D, _) =>
      match find kid U with
      | None => None
      | Some u =>
          if name_eqb (ugate u) (var l) && pol_ok (upol u) (turned w l)
             && forallb (fun y => name_eqb (envf e y) (envf (uenv u) y)) D
          then Some (same_sign l (ucopy u)) else None
      end
  | None =>
      let y := envf e (var l) in if mem y A then Some (same_sign l (P y)) else None
  end.

Fixpoint resolve_all (U : trie use) (e : env) (w : option bool) (kids : list name)
    (ls : list lit) : option (list lit) :=
  match ls, kids with
  | [], [] => Some []
  | l :: ls, k :: ks =>
      match resolve U e w k l, resolve_all U e w ks ls with
      | Some c, Some cs => Some (c :: cs)
      | _, _ => None
      end
  | _, _ => None
  end.

Fixpoint lits_eqb (a b : list lit) : bool :=
  match a, b with
  | [], [] => true
  | x :: a, y :: b => lit_eqb x y && lits_eqb a b
  | _, _ => false
  end.
Definition kind_eqb (a b : kind) : bool :=
  match a, b with And, And | Or, Or | Xor, Xor | Ite, Ite => true | _, _ => false end.
Definition is_gate (l : lit) (k : kind) (ls : list lit) : bool :=
  match l with
  | N _ => false
  | P x => match find x T with
           | None => false
           | Some g => kind_eqb (gkind g) k && lits_eqb (gins g) ls
           end
  end.

(** The disjunction of two conjunctions that the literal is. *)
Definition two (l : lit) (a b c d : lit) : bool :=
  match l with
  | N _ => false
  | P x => match find x T with
           | Some (Gate _ Or [y; z]) => is_gate y And [a; b] && is_gate z And [c; d]
           | _ => false
           end
  end.

Definition check_plain (U : trie use) (u : use) (g : gate) : bool :=
  let e := uenv u in
  let w := upol u in
  match gkind g, gins g, ukids u with
  | And, ls, kids | Or, ls, kids =>
      match resolve_all U e w kids ls with
      | Some cs => is_gate (ucopy u) (gkind g) cs
      | None => false
      end
  | Xor, ls, [_; _] =>
      match resolve_all U e None (ukids u) ls with
      | Some cs => is_gate (ucopy u) Xor cs
      | None => false
      end
  | Xor, [a; b], [k1; k2; k3; k4] =>
      match resolve U e w k1 a, resolve U e w k2 b,
            resolve U e (option_map negb w) k3 a, resolve U e (option_map negb w) k4 b with
      | Some a1, Some b1, Some a2, Some b2 => two (ucopy u) a1 (neg b2) (neg a2) b1
      | _, _, _, _ => false
      end
  | Ite, [c; t; f], [k1; k2; k3] =>
      match resolve U e None k1 c, resolve U e w k2 t, resolve U e w k3 f with
      | Some c, Some t, Some f => is_gate (ucopy u) Ite [c; t; f]
      | _, _, _ => false
      end
  | Ite, [c; t; f], [k1; k2; k3; k4] =>
      match resolve U e w k1 c, resolve U e w k2 t, resolve U e w k3 f,
            resolve U e (option_map negb w) k4 c with
      | Some c1, Some t, Some f, Some c2 => two (ucopy u) c1 t (neg c2) f
      | _, _, _, _ => false
      end
  | _, _, _ => false
  end.

(** What a literal reads is left of [i], but for [names], and not quantified in the
    prenex form's inner prefix unless left of it. *)
Definition reads (l : lit) : list name :=
  match find (var l) K with Some (D, _) => D | None => [var l] end.
Definition left_ok (e : env) (l : lit) (names : list name) (i : positive) : bool :=
  forallb (fun y => inlist y names ||
             match find (envf e y) J with None => true | Some (_, j) => Pos.ltb j i end)
    (reads l).

(** Binds the variables of a gate; those that the opponent chooses get a stage. *)
Fixpoint bind (pl : bool) (l : lit) (p : prefix) (vs : list name) (e : env) (W : trie stage)
  : option (env * trie stage) :=
  match p, vs with
  | [], [] => Some (e, W)
  | (q, v) :: p, v' :: vs =>
      if mem v O then None else
      match (if pl then q else flip q) with
      | Ex => bind pl l p vs ((v, v') :: e) W
      | All =>
          match find v' J, find v' W with
          | Some (All, i), None =>
              if left_ok e l (v :: map snd p) i
              then bind pl l p vs ((v, v') :: e) (add v' (Stage e v p l pl) W) else None
          | _, _ => None
          end
      end
  | _, _ => None
  end.

Definition check_use (U : trie use) (W : trie stage) (u : use) : option (trie stage) :=
  if env_ok (uenv u) then
    match find (ugate u) K with
    | None => None
    | Some (_, Plain g) => if check_plain U u g then Some W else None
    | Some (_, Quantified _ p l) =>
        match upol u, ukids u with
        | Some pl, [k] =>
            match bind pl l p (ubound u) (uenv u) W with
            | None => None
            | Some (e, W') =>
                match resolve U e (Some pl) k l with
                | Some c => if lit_eqb c (ucopy u) then Some W' else None
                | None => None
                end
            end
        | _, _ => None
        end
    end
  else None.

Fixpoint check_uses (us : list use) (U : trie use) (W : trie stage)
  : option (trie use * trie stage) :=
  match us with
  | [] => Some (U, W)
  | u :: us => match check_use U W u with
               | None => None
               | Some W => check_uses us (add (uid u) u U) W
               end
  end.
End Check.

Fixpoint strip (p p' : prefix) : option prefix :=
  match p, p' with
  | [], p' => Some p'
  | (q, v) :: p, (q', v') :: p' =>
      if quant_eqb q q' && name_eqb v v' then strip p p' else None
  | _, _ => None
  end.

Definition gate_table (gs : list gate) : trie gate :=
  fold_left (fun T g => add (gout g) g T) gs Empty.

Definition check_prenex (q : nested) (f : qcir) (h : uses) : bool :=
  let O := marks (fixed h) in
  let F := fold_left (fun F xd => add (fst xd) (snd xd) F) (freely h) Empty in
  match strip (npre q) (pre f), index Ex (pre f) 2 Empty Empty,
        tab O (marks (local h)) F (ngates q) Empty with
  | Some inner, Some (A, _), Some K =>
      match scan (fun _ => false) (gates f) A, place inner 1 Empty with
      | Some _, Some J =>
          forallb (fun y => negb (mem y J)) (fixed h) &&
          forallb (fun y => negb (mem y J)) (reads K (nout q)) &&
          match check_uses O K A J (gate_table (gates f)) (used h) Empty Empty with
          | None => false
          | Some (U, _) =>
              match resolve K A U [] (Some true) (root h) (nout q) with
              | Some c => lit_eqb c (out f)
              | None => false
              end
          end
      | _, _ => false
      end
  | _, _, _ => false
  end.

(** The opponent's view of formulas: what is false for one is true for the other. *)
Definition flips (p : prefix) : prefix := map (fun qv => (flip (fst qv), snd qv)) p.
Definition nested_dual (q : nested) : nested := Nested (flips (npre q)) (ngates q) (neg (nout q)).
Definition qcir_dual (f : qcir) : qcir := Qcir (flips (pre f)) (gates f) (neg (out f)).

Definition check_nested {S} (from : supply S) (w : quant) (q : nested) (f : qcir) (h : uses)
    (c : certificate) (fuel : nat) (s : S) : bool :=
  match w with
  | Ex => check_prenex q f h
  | All => check_prenex (nested_dual q) (qcir_dual f) h
  end && check from w f c fuel s.

(** ** Values *)

Lemma inlist_in x l : inlist x l = true <-> In x l.
Proof.
  unfold inlist. rewrite existsb_exists. split.
  - intros (y & Hy & E). destruct (name_eqb_spec x y); [now subst | easy].
  - intros H. exists x. split; [easy | apply name_eqb_refl].
Qed.

Lemma upd_ext (Q : name -> Prop) r r' v b x :
  (x <> v -> r x = r' x) -> upd r v b x = upd r' v b x.
Proof. unfold upd. destruct (name_eqb_spec x v); auto. Qed.

(** What a quantified matrix depends on. *)
Lemma qeval_dep (Q : name -> Prop) m :
  (forall r r', (forall y, Q y -> r y = r' y) -> m r = m r') ->
  forall p r r', (forall y, Q y -> ~ In y (map snd p) -> r y = r' y) ->
  qeval p m r = qeval p m r'.
Proof.
  intros Hm. induction p as [|[q v] p IH]; intros r r' E; [simpl in *; auto|].
  assert (H : forall b, qeval p m (upd r v b) = qeval p m (upd r' v b)).
  { intros b. apply IH. intros y Hy n. apply (upd_ext Q). intros nv. apply E; [easy|].
    simpl. intros [->|]; tauto. }
  simpl. now destruct q; rewrite !H.
Qed.

Lemma qeval_mono m m' : (forall r, m r = true -> m' r = true) ->
  forall p r, qeval p m r = true -> qeval p m' r = true.
Proof.
  intros Hm. induction p as [|[q v] p IH]; simpl; intros r H; [auto|].
  destruct q; [apply orb_prop in H as [H|H]; apply IH in H; rewrite H; auto using orb_true_r|].
  apply andb_prop in H as [H1 H2]. now rewrite (IH _ H1), (IH _ H2).
Qed.

Lemma qeval_app m p' : forall p r, qeval (p ++ p') m r = qeval p (qeval p' m) r.
Proof. induction p as [|[q v] p IH]; intros r; simpl; [easy|]. now destruct q; rewrite !IH. Qed.

Lemma qeval_dual m m' : (forall r, m' r = negb (m r)) ->
  forall p r, qeval (flips p) m' r = negb (qeval p m r).
Proof.
  intros Hm. induction p as [|[q v] p IH]; intros r; simpl; [apply Hm|].
  destruct q; simpl; rewrite !IH; now destruct (qeval p m (upd r v true)), (qeval p m (upd r v false)).
Qed.

(** ** A play through a prefix: the opponent's values are [ch]'s *)

Lemma place_mono : forall p i J Jf, place p i J = Some Jf ->
  (forall x y, find x J = Some y -> find x Jf = Some y) /\
  (forall x q k, find x Jf = Some (q, k) -> find x J = None -> (i <= k)%positive).
Proof.
  induction p as [|[q v] p IH]; simpl; intros i J Jf H.
  - inversion H; subst. split; [easy|]. intros; congruence.
  - destruct (mem v J) eqn:M; [easy|]. apply mem_find in M.
    destruct (IH _ _ _ H) as [H1 H2]. split.
    + intros x y F. apply H1. rewrite find_add. destruct (name_eqb_spec x v); congruence.
    + intros x q' k F N. destruct (name_eqb_spec x v) as [->|n].
      * rewrite (H1 v (q, i)) in F by now rewrite find_add, name_eqb_refl.
        inversion F. lia.
      * assert (Pos.succ i <= k)%positive; [|lia]. apply (H2 x q'); [easy|].
        rewrite find_add. destruct (name_eqb_spec x v); easy.
Qed.

Lemma play (ch : name -> assign -> bool) m : forall p i J Jf r,
  place p i J = Some Jf -> qeval p m r = true ->
  exists r', m r' = true /\
    (forall x, find x J <> None \/ find x Jf = None -> r' x = r x) /\
    forall v j, find v Jf = Some (All, j) -> find v J = None ->
      exists r0, r' v = ch v r0 /\
        forall x, match find x Jf with Some (_, k) => (k < j)%positive | None => True end ->
          r0 x = r' x.
Proof.
  induction p as [|[q v] p IH]; intros i J Jf r HJ H.
  - simpl in *. inversion HJ; subst. exists r. split; [easy|]. split; [easy|]. congruence.
  - simpl in HJ. destruct (mem v J) eqn:M; [easy|]. apply mem_find in M.
    assert (Hb : exists b, qeval p m (upd r v b) = true /\ (q = All -> b = ch v r)).
    { simpl in H. destruct q.
      - apply orb_prop in H as [H|H]; eexists; (split; [exact H | easy]).
      - apply andb_prop in H as [H1 H2]. exists (ch v r). split; [|easy]. now destruct (ch v r). }
    destruct Hb as (b & Hb & Hq). destruct (place_mono _ _ _ _ HJ) as [P1 P2].
    assert (Fv : find v Jf = Some (q, i))
      by (apply P1; now rewrite find_add, name_eqb_refl).
    destruct (IH _ _ _ _ HJ Hb) as (r' & Hm & Hr & Hc). exists r'. split; [easy|].
    assert (Old : forall x, find x J <> None \/ find x Jf = None -> r' x = r x).
    { intros x Hx. assert (x <> v) by (destruct Hx; congruence).
      rewrite Hr; [now apply upd_other|].
      destruct Hx as [Hx|Hx]; [left|now right]. rewrite find_add.
      now destruct (name_eqb_spec x v). }
    split; [exact Old|]. intros x j Fx Nx. destruct (name_eqb_spec x v) as [->|n].
    + rewrite Fv in Fx. inversion Fx; subst. exists r. split.
      * rewrite Hr; [|left; now rewrite find_add, name_eqb_refl].
        rewrite upd_same. now apply Hq.
      * intros x Hx. symmetry. apply Old. destruct (find x Jf) as [[q' k]|] eqn:F; [|now right].
        left. intros N. destruct (name_eqb_spec x v) as [->|n].
        -- rewrite Fv in F. inversion F; subst. lia.
        -- assert (Pos.succ j <= k)%positive; [|lia]. apply (P2 x q'); [easy|].
           rewrite find_add. destruct (name_eqb_spec x v); easy.
    + apply Hc; [easy|]. rewrite find_add. now destruct (name_eqb_spec x v).
Qed.

(** ** The values of gates *)

Definition gval (V : assign -> assign) (r : assign) (g : ngate) : bool :=
  match g with
  | Plain g => geval (V r) g
  | Quantified _ p l => qeval p (fun r => leval (V r) l) r
  end.

Section Table.
Variable O : trie unit.
Variable L : trie unit.

Definition depends (K : known) (x y : name) : Prop :=
  match find x K with
  | Some (D, _) => In y D \/ find y O <> None
  | None => y = x
  end.

(** What is so of the gates that were gone through, [done], the last one first. *)
Record good (done : list ngate) (K : known) : Prop := {
  good_ext : forall r r' x, (forall y, depends K x y -> r y = r' y) ->
    nval done r x = nval done r' x;
  good_eq : forall x D g, find x K = Some (D, g) -> forall r, nval done r x = gval (nval done) r g;
  good_none : forall x, find x K = None -> forall r, nval done r x = r x }.

Lemma nval_other g done r x : x <> nname g -> nval (g :: done) r x = nval done r x.
Proof.
  intros n. destruct g as [g|v p l]; simpl in *; [destruct (name_eqb_spec x (gout g))|
    destruct (name_eqb_spec x v)]; easy.
Qed.

Lemma nval_own g done r : nval (g :: done) r (nname g) = gval (nval done) r g.
Proof. destruct g; simpl; now rewrite name_eqb_refl. Qed.

(** Inputs are known, and names of gates are new. *)
Lemma covers_known K D l : covers O L K D l = true ->
  find (var l) K <> None \/ find (var l) O <> None \/ find (var l) L <> None.
Proof.
  unfold covers. destruct (find (var l) K); [left; easy|]. intros H.
  apply orb_prop in H as [H|H]; [|apply andb_prop in H as [H _]]; unfold mem in H;
    [destruct (find (var l) O); [right; now left|easy]|].
  destruct (find (var l) L); [now right; right|easy].
Qed.

Lemma covers_depends K D l y : covers O L K D l = true -> depends K (var l) y ->
  In y D \/ find y O <> None.
Proof.
  unfold covers, depends. destruct (find (var l) K) as [[d g]|].
  - rewrite forallb_forall. intros H [Hy|Hy]; [|now right]. left. apply inlist_in. auto.
  - intros H ->. apply orb_prop in H as [H|H].
    + right. unfold mem in H. now destruct (find (var l) O).
    + apply andb_prop in H as [_ H]. left. now apply inlist_in.
Qed.

(** A gate reads the same values with a new gate in front. *)
Lemma gval_other g done K D h r : covered O L K D h = true ->
  find (nname g) K = None -> find (nname g) O = None -> find (nname g) L = None ->
  gval (nval (g :: done)) r h = gval (nval done) r h.
Proof.
  intros C N1 N2 N3.
  assert (E : forall D l r, covers O L K D l = true ->
            nval (g :: done) r (var l) = nval done r (var l)).
  { intros D' l r' H. apply nval_other. intros E.
    apply covers_known in H. rewrite E in H. tauto. }
  destruct h as [h|v p l]; simpl gval; unfold covered in C.
  - apply geval_ext. rewrite forallb_forall in C. intros l Hl. eapply E. eauto.
  - apply qeval_ext. intros r'. apply leval_ext. eapply E. eauto.
Qed.

Lemma covers_add K D l x X : find x K = None -> find x O = None -> find x L = None ->
  covers O L K D l = true -> covers O L (add x X K) D l = true.
Proof.
  intros N1 N2 N3 H. pose proof (covers_known _ _ _ H) as Kn. unfold covers in *.
  rewrite find_add. destruct (name_eqb_spec (var l) x) as [E|]; [rewrite E in Kn; tauto|easy].
Qed.

Lemma covered_add K D g x X : find x K = None -> find x O = None -> find x L = None ->
  covered O L K D g = true -> covered O L (add x X K) D g = true.
Proof.
  intros N1 N2 N3. destruct g as [g|v p l]; simpl; [|now apply covers_add].
  rewrite !forallb_forall. intros H l Hl. apply covers_add; auto.
Qed.

Definition all_covered (K : known) : Prop :=
  forall x D g, find x K = Some (D, g) -> covered O L K D g = true.

Lemma tab_good F : forall gs done K K', tab O L F gs K = Some K' -> good done K ->
  all_covered K -> good (rev gs ++ done) K'.
Proof.
  induction gs as [|g gs IH]; intros done K K' H G AC; [now inversion H; subst|].
  cbn [tab] in H.
  set (D := match find (nname g) F with Some D => D | None => [] end) in H.
  destruct (mem (nname g) K) eqn:M1; [easy|]. destruct (mem (nname g) O) eqn:M2; [easy|].
  destruct (mem (nname g) L) eqn:M3; [easy|]. cbn [orb] in H.
  destruct (covered O L K D g) eqn:C; [|easy]. apply mem_find in M1, M2, M3.
  cbn [rev]. rewrite <- app_assoc. cbn [app]. apply (IH _ _ _ H); clear IH H.
  2:{ intros x D' h F'. rewrite find_add in F'. destruct (name_eqb_spec x (nname g)) as [->|].
      - inversion F'; subst. now apply covered_add.
      - apply covered_add; auto. eapply AC; eauto. }
  destruct G as [G1 G2 G3]. split.
  - intros r r' x E. destruct (name_eqb_spec x (nname g)) as [->|n].
    + rewrite !nval_own. unfold depends in E. rewrite find_add, name_eqb_refl in E.
      destruct g as [g|v p l]; simpl gval; unfold covered in C.
      * apply geval_ext. rewrite forallb_forall in C. intros l Hl. apply G1.
        intros y Hy. apply E. eapply covers_depends; eauto.
      * apply qeval_dep with (Q := depends K (var l)).
        -- intros s s' Es. apply leval_ext. now apply G1.
        -- intros y Hy n. apply E. destruct (covers_depends _ _ _ _ C Hy) as [I|I]; [|now right].
           apply in_app_or in I. tauto.
    + rewrite !nval_other by easy. apply G1. intros y Hy. apply E. unfold depends in *.
      rewrite find_add. now destruct (name_eqb_spec x (nname g)).
  - intros x D' h F' r. rewrite find_add in F'.
    destruct (name_eqb_spec x (nname g)) as [->|n].
    + inversion F'; subst. rewrite nval_own. symmetry. eapply gval_other; eauto.
    + rewrite nval_other by easy. rewrite (G2 _ _ _ F'). symmetry.
      eapply gval_other; eauto.
  - intros x N r. rewrite find_add in N. destruct (name_eqb_spec x (nname g)); [easy|].
    rewrite nval_other; auto.
Qed.

End Table.

(** ** The literals of the prenex form stand for the gates of the formula *)

Definition rel (w : option bool) (c n : bool) : Prop :=
  match w with
  | None => c = n
  | Some true => c = true -> n = true
  | Some false => n = true -> c = true
  end.

Lemma rel_weaken have want c n : pol_ok have want = true -> rel have c n -> rel want c n.
Proof. destruct have as [[]|], want as [[]|]; simpl; try easy; now intros _ ->. Qed.

Lemma rel_sign w l t c V : rel (turned w l) (leval t c) (V (var l)) ->
  rel w (leval t (same_sign l c)) (leval V l).
Proof.
  unfold turned, same_sign. destruct l as [v|v]; simpl; [easy|]. rewrite leval_neg.
  destruct w as [[]|]; simpl; destruct (leval t c), (V v); simpl; intuition congruence.
Qed.

Lemma rel_neg w c n : rel (option_map negb w) c n -> rel w (negb c) (negb n).
Proof. destruct w as [[]|]; simpl; destruct c, n; simpl; intuition congruence. Qed.

Lemma lits_eqb_eq : forall a b, lits_eqb a b = true -> a = b.
Proof.
  induction a as [|x a IH]; destruct b as [|y b]; simpl; try easy. intros H.
  apply andb_prop in H as [H1 H2]. apply lit_eqb_eq in H1. now rewrite H1, (IH _ H2).
Qed.

Lemma kind_eqb_eq a b : kind_eqb a b = true -> a = b.
Proof. now destruct a, b. Qed.

Section Simulation.
Variables (O : trie unit) (K : known) (A : trie positive) (J : places_of_names).
Variables (T : trie gate) (R : list ngate) (t r : assign) (Wf : trie stage).
Hypothesis HG : good O R K.
Hypothesis HO : forall y, find y O <> None -> find y J = None.
Hypothesis Ht : forall y, find y A <> None -> t y = r y.
Hypothesis HT : forall x g, find x T = Some g -> t x = geval t g.

Definition rho (e : env) (r : assign) : assign := fun y => r (envf e y).
Definition body (l : lit) (r : assign) : bool := leval (nval R r) l.
Definition choice (st : stage) (r0 : assign) : bool :=
  let b := qeval (srest st) (body (sbody st)) (upd (rho (senv st) r0) (sname st) false) in
  if spol st then b else negb b.
Hypothesis Played : forall v st i, find v Wf = Some st -> find v J = Some (All, i) ->
  exists r0, r v = choice st r0 /\
    forall x, match find x J with Some (_, k) => (k < i)%positive | None => True end ->
      r0 x = r x.

Lemma envf_fixed e y : env_ok O e = true -> find y O <> None -> envf e y = y.
Proof.
  intros H Hy. induction e as [|[a b] e IH]; simpl in *; [easy|].
  apply andb_prop in H as [H1 H2]. destruct (name_eqb_spec y a) as [<-|]; [|auto].
  unfold mem in H1. now destruct (find y O).
Qed.

Lemma body_dep l s s' : (forall y, depends O K (var l) y -> s y = s' y) -> body l s = body l s'.
Proof. intros E. apply leval_ext. now apply (good_ext _ _ _ HG). Qed.

Lemma body_qeval l p s s' : (forall y, s y = s' y) -> qeval p (body l) s = qeval p (body l) s'.
Proof.
  intros E. apply qeval_dep with (Q := fun _ => True); [|auto].
  intros. apply body_dep. auto.
Qed.

Definition stands (u : use) : Prop :=
  rel (upol u) (leval t (ucopy u)) (nval R (rho (uenv u) r) (ugate u)).
Definition all_stand (U : trie use) : Prop := forall i u, find i U = Some u ->
  env_ok O (uenv u) = true /\ stands u.

Lemma resolve_sound U e w k l c : all_stand U -> env_ok O e = true ->
  resolve K A U e w k l = Some c -> rel w (leval t c) (leval (nval R (rho e r)) l).
Proof.
  intros HU He. unfold resolve. destruct (find (var l) K) as [[D g]|] eqn:F.
  - destruct (find k U) as [u|] eqn:FU; [|easy].
    destruct (name_eqb (ugate u) (var l) && pol_ok (upol u) (turned w l)
      && forallb (fun y => name_eqb (envf e y) (envf (uenv u) y)) D) eqn:C; [|easy].
    intros E. inversion E; subst. clear E. apply andb_prop in C as [C C3].
    apply andb_prop in C as [C1 C2]. destruct (name_eqb_spec (ugate u) (var l)) as [Eg|]; [|easy].
    apply rel_sign. apply (rel_weaken _ _ _ _ C2). destruct (HU _ _ FU) as [Hu Su].
    unfold stands in Su. rewrite Eg in Su.
    replace (nval R (rho e r) (var l)) with (nval R (rho (uenv u) r) (var l)); [easy|].
    apply (good_ext _ _ _ HG). unfold depends, rho. rewrite F. rewrite forallb_forall in C3.
    intros y [Hy|Hy].
    + specialize (C3 _ Hy). now destruct (name_eqb_spec (envf e y) (envf (uenv u) y)) as [->|].
    + now rewrite !envf_fixed.
  - destruct (mem (envf e (var l)) A) eqn:M; [|easy]. intros E. inversion E; subst.
    apply rel_sign. simpl. unfold mem in M.
    rewrite Ht by (intros N; now rewrite N in M).
    rewrite (good_none _ _ _ HG _ F). unfold rho.
    destruct (turned w l) as [[]|]; simpl; auto.
Qed.

Lemma resolve_all_sound U e w : all_stand U -> env_ok O e = true ->
  forall ls ks cs, resolve_all K A U e w ks ls = Some cs ->
  Forall2 (fun c l => rel w (leval t c) (leval (nval R (rho e r)) l)) cs ls.
Proof.
  intros HU He. induction ls as [|l ls IH]; intros ks cs; destruct ks as [|k ks]; simpl; try easy.
  - intros E; inversion E; constructor.
  - destruct (resolve K A U e w k l) as [c|] eqn:E1; [|easy].
    destruct (resolve_all K A U e w ks ls) as [cs'|] eqn:E2; [|easy].
    intros E; inversion E; subst. constructor; [eapply resolve_sound; eauto | eauto].
Qed.

Lemma is_gate_value c k ls : is_gate T c k ls = true -> leval t c = geval t (Gate End k ls).
Proof.
  unfold is_gate. destruct c as [x|]; [|easy]. destruct (find x T) as [g|] eqn:F; [|easy].
  intros H. apply andb_prop in H as [H1 H2]. apply kind_eqb_eq in H1. apply lits_eqb_eq in H2.
  simpl. rewrite (HT _ _ F). destruct g; simpl in *; now subst.
Qed.

Lemma two_value c a b c' d : two T c a b c' d = true ->
  leval t c = leval t a && leval t b || leval t c' && leval t d.
Proof.
  unfold two. destruct c as [x|]; [|easy].
  destruct (find x T) as [[o k ls]|] eqn:F; [|easy].
  destruct k; try easy. destruct ls as [|y [|z [|]]]; try easy. intros H.
  apply andb_prop in H as [H1 H2]. apply is_gate_value in H1, H2. simpl. rewrite (HT _ _ F).
  unfold geval in *. simpl in *. rewrite H1, H2. now rewrite !andb_true_r, orb_false_r.
Qed.

Lemma rel_and w V : forall cs ls, Forall2 (fun c l => rel w (leval t c) (leval V l)) cs ls ->
  rel w (forallb (leval t) cs) (forallb (leval V) ls).
Proof.
  induction 1 as [|c l cs ls H _ IH]; simpl; [now destruct w as [[]|]|].
  destruct w as [[]|]; simpl in *; rewrite ?andb_true_iff; intuition congruence.
Qed.

Lemma rel_or w V : forall cs ls, Forall2 (fun c l => rel w (leval t c) (leval V l)) cs ls ->
  rel w (existsb (leval t) cs) (existsb (leval V) ls).
Proof.
  induction 1 as [|c l cs ls H _ IH]; simpl; [now destruct w as [[]|]|].
  destruct w as [[]|]; simpl in *; rewrite ?orb_true_iff; intuition congruence.
Qed.

Lemma rel_xor V : forall cs ls, Forall2 (fun c l => rel None (leval t c) (leval V l)) cs ls ->
  fold_right (fun l b => xorb (leval t l) b) false cs =
  fold_right (fun l b => xorb (leval V l) b) false ls.
Proof. induction 1 as [|c l cs ls H _ IH]; simpl in *; congruence. Qed.

Ltac opened := repeat match goal with
  | H : match ?x with _ => _ end = true |- _ => destruct x eqn:?; try discriminate H
  end.
Ltac related HU He := repeat match goal with
  | E : resolve K A _ _ _ _ _ = Some _ |- _ => apply (resolve_sound _ _ _ _ _ _ HU He) in E
  | E : resolve_all K A _ _ _ _ _ = Some _ |- _ =>
      apply (resolve_all_sound _ _ _ HU He) in E
  | E : is_gate T _ _ _ = true |- _ => apply is_gate_value in E; rewrite E
  | E : two T _ _ _ _ _ = true |- _ => apply two_value in E; rewrite E
  end.

Lemma check_plain_sound U u g : all_stand U -> env_ok O (uenv u) = true ->
  check_plain K A T U u g = true ->
  rel (upol u) (leval t (ucopy u)) (geval (nval R (rho (uenv u) r)) g).
Proof.
  intros HU He H. unfold check_plain in H. destruct g as [o k ls]. simpl gkind in H. simpl gins in H.
  destruct k; opened; related HU He; unfold geval; simpl gkind; simpl gins;
    try (now apply rel_and); try (now apply rel_or).
  all: try (rewrite (rel_xor _ _ _ ltac:(eassumption)); destruct (upol u) as [[]|]; simpl; easy).
  all: simpl fold_right; rewrite ?xorb_false_r, ?leval_neg.
  all: destruct (upol u) as [[]|]; simpl in *;
    repeat match goal with |- context [leval ?x ?y] => destruct (leval x y) end;
    simpl in *; intuition congruence.
Qed.

(** ** Quantifier gates *)

Lemma bind_mono pl l : forall p vs e W e' W', bind O K J pl l p vs e W = Some (e', W') ->
  forall x y, find x W = Some y -> find x W' = Some y.
Proof.
  induction p as [|[q v] p IH]; intros vs e W e' W' H x y F; destruct vs as [|v' vs];
    simpl in H; try easy; [now inversion H; subst|].
  destruct (mem v O); [easy|]. destruct (if pl then q else flip q).
  - eapply IH; eauto.
  - destruct (find v' J) as [[[] i]|]; try easy. destruct (find v' W) eqn:N; [easy|].
    destruct (left_ok K J e l (v :: map snd p) i); [|easy]. eapply IH; [exact H|].
    rewrite find_add. destruct (name_eqb_spec x v'); congruence.
Qed.

Lemma bind_sound pl l c : forall p vs e W e' W', bind O K J pl l p vs e W = Some (e', W') ->
  (forall x y, find x W' = Some y -> find x Wf = Some y) -> env_ok O e = true ->
  env_ok O e' = true /\
  (rel (Some pl) c (body l (rho e' r)) -> rel (Some pl) c (qeval p (body l) (rho e r))).
Proof.
  induction p as [|[q v] p IH]; intros vs e W e' W' H HW He; destruct vs as [|v' vs];
    simpl in H; try easy; [now inversion H; subst|].
  destruct (mem v O) eqn:Mv; [easy|].
  assert (He1 : env_ok O ((v, v') :: e) = true) by (simpl; now rewrite Mv, He).
  assert (Eq : forall b, b = r v' ->
      qeval p (body l) (rho ((v, v') :: e) r) = qeval p (body l) (upd (rho e r) v b)).
  { intros b ->. apply body_qeval. intros y. unfold rho, upd. simpl.
    now destruct (name_eqb y v). }
  destruct (if pl then q else flip q) eqn:Q.
  - destruct (IH _ _ _ _ _ H HW He1) as [E' S]. split; [easy|]. intros B. specialize (S B).
    rewrite (Eq _ eq_refl) in S. destruct pl; simpl in *.
    + subst q. simpl. intros Hc. specialize (S Hc). destruct (r v'); rewrite S; auto using orb_true_r.
    + destruct q; [easy|]. simpl. intros H1. apply S. apply andb_prop in H1 as [H1 H2].
      now destruct (r v').
  - destruct (find v' J) as [[[] i]|] eqn:FJ; try easy. destruct (find v' W) eqn:N; [easy|].
    destruct (left_ok K J e l (v :: map snd p) i) eqn:LO; [|easy].
    destruct (IH _ _ _ _ _ H HW He1) as [E' S]. split; [easy|]. intros B. specialize (S B).
    rewrite (Eq _ eq_refl) in S. clear Eq B.
    assert (FW : find v' Wf = Some (Stage e v p l pl)).
    { apply HW. apply (bind_mono _ _ _ _ _ _ _ _ H). now rewrite find_add, name_eqb_refl. }
    destruct (Played _ _ _ FW FJ) as (r0 & Er & Same). unfold choice in Er. simpl in Er.
    replace (qeval p (body l) (upd (rho e r0) v false))
      with (qeval p (body l) (upd (rho e r) v false)) in Er.
    2:{ apply qeval_dep with (Q := depends O K (var l)); [apply body_dep|].
        intros y Hy n. apply (upd_ext (fun _ => True)). intros nv. unfold rho. symmetry. apply Same.
        assert (Cases : In y (reads K l) \/ find y O <> None).
        { unfold depends in Hy. unfold reads. destruct (find (var l) K) as [[D g]|]; [easy|].
          left. now left. }
        destruct Cases as [Hr|Hr].
        - unfold left_ok in LO. rewrite forallb_forall in LO. specialize (LO _ Hr).
          apply orb_prop in LO as [LO|LO].
          + apply inlist_in in LO. destruct LO as [LO|LO]; [congruence|tauto].
          + destruct (find (envf e y) J) as [[q' k]|]; [|easy]. now apply Pos.ltb_lt.
        - rewrite (envf_fixed _ _ He Hr), (HO _ Hr). easy. }
    destruct pl; simpl in *.
    + subst q. simpl. intros Hc. specialize (S Hc). rewrite Er in S.
      destruct (qeval p (body l) (upd (rho e r) v false)) eqn:E0; [now rewrite S|congruence].
    + destruct q; [|easy]. simpl. intros H1. apply S. rewrite Er.
      destruct (qeval p (body l) (upd (rho e r) v false)) eqn:E0; simpl; [easy|].
      now rewrite orb_false_r in H1.
Qed.

Lemma check_use_sound U W u W' : check_use O K A J T U W u = Some W' ->
  (forall x y, find x W' = Some y -> find x Wf = Some y) -> all_stand U ->
  env_ok O (uenv u) = true /\ stands u.
Proof.
  unfold check_use. intros H HW HU. destruct (env_ok O (uenv u)) eqn:He; [|easy]. split; [easy|].
  unfold stands. destruct (find (ugate u) K) as [[D [g|v p l]]|] eqn:F; [| |easy];
    rewrite (good_eq _ _ _ HG _ _ _ F).
  - destruct (check_plain K A T U u g) eqn:C; [|easy]. now apply (check_plain_sound U).
  - destruct (upol u) as [pl|] eqn:Pl; [|easy]. destruct (ukids u) as [|k [|]]; try easy.
    destruct (bind O K J pl l p (ubound u) (uenv u) W) as [[e W1]|] eqn:B; [|easy].
    destruct (resolve K A U e (Some pl) k l) as [c|] eqn:Rs; [|easy].
    destruct (lit_eqb c (ucopy u)) eqn:E; [|easy]. apply lit_eqb_eq in E as <-.
    inversion H; subst. destruct (bind_sound _ _ (leval t c) _ _ _ _ _ _ B HW He) as [E' S].
    apply S. apply (resolve_sound _ _ _ _ _ _ HU E' Rs).
Qed.

Lemma check_use_mono U W u W' : check_use O K A J T U W u = Some W' ->
  forall x y, find x W = Some y -> find x W' = Some y.
Proof.
  unfold check_use. intros H x y Fx. destruct (env_ok O (uenv u)); [|easy].
  destruct (find (ugate u) K) as [[D [g|v p l]]|]; [| |easy].
  - destruct (check_plain K A T U u g); [|easy]. inversion H; now subst.
  - destruct (upol u) as [pl|]; [|easy]. destruct (ukids u) as [|k [|]]; try easy.
    destruct (bind O K J pl l p (ubound u) (uenv u) W) as [[e W1]|] eqn:B; [|easy].
    destruct (resolve K A U e (Some pl) k l) as [c|]; [|easy].
    destruct (lit_eqb c (ucopy u)); [|easy]. inversion H; subst.
    now apply (bind_mono _ _ _ _ _ _ _ _ B).
Qed.

Lemma check_uses_mono : forall us U W U' W',
  check_uses O K A J T us U W = Some (U', W') -> forall x y, find x W = Some y -> find x W' = Some y.
Proof.
  induction us as [|u us IH]; simpl; intros U W U' W' H x y F; [inversion H; now subst|].
  destruct (check_use O K A J T U W u) as [W1|] eqn:C; [|easy].
  eapply IH; [exact H|]. eapply check_use_mono; eauto.
Qed.

Lemma check_uses_sound : forall us U W U' W', check_uses O K A J T us U W = Some (U', W') ->
  (forall x y, find x W' = Some y -> find x Wf = Some y) -> all_stand U -> all_stand U'.
Proof.
  induction us as [|u us IH]; simpl; intros U W U' W' H HW HU; [inversion H; now subst|].
  destruct (check_use O K A J T U W u) as [W1|] eqn:C; [|easy].
  apply (IH _ _ _ _ H HW). intros i u'. rewrite find_add. destruct (name_eqb i (uid u)); [|apply HU].
  intros E; inversion E; subst. apply (check_use_sound _ _ _ _ C); [|exact HU].
  intros x y F. apply HW. eapply check_uses_mono; eauto.
Qed.
End Simulation.

(** ** The theorems *)

Lemma quant_eqb_is a b : quant_eqb a b = true -> a = b.
Proof. now destruct a, b. Qed.

Lemma strip_app : forall p p' inner, strip p p' = Some inner -> p' = p ++ inner.
Proof.
  induction p as [|[q v] p IH]; simpl; intros p' inner H; [now inversion H|].
  destruct p' as [|[q' v'] p']; [easy|]. destruct (quant_eqb q q' && name_eqb v v') eqn:E; [|easy].
  apply andb_prop in E as [E1 E2]. apply quant_eqb_is in E1 as ->.
  destruct (name_eqb_spec v v') as [->|]; [|easy]. now rewrite (IH _ _ H).
Qed.

Lemma gate_table_in gs x g : find x (gate_table gs) = Some g -> In g gs /\ gout g = x.
Proof.
  unfold gate_table.
  assert (H : forall gs T, find x (fold_left (fun T g => add (gout g) g T) gs T) = Some g ->
     find x T = Some g \/ In g gs /\ gout g = x).
  { induction gs0 as [|h gs0 IH]; simpl; intros T H; [now left|].
    apply IH in H as [H|H]; [|tauto]. rewrite find_add in H.
    destruct (name_eqb_spec x (gout h)) as [->|]; [|tauto]. inversion H; subst. tauto. }
  intros F. apply H in F as [F|F]; [easy|exact F].
Qed.

Theorem check_prenex_sound q f h : check_prenex q f h = true -> qcir_true f -> nested_true q.
Proof.
  unfold check_prenex. set (O := marks (fixed h)). set (L := marks (local h)).
  destruct (strip (npre q) (pre f)) as [inner|] eqn:HS; [|easy].
  destruct (index Ex (pre f) 2 Empty Empty) as [[A U0]|]; [|easy].
  destruct (tab O L _ (ngates q) Empty) as [K|] eqn:HK; [|easy].
  destruct (scan _ (gates f) A) as [D|] eqn:HD; [|easy].
  destruct (place inner 1 Empty) as [J|] eqn:HJ; [|easy].
  intros H. apply andb_prop in H as [H H3]. apply andb_prop in H as [H1 H2].
  destruct (check_uses O K A J (gate_table (gates f)) (used h) Empty Empty) as [[U W]|] eqn:HU; [|easy].
  destruct (resolve K A U [] (Some true) (root h) (nout q)) as [c|] eqn:HR; [|easy].
  apply lit_eqb_eq in H3 as ->. rewrite forallb_forall in H1, H2.
  assert (HG : good O (rev (ngates q)) K).
  { rewrite <- (app_nil_r (rev (ngates q))). apply (tab_good O L _ _ _ _ _ HK).
    - split; try easy. intros r r' x E. apply E. unfold depends. simpl. easy.
    - now intros x D' g. }
  assert (HO : forall y, find y O <> None -> find y J = None).
  { intros y Hy. apply mem_find. apply negb_true_iff. apply H1.
    apply marks_in in Hy as [Hy|Hy]; [easy|exact Hy]. }
  intros Hf r. specialize (Hf r). apply strip_app in HS. rewrite HS, qeval_app in Hf.
  revert Hf. apply qeval_mono. clear r. intros r Hf.
  destruct (play (fun v r0 => match find v W with
                              | Some st => choice (rev (ngates q)) st r0
                              | None => false end)
              (qcir_matrix f) inner 1 Empty J r HJ Hf) as (r' & Hm & Hr & Hc).
  set (t := ceval (gates f) r').
  assert (Ht : forall y, find y A <> None -> t y = r' y)
    by (intros y Hy; apply (ceval_stable _ _ _ _ HD); now left).
  assert (HT : forall x g, find x (gate_table (gates f)) = Some g -> t x = geval t g).
  { intros x g F. apply gate_table_in in F as [F <-]. apply (ceval_sat _ _ _ _ HD r' g F). }
  assert (Played : forall v st i, find v W = Some st -> find v J = Some (All, i) ->
      exists r0, r' v = choice (rev (ngates q)) st r0 /\
        forall x, match find x J with Some (_, k) => (k < i)%positive | None => True end ->
          r0 x = r' x).
  { intros v st i FW FJ. destruct (Hc v i FJ eq_refl) as (r0 & E & S). rewrite FW in E. eauto. }
  assert (Stand : all_stand O (rev (ngates q)) t r' U).
  { eapply (check_uses_sound O K A J (gate_table (gates f)) (rev (ngates q)) t r' W);
      [exact HG|exact HO|exact Ht|exact HT|exact Played|exact HU|auto|now intros i u]. }
  pose proof (resolve_sound O K A (rev (ngates q)) t r' HG Ht U [] _ _ _ _ Stand eq_refl HR) as E.
  simpl in E. specialize (E Hm). unfold nested_matrix. rewrite <- E. apply leval_ext.
  apply (good_ext _ _ _ HG). intros y Hy. unfold rho. simpl. symmetry. apply Hr. right.
  unfold depends in Hy. unfold reads in H2. destruct (find (var (nout q)) K) as [[D' g]|].
  - destruct Hy as [Hy|Hy]; [|auto]. apply mem_find. apply negb_true_iff. auto.
  - subst y. apply mem_find. apply negb_true_iff. apply H2. now left.
Qed.

Lemma neg_neg l : neg (neg l) = l. Proof. now destruct l. Qed.

Lemma qcir_dual_true f : qcir_false f -> qcir_true (qcir_dual f).
Proof.
  intros H r. unfold qcir_dual. simpl.
  rewrite (qeval_dual (qcir_matrix f)); [now rewrite H|].
  intros r'. unfold qcir_matrix. simpl. apply leval_neg.
Qed.

Lemma nested_dual_false q : nested_true (nested_dual q) -> nested_false q.
Proof.
  intros H r. specialize (H r). unfold nested_dual in H. simpl in H.
  rewrite (qeval_dual (nested_matrix q)) in H; [now apply negb_true_iff|].
  intros r'. unfold nested_matrix. simpl. apply leval_neg.
Qed.

Theorem nested_skolem_correct : forall {S} (from : supply S) (q : nested) f h c fuel s,
  check_nested from Ex q f h c fuel s = true -> nested_true q.
Proof.
  intros S from q f h c fuel s H. apply andb_prop in H as [H1 H2].
  apply (check_prenex_sound _ _ _ H1). exact (skolem_correct from f c fuel s H2).
Qed.

Theorem nested_herbrand_correct : forall {S} (from : supply S) (q : nested) f h c fuel s,
  check_nested from All q f h c fuel s = true -> nested_false q.
Proof.
  intros S from q f h c fuel s H. apply andb_prop in H as [H1 H2].
  apply nested_dual_false. apply (check_prenex_sound _ _ _ H1). apply qcir_dual_true.
  exact (herbrand_correct from f c fuel s H2).
Qed.
