(** Soundness: what the checker accepts is so. *)
From Coq Require Import List Bool PArith Lia.
From Verified Require Import Qbf Trie Checker.
Import ListNotations.

Definition win (w : quant) : bool := match w with Ex => true | All => false end.

(** ** Assignments *)

Lemma upd_same r v b : upd r v b v = b.
Proof. unfold upd. now rewrite name_eqb_refl. Qed.

Lemma upd_other r v b x : x <> v -> upd r v b x = r x.
Proof. unfold upd. now destruct (name_eqb_spec x v). Qed.

Lemma leval_ext r r' l : r (var l) = r' (var l) -> leval r l = leval r' l.
Proof. destruct l; simpl; congruence. Qed.

Lemma leval_neg r l : leval r (neg l) = negb (leval r l).
Proof. destruct l; simpl; [easy | now rewrite negb_involutive]. Qed.

Lemma forallb_ext_in {X} (f g : X -> bool) l :
  (forall x, In x l -> f x = g x) -> forallb f l = forallb g l.
Proof. induction l; simpl; intros E; [easy | rewrite E, IHl; auto]. Qed.

Lemma existsb_ext_in {X} (f g : X -> bool) l :
  (forall x, In x l -> f x = g x) -> existsb f l = existsb g l.
Proof. induction l; simpl; intros E; [easy | rewrite E, IHl; auto]. Qed.

Lemma geval_ext r r' g :
  (forall l, In l (gins g) -> r (var l) = r' (var l)) -> geval r g = geval r' g.
Proof.
  intros H.
  assert (E : forall l, In l (gins g) -> leval r l = leval r' l)
    by (intros; apply leval_ext; auto).
  clear H. unfold geval. revert E. generalize (gins g) as ls.
  destruct (gkind g); intros ls E.
  - now apply forallb_ext_in.
  - now apply existsb_ext_in.
  - induction ls; simpl in *; [easy | rewrite E, IHls; auto].
  - destruct ls as [|c [|a [|b [|]]]]; auto. simpl in E.
    rewrite (E c), (E a), (E b); tauto.
Qed.

(** ** Circuits *)

Lemma join_max (j k : positive) : (if Pos.leb j k then k else j) = Pos.max j k.
Proof. destruct (Pos.leb_spec j k); lia. Qed.

Lemma join_ge L : forall ls k k', join L ls k = Some k' -> (k <= k')%positive.
Proof.
  induction ls; simpl; intros k k' H; [inversion H; lia|].
  destruct (find (var a) L); [|easy]. apply IHls in H. rewrite join_max in H. lia.
Qed.

Lemma join_in L : forall ls k k', join L ls k = Some k' ->
  forall l, In l ls -> exists j, find (var l) L = Some j /\ (j <= k')%positive.
Proof.
  induction ls; simpl; intros k k' H l Hl; [easy|].
  destruct (find (var a) L) eqn:E; [|easy]. rewrite join_max in H.
  destruct Hl as [->|Hl]; [|eauto].
  apply join_ge in H. exists p. split; [easy | lia].
Qed.

(** What [scan] checks of the first gate. *)
Lemma scan_inv bad g gs L L' : scan bad (g :: gs) L = Some L' ->
  exists k, join L (gins g) 1 = Some k /\ bad (gout g) = false /\
    find (gout g) L = None /\ scan bad gs (add (gout g) k L) = Some L'.
Proof.
  simpl. destruct (join L (gins g) 1) as [k|]; [|easy].
  destruct (bad (gout g)) eqn:B; [easy|]. simpl.
  destruct (mem (gout g) L) eqn:M; [easy|].
  apply mem_find in M. eauto.
Qed.

Lemma scan_mono bad : forall gs L L', scan bad gs L = Some L' ->
  forall x j, find x L = Some j -> find x L' = Some j.
Proof.
  induction gs as [|g gs IH]; intros L L' H x j F; [inversion H; now subst|].
  apply scan_inv in H as (k & _ & _ & M & H). apply (IH _ _ H).
  rewrite find_add. destruct (name_eqb_spec x (gout g)); congruence.
Qed.

(** Evaluation leaves alone what was there before. *)
Lemma ceval_stable bad : forall gs L L', scan bad gs L = Some L' ->
  forall r x, find x L <> None \/ bad x = true -> ceval gs r x = r x.
Proof.
  induction gs as [|g gs IH]; intros L L' H r x Hx; [easy|].
  apply scan_inv in H as (k & _ & B & M & H). simpl.
  assert (x <> gout g) by (destruct Hx; congruence).
  rewrite (IH _ _ H); [now apply upd_other|].
  rewrite find_add. destruct (name_eqb_spec x (gout g)); [easy | tauto].
Qed.

(** After evaluation each gate has the value that its inputs give it. *)
Lemma ceval_sat bad : forall gs L L', scan bad gs L = Some L' ->
  forall r g, In g gs -> ceval gs r (gout g) = geval (ceval gs r) g.
Proof.
  induction gs as [|g0 gs IH]; intros L L' H r g Hg; [easy|].
  apply scan_inv in H as (k & J & B & M & H). simpl.
  destruct Hg as [->|Hg]; [|now apply (IH _ _ H)].
  rewrite (ceval_stable _ _ _ _ H) by (left; now rewrite find_add, name_eqb_refl).
  rewrite upd_same. apply geval_ext. intros l Hl.
  destruct (join_in _ _ _ _ J l Hl) as (j & F & _).
  assert (var l <> gout g) by congruence.
  rewrite (ceval_stable _ _ _ _ H), upd_other; auto.
  left. rewrite find_add. destruct (name_eqb_spec (var l) (gout g)); congruence.
Qed.

(** A gate of level [k] does not depend on what has a higher level. *)
Lemma ceval_agree bad k : forall gs L L', scan bad gs L = Some L' ->
  forall r r', (forall x j, find x L = Some j -> (j <= k)%positive -> r x = r' x) ->
  forall x j, find x L' = Some j -> (j <= k)%positive -> ceval gs r x = ceval gs r' x.
Proof.
  induction gs as [|g gs IH]; intros L L' H r r' E x j F Hj;
    [inversion H; subst; simpl; eauto|].
  apply scan_inv in H as (k' & J & B & M & H). simpl.
  apply (IH _ _ H) with (j := j); auto.
  clear x j F Hj. intros x j. rewrite find_add.
  destruct (name_eqb_spec x (gout g)) as [->|n]; intros F Hj.
  - inversion F; subst. rewrite !upd_same. apply geval_ext. intros l Hl.
    destruct (join_in _ _ _ _ J l Hl) as (i & Fi & Hi). apply (E _ i); [easy | lia].
  - rewrite !upd_other; eauto.
Qed.

(** Outputs and inputs of gates are known afterwards. *)
Lemma scan_known bad g : forall gs L L', scan bad gs L = Some L' -> In g gs ->
  find (gout g) L' <> None /\ forall l, In l (gins g) -> find (var l) L' <> None.
Proof.
  induction gs as [|g0 gs IH]; intros L L' HS Hin; [easy|].
  apply scan_inv in HS as (k & J & _ & _ & HS).
  destruct Hin as [->|Hin]; [|now apply (IH _ _ HS)].
  split.
  - rewrite (scan_mono _ _ _ _ HS (gout g) k); [easy|].
    now rewrite find_add, name_eqb_refl.
  - intros l Hl. destruct (join_in _ _ _ _ J l Hl) as (j & Fj & _).
    destruct (name_eqb_spec (var l) (gout g)) as [e|n].
    + rewrite (scan_mono _ _ _ _ HS (var l) k); [easy|].
      now rewrite find_add, e, name_eqb_refl.
    + rewrite (scan_mono _ _ _ _ HS (var l) j); [easy|].
      rewrite find_add. destruct (name_eqb_spec (var l) (gout g)); easy.
Qed.

(** ** Clauses *)

Lemma csat_in r c l : In l c -> leval r l = true -> csat r c = true.
Proof. intros. apply existsb_exists. eauto. Qed.

Lemma each_map {X Y} (f : X -> Y) xs rest : each f xs rest = map f xs ++ rest.
Proof.
  unfold each. rewrite rev_append_rev.
  assert (E : forall xs ys, fold_left (fun ys x => f x :: ys) xs ys = rev (map f xs) ++ ys).
  { induction xs0; simpl; intros ys; [easy|]. now rewrite IHxs0, <- app_assoc. }
  now rewrite E, app_nil_r, rev_involutive.
Qed.

Lemma tseitin_sat t g : t (gout g) = geval t g ->
  forall c, In c (tseitin g) -> csat t c = true.
Proof.
  destruct g as [v k ls]. unfold geval, tseitin. simpl.
  destruct k; rewrite ?each_map, ?app_nil_r.
  - intros E c H. apply in_app_or in H as [H|[<-|[]]].
    + apply in_map_iff in H as (l & <- & Hl). unfold csat. simpl. rewrite E.
      destruct (forallb (leval t) ls) eqn:A; [|easy].
      rewrite forallb_forall in A. now rewrite A.
    + unfold csat. simpl. rewrite E.
      clear E. induction ls; simpl; [easy|]. rewrite leval_neg.
      destruct (leval t a); simpl; auto.
  - intros E c H. apply in_app_or in H as [H|[<-|[]]].
    + apply in_map_iff in H as (l & <- & Hl). unfold csat. simpl.
      rewrite E, leval_neg.
      destruct (leval t l) eqn:A; simpl; [|now rewrite orb_true_r].
      replace (existsb (leval t) ls) with true; [easy|].
      symmetry. apply existsb_exists. eauto.
    + unfold csat. simpl. rewrite E. now destruct (existsb (leval t) ls).
  - destruct ls as [|a [|b [|]]]; try easy. simpl. rewrite xorb_false_r.
    intros E c H. unfold csat.
    repeat (destruct H as [<-|H]); [..|easy]; simpl; rewrite ?leval_neg, E;
      now destruct (leval t a), (leval t b).
  - destruct ls as [|a [|b [|d [|]]]]; try easy.
    intros E c H. unfold csat.
    repeat (destruct H as [<-|H]); [..|easy]; simpl; rewrite ?leval_neg, E;
      now destruct (leval t a), (leval t b), (leval t d).
Qed.

Definition fval (t : assign) (f : func) : bool :=
  match f with Some l => leval t l | None => false end.

Lemma tie_sat t x f : t x = fval t f -> forall c, In c (tie x f) -> csat t c = true.
Proof.
  intros E c H. destruct f as [l|]; simpl in *.
  - destruct H as [<-|[<-|[]]]; unfold csat; simpl; rewrite E, ?leval_neg;
      now destruct (leval t l).
  - destruct H as [<-|[]]. unfold csat. simpl. now rewrite E.
Qed.

(** ** Proofs *)

Definition holds (t : assign) (d : places) := forall i c, find i d = Some c -> csat t c = true.

Definition defines (t : assign) (T : definitions) :=
  forall v df, find v T = Some df -> forall c, In c (clauses_of df) -> csat t c = true.

Lemma define_gates_hold t : forall gs T, (forall g, In g gs -> t (gout g) = geval t g) ->
  defines t T -> defines t (define_gates gs T).
Proof.
  induction gs as [|g gs IH]; simpl; intros T H HT; [exact HT|]. apply IH; [auto|].
  intros v df. rewrite find_add. destruct (name_eqb v (gout g)); [|apply HT].
  intros E. inversion E; subst. simpl. apply tseitin_sat. auto.
Qed.

Lemma define_funs_hold t : forall fs T, (forall x f, In (x, f) fs -> t x = fval t f) ->
  defines t T -> defines t (define_funs fs T).
Proof.
  induction fs as [|[x f] fs IH]; simpl; intros T H HT; [exact HT|]. apply IH; [auto|].
  intros v df. rewrite find_add. destruct (name_eqb v x); [|apply HT].
  intros E. inversion E; subst. simpl. apply tie_sat. auto.
Qed.

Lemma holds_add t i c d : csat t c = true -> holds t d -> holds t (add i c d).
Proof.
  intros Hc Hd j c'. rewrite find_add. destruct (name_eqb j i); [congruence | apply Hd].
Qed.

(** All that a partial assignment says is so in [t]. *)
Definition within (a : partial) (t : assign) := forall x b, find x a = Some b -> t x = b.

Lemma leval_sign t l : leval t l = Bool.eqb (t (var l)) (sign l).
Proof. destruct l; simpl; destruct (t v); easy. Qed.

Lemma within_assume a t l : within a t -> leval t l = true -> within (assume a l) t.
Proof.
  intros H E x b. unfold assume. rewrite find_add.
  destruct (name_eqb_spec x (var l)) as [->|]; [|apply H].
  intros F; inversion F; subst. rewrite leval_sign in E. now apply eqb_prop in E.
Qed.

Lemma falsified_false a t l : within a t -> falsified a l = true -> leval t l = false.
Proof.
  unfold falsified. intros H. destruct (find (var l) a) eqn:F; [|easy].
  apply H in F. rewrite leval_sign, F. now destruct (Bool.eqb b (sign l)).
Qed.

Lemma lit_eqb_eq a b : lit_eqb a b = true -> a = b.
Proof.
  destruct a, b; simpl; try easy; intros H;
    match type of H with name_eqb ?a ?b = true =>
      destruct (name_eqb_spec a b) as [->|]; easy end.
Qed.

Lemma under_sound a t : within a t -> forall c u,
  csat t c = true \/ (exists l, u = Some l /\ leval t l = true) ->
  match under a c u with
  | Conflict => False
  | Unit l => leval t l = true
  | Other => True
  end.
Proof.
  intros W. induction c as [|l c IH]; simpl; intros u H.
  - destruct H as [H|(l & -> & H)]; easy.
  - destruct (falsified a l) eqn:F.
    + apply IH. rewrite (falsified_false _ _ _ W F) in H. easy.
    + destruct u as [l'|].
      * destruct (lit_eqb l l') eqn:E; [|easy]. apply lit_eqb_eq in E as ->.
        apply IH. destruct (leval t l') eqn:T; [eauto|].
        destruct H as [H|(l0 & [= <-] & H)]; [auto | congruence].
      * apply IH. destruct (leval t l) eqn:T; [eauto|].
        destruct H as [H|(l0 & [=] & _)]. auto.
Qed.

Lemma rup_sound t d : holds t d -> forall hints a, within a t -> rup d a hints = true -> False.
Proof.
  intros Hd. induction hints as [|h hints IH]; simpl; intros a W H; [easy|].
  destruct (find h d) as [c|] eqn:F; [|easy].
  pose proof (under_sound a t W c None (or_introl (Hd _ _ F))) as S.
  destruct (under a c None); [easy| |easy].
  apply (IH (assume a l)); auto. now apply within_assume.
Qed.

Lemma deny_within t : forall c a, csat t c = false -> within a t -> within (deny c a) t.
Proof.
  induction c as [|l c IH]; simpl; intros a E W; [easy|].
  apply orb_false_elim in E as [E1 E2]. apply IH; auto.
  apply within_assume; auto. now rewrite leval_neg, E1.
Qed.

Section Supplied.
Context {S : Type} (from : supply S).

(** Clauses that hold under one assignment cannot be refuted. *)
Theorem refutes_sound t defs : defines t defs -> forall fuel s d,
  holds t d -> refutes from defs fuel s d = true -> False.
Proof.
  intros HT. induction fuel as [|fuel IH]; simpl; intros s d Hd H; [easy|].
  destruct (next_step from s) as [[[i c hints|i v k] s']|]; [| |easy].
  2:{ destruct (find v defs) as [df|] eqn:F; [|easy].
      destruct (nth_error (clauses_of df) k) as [c|] eqn:K; [|easy].
      apply (IH s' (add i c d)); auto. apply holds_add; [|exact Hd].
      apply (HT v df F). now apply nth_error_In in K. }
  destruct (rup d (deny c Empty) hints) eqn:R; [|easy].
  destruct (csat t c) eqn:C.
  - destruct c; [easy|]. apply (IH s' (add i (l :: c) d)); auto. now apply holds_add.
  - apply (rup_sound t d Hd hints (deny c Empty)); auto.
    apply deny_within; auto. now intros x b.
Qed.

Lemma load_holds t v : forall cs sd, (forall c, In c cs -> csat t c = true) ->
  holds t (snd sd) -> holds t (snd (load from v cs sd)).
Proof.
  induction cs; simpl; intros sd H Hs; [easy|]. apply IHcs; auto.
  unfold load1. destruct (place_of from v a (fst sd)) as [[i|] s]; simpl; auto.
  apply holds_add; auto.
Qed.

Lemma load_gates_holds t : forall gs sd, (forall g, In g gs -> t (gout g) = geval t g) ->
  holds t (snd sd) -> holds t (snd (load_gates from gs sd)).
Proof.
  induction gs; simpl; intros sd H Hs; [easy|]. apply IHgs; auto.
  apply load_holds; auto. apply tseitin_sat. auto.
Qed.

Lemma load_funs_holds t : forall fs sd, (forall x f, In (x, f) fs -> t x = fval t f) ->
  holds t (snd sd) -> holds t (snd (load_funs from fs sd)).
Proof.
  induction fs as [|[x f] fs]; simpl; intros sd H Hs; [easy|]. apply IHfs; auto.
  apply load_holds; auto. apply tie_sat. auto.
Qed.

(** ** With its functions a player wins the matrix

    [A] has the variables, [U] those that functions may read, [L] the certificate's
    gates besides, [D] the matrix's. *)
Lemma loses_sound w q c fuel s A U L D :
  scan (fun x => mem x A) (cgates c) U = Some L ->
  scan (fun x => mem x L) (gates q) A = Some D ->
  mem (var (out q)) D = true ->
  loses from w q c fuel s = true ->
  forall r, (forall x f, In (x, f) (cfuns c) -> find x A <> None /\
      (forall l, f = Some l -> find (var l) L <> None) /\ r x = fval (ceval (cgates c) r) f) ->
  qcir_matrix q r = win w.
Proof.
  intros HL HD HO H r Hr.
  set (t0 := ceval (cgates c) r) in *. set (t := ceval (gates q) t0).
  (* The certificate's gates change nothing in the prefix. *)
  assert (E0 : forall x, find x A <> None -> t0 x = r x).
  { intros x Fx. apply (ceval_stable _ _ _ _ HL). right.
    unfold mem. now destruct (find x A). }
  assert (EL : forall x, find x L <> None -> t x = t0 x).
  { intros x Fx. apply (ceval_stable _ _ _ _ HD). right.
    unfold mem. now destruct (find x L). }
  assert (EA : forall x, find x A <> None -> t x = r x).
  { intros x Fx. unfold t. rewrite (ceval_stable _ _ _ _ HD); auto. }
  assert (EM : leval t (out q) = qcir_matrix q r).
  { unfold qcir_matrix. apply leval_ext. unfold mem in HO.
    destruct (find (var (out q)) D) as [k|] eqn:Fo; [|easy].
    apply (ceval_agree _ k _ _ _ HD) with (j := k); [|easy|lia].
    intros x j Fx _. apply E0. congruence. }
  destruct (Bool.bool_dec (qcir_matrix q r) (win w)) as [|NE]; [easy|exfalso].
  assert (Final : forall c0, In c0 [[final w (out q)]] -> csat t c0 = true).
  { intros c0 [<-|[]]. unfold csat, final. simpl. rewrite orb_false_r.
    destruct w; simpl in NE; rewrite ?leval_neg, EM; now destruct (qcir_matrix q r). }
  assert (Funs : forall x f, In (x, f) (cfuns c) -> t x = fval t f).
  { intros x f Hx. destruct (Hr x f Hx) as (Fx & Fl & Ex).
    rewrite (EA x Fx), Ex. destruct f as [l|]; [|easy]. simpl. apply leval_ext.
    symmetry. apply EL. now apply Fl. }
  assert (Own : forall g, In g (cgates c) -> t (gout g) = geval t g).
  { intros g Hg.
    pose proof (ceval_sat _ _ _ _ HL r g Hg) as E. fold t0 in E.
    destruct (scan_known _ _ _ _ _ HL Hg) as [Dg Dl].
    rewrite (EL _ Dg), E. apply geval_ext. intros l Hl. symmetry. apply EL. auto. }
  assert (Matrix : forall g, In g (gates q) -> t (gout g) = geval t g)
    by (intros g Hg; apply (ceval_sat _ _ _ _ HD t0 g Hg)).
  unfold loses in H. refine (refutes_sound t _ _ _ _ _ _ H).
  - apply define_funs_hold; [exact Funs|]. apply define_gates_hold; [exact Own|].
    apply define_gates_hold; [exact Matrix|]. now intros v df.
  - apply load_holds; [exact Final|]. apply load_funs_holds; [exact Funs|].
    apply load_gates_holds; [exact Own|]. apply load_gates_holds; [exact Matrix|].
    now intros i c0.
Qed.

(** ** The prefix *)

Definition own (A U : trie positive) (x : name) (j : positive) :=
  find x A = Some j /\ find x U = None.

Lemma quant_eqb_eq a b : quant_eqb a b = true <-> a = b.
Proof. destruct a, b; simpl; split; congruence. Qed.

Lemma index_mono w : forall p i A U A' U', index w p i A U = Some (A', U') ->
  forall x j, find x A = Some j -> find x A' = Some j /\ find x U' = find x U.
Proof.
  induction p as [|[q v] p IH]; simpl; intros i A U A' U' H x j F; [inversion H; now subst|].
  destruct (mem v A) eqn:M; [easy|]. apply mem_find in M.
  assert (n : x <> v) by congruence.
  destruct (IH _ _ _ _ _ H x j) as [H1 H2].
  { rewrite find_add. destruct (name_eqb_spec x v); easy. }
  split; [easy|]. rewrite H2. destruct (quant_eqb q w); [easy|].
  rewrite find_add. destruct (name_eqb_spec x v); easy.
Qed.

(** Whoever plays functions that read only what is left of them, and with which the
    matrix has the wanted value, wins. *)
Lemma game w (m : assign -> bool) (sk : name -> assign -> bool) Af Uf :
  (forall x j, own Af Uf x j -> forall r r',
     (forall y k, find y Uf = Some k -> (k < j)%positive -> r y = r' y) -> sk x r = sk x r') ->
  (forall r, (forall x j, own Af Uf x j -> r x = sk x r) -> m r = win w) ->
  forall p i A U, index w p i A U = Some (Af, Uf) ->
  (forall x, find x A = None -> find x U = None) ->
  (forall x j, find x A = Some j -> (j < i)%positive) ->
  forall r, (forall x j, own A U x j -> r x = sk x r) -> qeval p m r = win w.
Proof.
  intros Hsk Hm. induction p as [|[q v] p IH]; intros i A U H S0 Hi r Hr.
  - simpl in *. inversion H; subst. auto.
  - simpl in H. destruct (mem v A) eqn:M; [easy|]. apply mem_find in M.
    pose proof (index_mono _ _ _ _ _ _ _ H) as Mono.
    assert (S' : forall x, find x (add v i A) = None ->
               find x (if quant_eqb q w then U else add v i U) = None).
    { intros x. rewrite find_add. destruct (name_eqb_spec x v) as [|n]; [easy|].
      destruct (quant_eqb q w); [auto|]. rewrite find_add.
      destruct (name_eqb_spec x v); [easy | auto]. }
    assert (Hi' : forall x j, find x (add v i A) = Some j -> (j < Pos.succ i)%positive).
    { intros x j. rewrite find_add. destruct (name_eqb_spec x v).
      - intros E; inversion E; lia.
      - intros E; apply Hi in E; lia. }
    destruct (Mono v i) as [Fv Uv]; [now rewrite find_add, name_eqb_refl|].
    (* Functions of variables further left do not read [v]. *)
    assert (Old : forall b x j, own A U x j -> upd r v b x = sk x (upd r v b)).
    { intros b x j [F1 F2].
      assert (n : x <> v) by congruence.
      rewrite upd_other by easy. rewrite (Hr x j) by easy.
      destruct (Mono x j) as [F1' F2'].
      { rewrite find_add. destruct (name_eqb_spec x v); easy. }
      apply (Hsk x j).
      - split; [easy|]. rewrite F2'. destruct (quant_eqb q w); [easy|].
        rewrite find_add. destruct (name_eqb_spec x v); easy.
      - intros y k Fy Hk. symmetry. apply upd_other. intros ->.
        destruct (quant_eqb q w) eqn:Q.
        + rewrite Uv, (S0 v M) in Fy. easy.
        + rewrite Uv, find_add, name_eqb_refl in Fy. inversion Fy; subst.
          apply Hi in F1. lia. }
    destruct (quant_eqb q w) eqn:Q.
    + (* One's own variable gets the value of its function. *)
      apply quant_eqb_eq in Q as ->.
      assert (Hv : qeval p m (upd r v (sk v r)) = win w).
      { apply (IH _ _ _ H S' Hi'). intros x j [F1 F2]. rewrite find_add in F1.
        destruct (name_eqb_spec x v) as [->|n].
        - rewrite upd_same. apply (Hsk v i).
          + split; [easy|]. now rewrite Uv.
          + intros y k Fy _. symmetry. apply upd_other. intros ->.
            rewrite Uv in Fy. congruence.
        - apply (Old _ x j). now split. }
      destruct w; simpl in *; destruct (sk v r); rewrite Hv;
        now rewrite ?orb_true_r, ?andb_false_r.
    + (* The opponent's variable may have any value. *)
      assert (Hv : forall b, qeval p m (upd r v b) = win w).
      { intros b. apply (IH _ _ _ H S' Hi'). intros x j [F1 F2]. rewrite find_add in F1, F2.
        destruct (name_eqb_spec x v) as [->|n]; [easy|].
        apply (Old b x j). now split. }
      destruct q, w; try discriminate Q; simpl in *; now rewrite !Hv.
Qed.

(** ** The functions *)

Lemma funs_ok_mono A U L : forall fs F F', funs_ok A U L fs F = Some F' ->
  forall x f, find x F = Some f -> find x F' = Some f.
Proof.
  induction fs as [|[y g] fs IH]; simpl; intros F F' H x f E; [inversion H; now subst|].
  destruct (find y A); [|easy]. destruct (find y U); [easy|].
  destruct (find y F) eqn:Fy; [easy|].
  match type of H with (if ?b then _ else _) = _ => destruct b; [|easy] end.
  apply (IH _ _ H). rewrite find_add. destruct (name_eqb_spec x y); congruence.
Qed.

Lemma funs_ok_in A U L : forall fs F F', funs_ok A U L fs F = Some F' ->
  forall x f, In (x, f) fs -> find x F' = Some f /\ exists j, own A U x j.
Proof.
  induction fs as [|[y g] fs IH]; simpl; intros F F' H x f E; [easy|].
  destruct (find y A) as [i|] eqn:Ay; [|easy]. destruct (find y U) eqn:Uy; [easy|].
  destruct (find y F) eqn:Fy; [easy|].
  match type of H with (if ?b then _ else _) = _ => destruct b; [|easy] end.
  destruct E as [E|E]; [|eauto].
  inversion E; subst. split; [|now exists i].
  apply (funs_ok_mono _ _ _ _ _ _ H). now rewrite find_add, name_eqb_refl.
Qed.

Lemma funs_ok_level A U L : forall fs F F', funs_ok A U L fs F = Some F' ->
  (forall x l, find x F = Some (Some l) -> exists i k, find x A = Some i /\
     find (var l) L = Some k /\ (k < i)%positive) ->
  forall x l, find x F' = Some (Some l) -> exists i k, find x A = Some i /\
     find (var l) L = Some k /\ (k < i)%positive.
Proof.
  induction fs as [|[y g] fs IH]; simpl; intros F F' H Inv; [inversion H; now subst|].
  destruct (find y A) as [i|] eqn:Ay; [|easy]. destruct (find y U) eqn:Uy; [easy|].
  destruct (find y F) eqn:Fy; [easy|].
  match type of H with (if ?b then _ else _) = _ => destruct b eqn:B; [|easy] end.
  apply (IH _ _ H). intros x l. rewrite find_add.
  destruct (name_eqb_spec x y) as [->|n]; [|apply Inv].
  intros E; inversion E; subst. destruct (find (var l) L) as [k|] eqn:K; [|easy].
  exists i, k. apply Pos.ltb_lt in B. auto.
Qed.

(** ** QCIR *)

Theorem check_sound w q c fuel s : check from w q c fuel s = true ->
  forall r, qeval (pre q) (qcir_matrix q) r = win w.
Proof.
  unfold check. intros H. apply andb_prop in H as [H HR]. revert H.
  destruct (index w (pre q) 2 Empty Empty) as [[A U]|] eqn:HI; [|easy].
  destruct (scan (fun x => mem x A) (cgates c) U) as [L|] eqn:HL; [|easy].
  destruct (scan (fun x => mem x L) (gates q) A) as [D|] eqn:HD; [|easy].
  destruct (funs_ok A U L (cfuns c) Empty) as [F|] eqn:HF; [|easy].
  intros HO.
  pose proof (funs_ok_level _ _ _ _ _ _ HF) as Level.
  specialize (Level (fun x l E => ltac:(easy))).
  pose (sk := fun x r => match find x F with
                         | Some f => fval (ceval (cgates c) r) f
                         | None => false
                         end).
  intros r. apply (game w _ sk A U) with (i := 2%positive) (A := Empty) (U := Empty).
  - (* Functions read only what is left of them. *)
    intros x j [Fj _] r1 r2 E. unfold sk.
    destruct (find x F) as [[l|]|] eqn:Fx; [|easy..]. simpl. apply leval_ext.
    destruct (Level x l Fx) as (i & k & Fi & Fl & Hk).
    rewrite Fj in Fi. inversion Fi; subst i.
    apply (ceval_agree _ k _ _ _ HL) with (j := k); [|easy|lia].
    intros y k' Fy Hk'. apply (E y k'); [easy | lia].
  - (* With them the matrix has the wanted value. *)
    clear r. intros r Hr. apply (loses_sound w q c fuel s A U L D); auto.
    intros x f Hx. destruct (funs_ok_in _ _ _ _ _ _ HF x f Hx) as (Fx & j & Oj).
    split; [destruct Oj; congruence|]. split.
    + intros l ->. destruct (Level x l Fx) as (i & k & _ & Fl & _). congruence.
    + rewrite (Hr x j Oj). unfold sk. now rewrite Fx.
  - exact HI.
  - easy.
  - easy.
  - intros x j [F1 _]. easy.
Qed.

(** ** QDIMACS *)

Lemma qeval_ext p m m' : (forall r, m r = m' r) -> forall r, qeval p m r = qeval p m' r.
Proof.
  intros E. induction p as [|[[] v] p IH]; simpl; intros r; [apply E | now rewrite !IH..].
Qed.

Lemma ceval_app : forall gs gs' r, ceval (gs ++ gs') r = ceval gs' (ceval gs r).
Proof. induction gs; simpl; auto. Qed.

Lemma csat_ext r r' c : (forall l, In l c -> r (var l) = r' (var l)) -> csat r c = csat r' c.
Proof. intros E. apply existsb_ext_in. intros l Hl. apply leval_ext. auto. Qed.

(** The gates of clauses have the clauses' values; the clauses read no gates. *)
Lemma clause_gates_spec t : forall cs ns gs js gs' js' ms,
  clause_gates cs ns gs js = Some (gs', js', ms) ->
  (forall g, In g gs' -> t (gout g) = geval t g) ->
  (forall g, In g gs -> In g gs') /\
  forallb (leval t) js' = forallb (leval t) js && forallb (csat t) cs.
Proof.
  induction cs as [|c cs IH]; intros ns gs js gs' js' ms H Hs;
    [inversion H; subst; simpl; now rewrite andb_true_r|].
  assert (Cases : (exists l, c = [l]) \/ clause_gates (c :: cs) ns gs js =
            match ns with
            | n :: ns => clause_gates cs ns (Gate n Or c :: gs) (P n :: js)
            | [] => None
            end) by (destruct c as [|l [|l' c]]; eauto).
  destruct Cases as [[l ->]|E].
  - simpl in H. destruct (IH _ _ _ _ _ _ H Hs) as [H1 H2]. split; [exact H1|].
    rewrite H2. simpl. unfold csat at 2. simpl. rewrite orb_false_r.
    now destruct (leval t l), (forallb (leval t) js).
  - rewrite E in H. destruct ns as [|n ns]; [easy|].
    destruct (IH _ _ _ _ _ _ H Hs) as [H1 H2]. split; [intros g Hg; apply H1; now right|].
    rewrite H2. simpl.
    assert (V : t n = csat t c) by exact (Hs _ (H1 _ (or_introl eq_refl))).
    rewrite V. now destruct (csat t c), (forallb (leval t) js).
Qed.

Lemma forallb_rev {X} (f : X -> bool) l : forallb f (rev l) = forallb f l.
Proof.
  induction l; simpl; [easy|]. rewrite forallb_app, IHl. simpl.
  now destruct (f a), (forallb f l).
Qed.

Lemma circuit_of_matrix p cs ns q bad A D :
  circuit_of p cs ns = Some q -> scan bad (gates q) A = Some D ->
  (forall c l, In c cs -> In l c -> find (var l) A <> None) ->
  pre q = p /\ forall r, qcir_matrix q r = forallb (csat r) cs.
Proof.
  unfold circuit_of.
  destruct (clause_gates cs ns [] []) as [[[gs js] [|m ms]]|] eqn:C; [easy| |easy].
  rewrite !rev_append_rev, app_nil_r.
  intros E. inversion E; subst. simpl. intros HD Known. split; [easy|]. intros r.
  set (t := ceval (rev gs ++ [Gate m And (rev js)]) r).
  assert (Sat : forall g, In g (rev gs ++ [Gate m And (rev js)]) -> t (gout g) = geval t g)
    by (intros g Hg; exact (ceval_sat _ _ _ _ HD r g Hg)).
  change (t m = forallb (csat r) cs).
  transitivity (forallb (leval t) (rev js)).
  { apply (Sat (Gate m And (rev js))). rewrite in_app_iff. simpl. tauto. }
  rewrite forallb_rev.
  destruct (clause_gates_spec t _ _ _ _ _ _ _ C) as [_ ->].
  - intros g Hg. apply Sat. rewrite in_app_iff, <- in_rev. tauto.
  - simpl. apply forallb_ext_in. intros c Hc. apply csat_ext. intros l Hl.
    apply (ceval_stable _ _ _ _ HD). left. eauto.
Qed.

Lemma closed_spec A cs : closed A cs = true ->
  forall c l, In c cs -> In l c -> find (var l) A <> None.
Proof.
  unfold closed. rewrite forallb_forall. intros H c l Hc Hl. specialize (H c Hc).
  rewrite forallb_forall in H. specialize (H l Hl). unfold mem in H.
  now destruct (find (var l) A).
Qed.

Theorem check_qdimacs_sound w q ns c fuel s : check_qdimacs from w q ns c fuel s = true ->
  forall r, qeval (qpre q) (qdimacs_matrix q) r = win w.
Proof.
  unfold check_qdimacs. destruct (index w (qpre q) 2 Empty Empty) as [[A U]|] eqn:HI; [|easy].
  destruct (circuit_of (qpre q) (qclauses q) ns) as [k|] eqn:K; [|easy].
  intros H r. apply andb_prop in H as [HC H].
  assert (HS : exists bad D, scan bad (gates k) A = Some D).
  { unfold check in H. apply andb_prop in H as [H _].
    assert (E : pre k = qpre q).
    { unfold circuit_of in K. destruct (clause_gates _ _ _ _) as [[[? ?] [|? ?]]|]; [easy| |easy].
      now inversion K. }
    rewrite E, HI in H.
    destruct (scan _ (cgates c) U) as [L|]; [|easy].
    destruct (scan _ (gates k) A) as [D|] eqn:HD; [|easy]. eauto. }
  destruct HS as (bad & D & HD).
  destruct (circuit_of_matrix _ _ _ _ _ _ _ K HD (closed_spec _ _ HC)) as [E M].
  rewrite <- E, <- (qeval_ext _ _ _ M). exact (check_sound w k c fuel s H r).
Qed.

Theorem check_clauses_sound cs fuel s : check_clauses from cs fuel s = true -> unsatisfiable cs.
Proof.
  intros H r. apply not_true_is_false. intros A. rewrite forallb_forall in A.
  refine (refutes_sound r Empty _ _ _ _ _ H); [now intros v df|].
  apply load_holds; [exact A|]. now intros i c.
Qed.

(** ** Dependency sets *)

Lemma marks_in xs : forall (D : trie unit) x,
  find x (fold_left (fun D x => add x tt D) xs D) <> None -> find x D <> None \/ In x xs.
Proof.
  induction xs as [|y xs IH]; simpl; intros D x H; [tauto|].
  apply IH in H as [H|H]; [|tauto]. rewrite find_add in H.
  destruct (name_eqb_spec x y); [subst; tauto | tauto].
Qed.

(** What is readable has the same value under assignments that agree where they may be read. *)
Lemma readable_agree bad : forall gs L L', scan bad gs L = Some L' ->
  forall D r r', (forall x, find x D <> None -> find x L <> None /\ r x = r' x) ->
  forall x, find x (readable gs D) <> None -> ceval gs r x = ceval gs r' x.
Proof.
  induction gs as [|g gs IH]; intros L L' H D r r' E x F; [now apply E|].
  apply scan_inv in H as (k & J & B & M & H). simpl in F |- *.
  refine (IH _ _ H _ _ _ _ x F). clear x F. intros x F.
  rewrite find_add.
  destruct (forallb (fun l => mem (var l) D) (gins g)) eqn:R.
  - rewrite find_add in F. destruct (name_eqb_spec x (gout g)) as [->|n].
    + split; [easy|]. rewrite !upd_same. apply geval_ext. intros l Hl.
      rewrite forallb_forall in R. specialize (R l Hl). unfold mem in R.
      apply E. now destruct (find (var l) D).
    + rewrite !upd_other by easy. now apply E.
  - assert (x <> gout g) by (intros ->; apply E in F; tauto).
    destruct (name_eqb_spec x (gout g)); [easy|].
    rewrite !upd_other by easy. now apply E.
Qed.

Lemma universals_spec : forall us A A', universals us A = Some A' ->
  (forall x, find x A <> None -> find x A' <> None) /\
  (forall x, In x us -> find x A' <> None) /\
  (forall x, In x us -> find x A = None) /\
  (forall x, find x A' <> None -> find x A <> None \/ In x us).
Proof.
  induction us as [|u us IH]; simpl; intros A A' H; [inversion H; subst; repeat split; tauto|].
  destruct (mem u A) eqn:M; [easy|]. apply mem_find in M.
  destruct (IH _ _ H) as (H1 & H2 & H3 & H4). repeat split.
  - intros x F. apply H1. rewrite find_add. now destruct (name_eqb x u).
  - intros x [<-|Hx]; [|auto]. apply H1. now rewrite find_add, name_eqb_refl.
  - intros x [<-|Hx]; [easy|]. specialize (H3 x Hx). rewrite find_add in H3.
    now destruct (name_eqb x u).
  - intros x F. apply H4 in F as [F|F]; [|tauto]. rewrite find_add in F.
    destruct (name_eqb_spec x u); [subst; tauto | tauto].
Qed.

Fixpoint lookup (x : name) (fs : list (name * func)) : func :=
  match fs with
  | [] => None
  | (y, f) :: fs => if name_eqb x y then f else lookup x fs
  end.

Lemma own_names_in x : forall ds, own_names x ds = true <-> In x (map fst ds).
Proof.
  induction ds as [|[y d] ds IH]; simpl; [easy|]. rewrite orb_true_iff, IH.
  destruct (name_eqb_spec x y); split; intros [H|H]; subst; auto; easy.
Qed.

(** What is known of each variable with a set, if no name has two. *)
Lemma sets_ok_spec U gs : forall ds fs, sets_ok U gs ds fs = true ->
  map fst ds = map fst fs /\
  (NoDup (map fst ds) -> (forall x f, In (x, f) fs -> lookup x fs = f) /\
   forall x d, In (x, d) ds -> (forall z, In z d -> find z U <> None) /\
     forall l, lookup x fs = Some l -> find (var l) (readable gs (marks d)) <> None).
Proof.
  induction ds as [|[x d] ds IH]; destruct fs as [|[y f] fs]; intros H; simpl in H;
    try discriminate H.
  - split; [easy|]. intros _. split; intros ? ? [].
  - apply andb_prop in H as [H H4]. apply andb_prop in H as [H H3].
    apply andb_prop in H as [H1 H2]. destruct (name_eqb_spec x y) as [<-|]; [|easy].
    destruct (IH _ H4) as [E Rest]. simpl. split; [now rewrite E|].
    intros ND. inversion ND; subst. destruct (Rest H6) as [R1 R2]. split.
    + intros x' f' [Hx|Hx]; [inversion Hx; subst; now rewrite name_eqb_refl|].
      destruct (name_eqb_spec x' x) as [->|]; [|auto].
      exfalso. apply H5. rewrite E. apply (in_map fst _ _ Hx).
    + intros x' d' [Hx|Hx].
      * inversion Hx; subst. split.
        -- intros z Hz. rewrite forallb_forall in H2. specialize (H2 z Hz). unfold mem in H2.
           now destruct (find z U).
        -- rewrite name_eqb_refl. intros l ->. unfold mem in H3.
           now destruct (find (var l) _).
      * destruct (R2 x' d' Hx) as [R3 R4]. split; [easy|].
        destruct (name_eqb_spec x' x) as [->|]; [|easy].
        exfalso. apply H5. apply (in_map fst _ _ Hx).
Qed.

Theorem check_dqdimacs_sound us q ns c fuel s : check_dqdimacs from us q ns c fuel s = true ->
  dqdimacs_true q.
Proof.
  unfold check_dqdimacs. destruct (circuit_of [] (dclauses q) ns) as [k|] eqn:K; [|easy].
  intros H. apply andb_prop in H as [H HR]. revert H.
  destruct (universals us Empty) as [U|] eqn:HU; [|easy].
  destruct (universals (map fst (deps q)) U) as [A|] eqn:HA; [|easy].
  destruct (scan (fun x => mem x A) (cgates c) U) as [L|] eqn:HL; [|easy].
  destruct (scan (fun x => mem x L) (gates k) A) as [D|] eqn:HD; [|easy].
  intros H. apply andb_prop in H as [H HS]. apply andb_prop in H as [HO HC].
  destruct (universals_spec _ _ _ HA) as (A1 & A2 & A3 & A4).
  destruct (sets_ok_spec _ _ _ _ HS) as [ES Sets].
  assert (ND : NoDup (map fst (deps q))).
  { clear - HA. revert U HA. induction (map fst (deps q)) as [|x xs IH]; intros U HA;
      [constructor|]. simpl in HA. destruct (mem x U); [easy|].
    constructor; [|eauto]. intros Hx. destruct (universals_spec _ _ _ HA) as (_ & _ & H3 & _).
    specialize (H3 x Hx). now rewrite find_add, name_eqb_refl in H3. }
  destruct (Sets ND) as [Look Reads]. clear Sets.
  set (sk := fun x r => fval (ceval (cgates c) r) (lookup x (cfuns c))).
  exists sk. split.
  - intros x d Hx r r' E. unfold sk. destruct (Reads x d Hx) as [Hd Hl].
    destruct (lookup x (cfuns c)) as [l|]; [|easy]. simpl. apply leval_ext.
    apply (readable_agree _ _ _ _ HL (marks d)); [|now apply Hl].
    intros y F. apply marks_in in F as [F|F]; [easy|]. auto.
  - intros r.
    destruct (circuit_of_matrix _ _ _ _ _ _ _ K HD (closed_spec _ _ HC)) as [_ M].
    rewrite <- M. change true with (win Ex).
    apply (loses_sound Ex k c fuel s A U L D); auto.
    intros x f Hx.
    assert (Hn : In x (map fst (deps q))) by (rewrite ES; apply (in_map fst _ _ Hx)).
    assert (Lf : lookup x (cfuns c) = f) by auto.
    apply in_map_iff in Hn as ([x' d] & E & Hd). simpl in E. subst x'.
    destruct (Reads x d Hd) as [Hz Hl]. split; [apply A2; apply (in_map fst _ _ Hd)|].
    assert (Known : forall l, f = Some l -> find (var l) L <> None).
    { intros l ->. specialize (Hl l Lf). revert Hl.
      assert (G : forall gs D0 L0, scan (fun x => mem x A) gs L0 = Some L ->
                (forall y, find y D0 <> None -> find y L0 <> None) ->
                forall y, find y (readable gs D0) <> None -> find y L <> None).
      { clear. induction gs as [|g gs IH]; intros D0 L0 HL E y F; [inversion HL; subst; auto|].
        apply scan_inv in HL as (k & J & _ & _ & HL). simpl in F. apply (IH _ _ HL) in F; auto.
        intros z. rewrite find_add. destruct (name_eqb_spec z (gout g)) as [|n]; [easy|].
        destruct (forallb _ (gins g)); [|auto]. rewrite find_add.
        destruct (name_eqb_spec z (gout g)); [easy|auto]. }
      apply (G _ _ _ HL). intros y F. apply marks_in in F as [F|F]; [easy|auto]. }
    split; [exact Known|].
    unfold plays at 1. replace (own_names x (deps q)) with true.
    2:{ symmetry. apply own_names_in. apply (in_map fst _ _ Hd). }
    unfold sk. rewrite Lf. destruct f as [l|]; [|easy]. simpl. apply leval_ext.
    (* The functions read the others' variables, which are the same. *)
    specialize (Hl l Lf).
    apply (readable_agree _ _ _ _ HL (marks d)); [|exact Hl].
    intros y F. apply marks_in in F as [F|F]; [easy|]. split; [auto|].
    unfold plays. destruct (own_names y (deps q)) eqn:O; [|easy].
    apply own_names_in in O. exfalso. apply (Hz y F). auto.
Qed.

End Supplied.

(** ** The theorems *)

Theorem skolem_correct : forall {S} (from : supply S) (q : qcir) c fuel s,
  check from Ex q c fuel s = true -> qcir_true q.
Proof. intros S from q c fuel s H r. exact (check_sound from Ex q c fuel s H r). Qed.

Theorem herbrand_correct : forall {S} (from : supply S) (q : qcir) c fuel s,
  check from All q c fuel s = true -> qcir_false q.
Proof. intros S from q c fuel s H r. exact (check_sound from All q c fuel s H r). Qed.

Theorem qdimacs_skolem_correct : forall {S} (from : supply S) (q : qdimacs) ns c fuel s,
  check_qdimacs from Ex q ns c fuel s = true -> qdimacs_true q.
Proof. intros S from q ns c fuel s H r. exact (check_qdimacs_sound from Ex q ns c fuel s H r). Qed.

Theorem qdimacs_herbrand_correct : forall {S} (from : supply S) (q : qdimacs) ns c fuel s,
  check_qdimacs from All q ns c fuel s = true -> qdimacs_false q.
Proof. intros S from q ns c fuel s H r. exact (check_qdimacs_sound from All q ns c fuel s H r). Qed.

Theorem clauses_correct : forall {S} (from : supply S) cs fuel s,
  check_clauses from cs fuel s = true -> unsatisfiable cs.
Proof. intros S from cs fuel s. apply check_clauses_sound. Qed.

Theorem dqdimacs_correct : forall {S} (from : supply S) us (q : dqdimacs) ns c fuel s,
  check_dqdimacs from us q ns c fuel s = true -> dqdimacs_true q.
Proof. intros S from us q ns c fuel s. apply check_dqdimacs_sound. Qed.
