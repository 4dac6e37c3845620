(** The unrolling of a game is true exactly if Black wins. *)
From Coq Require Import List Bool PArith Arith Lia.
From Verified Require Import Qbf Trie Checker Sound Games Unroll.
Import ListNotations.

(** ** Gates on demand

    One assignment [t] that satisfies all gates is looked at. *)

Definition sat (t : assign) (a : acc) := forall g, In g (snd a) -> t (gout g) = geval t g.
Definition sval (t : assign) (v : value) : bool := match v with C b => b | L l => leval t l end.

(** [m] only adds gates. *)
Definition grows {A} (m : M A) := forall a g, In g (snd a) -> In g (snd (snd (m a))).
(** The result of [m] has the property [Q] if the gates are satisfied. *)
Definition gives {A} (t : assign) (m : M A) (Q : A -> Prop) :=
  grows m /\ forall a, sat t (snd (m a)) -> Q (fst (m a)).

Lemma gives_ret {A} t (x : A) (Q : A -> Prop) : Q x -> gives t (ret x) Q.
Proof. intros H. split; [now intros a g|now intros a _]. Qed.

Lemma grows_bind {A B} (m : M A) (k : A -> M B) :
  grows m -> (forall x, grows (k x)) -> grows (bind m k).
Proof.
  intros Hm Hk a g Hg. unfold bind. specialize (Hm a g Hg).
  destruct (m a) as [x b]. now apply Hk.
Qed.

Lemma gives_bind {A B} t (m : M A) (k : A -> M B) (Q : A -> Prop) (R : B -> Prop) :
  gives t m Q -> (forall x, grows (k x)) -> (forall x, Q x -> gives t (k x) R) ->
  gives t (bind m k) R.
Proof.
  intros [Gm Hm] Gk Hk. split; [now apply grows_bind|].
  intros a S. unfold bind in *. specialize (Hm a). specialize (Gm a).
  destruct (m a) as [x b]. simpl in *.
  apply (Hk x); [|exact S]. apply Hm. intros g Hg. apply S. now apply Gk.
Qed.

Lemma gives_weaken {A} t (m : M A) (Q R : A -> Prop) :
  gives t m Q -> (forall x, Q x -> R x) -> gives t m R.
Proof. intros [G H] I. split; [exact G|]. intros a S. auto. Qed.

Lemma sval_vneg t v : sval t (vneg v) = negb (sval t v).
Proof. destruct v; simpl; [easy | apply leval_neg]. Qed.

Lemma plain_spec t u : forall vs, match plain u vs with
  | None => In (C (negb u)) vs
  | Some ls => forall f, (forall x y, f (x :: y) = if Bool.eqb x u then f y else negb u) ->
      f (map (sval t) vs) = f (map (leval t) ls)
  end.
Proof.
  induction vs as [|[b|l] vs IH]; simpl; [easy|..].
  - destruct (Bool.eqb b u) eqn:E.
    + destruct (plain u vs); [|now right]. intros f Hf. rewrite Hf, E. auto.
    + left. now destruct b, u.
  - destruct (plain u vs) as [ls|]; simpl; [|now right].
    intros f Hf. rewrite !Hf. now rewrite IH.
Qed.

Definition all (bs : list bool) : bool := forallb (fun b => b) bs.
Definition any (bs : list bool) : bool := existsb (fun b => b) bs.

Lemma all_map {X} (f : X -> bool) xs : all (map f xs) = forallb f xs.
Proof. unfold all. induction xs; simpl; congruence. Qed.
Lemma any_map {X} (f : X -> bool) xs : any (map f xs) = existsb f xs.
Proof. unfold any. induction xs; simpl; congruence. Qed.

Lemma grows_make k ls : grows (make k ls).
Proof. intros [n gs] g H. simpl. now right. Qed.

Lemma grows_junction u vs : grows (junction u vs).
Proof.
  unfold junction. destruct (plain u vs) as [[|l [|l' ls]]|];
    try (now intros a g H). apply grows_make.
Qed.

Lemma conj_gives t vs : gives t (conj vs) (fun v => sval t v = all (map (sval t) vs)).
Proof.
  split; [apply grows_junction|]. intros [n gs] S. unfold conj, junction in *.
  pose proof (plain_spec t true vs) as H.
  destruct (plain true vs) as [ls|].
  - rewrite (H all) by (intros [] y; easy). rewrite all_map.
    destruct ls as [|l [|l' ls]]; simpl in *; [easy | now rewrite andb_true_r |].
    exact (S _ (or_introl eq_refl)).
  - simpl. symmetry. unfold all. rewrite <- not_true_iff_false, forallb_forall.
    intros A. apply (in_map (sval t)) in H. now apply A in H.
Qed.

Lemma disj_gives t vs : gives t (disj vs) (fun v => sval t v = any (map (sval t) vs)).
Proof.
  split; [apply grows_junction|]. intros [n gs] S. unfold disj, junction in *.
  pose proof (plain_spec t false vs) as H.
  destruct (plain false vs) as [ls|].
  - rewrite (H any) by (intros [] y; easy). rewrite any_map.
    destruct ls as [|l [|l' ls]]; simpl in *; [easy | now rewrite orb_false_r |].
    exact (S _ (or_introl eq_refl)).
  - simpl. symmetry. apply existsb_exists. exists true. split; [|easy].
    apply (in_map (sval t)) in H. exact H.
Qed.

Lemma grows_ret {A} (x : A) : grows (ret x).
Proof. now intros a g. Qed.
Lemma grows_conj vs : grows (conj vs).
Proof. apply grows_junction. Qed.
Lemma grows_disj vs : grows (disj vs).
Proof. apply grows_junction. Qed.
Lemma grows_every {A B} (f : A -> M B) : (forall x, grows (f x)) -> forall xs, grows (every f xs).
Proof.
  intros H xs. induction xs; simpl; [apply grows_ret|].
  apply grows_bind; [auto|intros y]. apply grows_bind; [auto|intros ys]. apply grows_ret.
Qed.

Lemma every_gives {A B} t (f : A -> M B) (Q : A -> B -> Prop) :
  (forall x, gives t (f x) (Q x)) -> forall xs, gives t (every f xs) (Forall2 Q xs).
Proof.
  intros H xs. induction xs as [|x xs IH]; simpl; [apply gives_ret; constructor|].
  assert (G : forall y, grows (do ys <- every f xs; ret (y :: ys))).
  { intros y. apply grows_bind; [apply IH|intros; apply grows_ret]. }
  apply (gives_bind t _ _ (Q x)); [apply H|exact G|]. intros y Hy.
  apply (gives_bind t _ _ (Forall2 Q xs)); [exact IH|intros; apply grows_ret|].
  intros ys Hys. apply gives_ret. now constructor.
Qed.

Local Opaque conj disj.

Create HintDb grows.
Ltac grow := intros; repeat first
  [ apply grows_ret | apply grows_conj | apply grows_disj | solve [auto with grows]
  | apply grows_bind; [|intros] | apply grows_every; intros ].

(** ** Positions *)

(** The symbolic position [S] is [s]. *)
Definition shows (t : assign) (S : symbolic) (s : position) := forall x, sval t (val S x) = s x.

Lemma lval_shows t S s l : shows t S s -> sval t (lval S l) = leval s l.
Proof. intros H. destruct l; simpl; rewrite ?sval_vneg; now rewrite H. Qed.

Lemma holds_gives t S s c : shows t S s -> gives t (holdsM S c) (fun v => sval t v = holds s c).
Proof.
  intros H. apply (gives_weaken _ _ _ _ (conj_gives t _)). intros v ->.
  unfold holds. rewrite map_map, all_map. apply forallb_ext_in. intros. now apply lval_shows.
Qed.

Lemma all_hold_gives t S s cs : shows t S s ->
  gives t (every (holdsM S) cs) (fun vs => map (sval t) vs = map (holds s) cs).
Proof.
  intros H. apply (gives_weaken _ _ (Forall2 (fun c v => sval t v = holds s c) cs)).
  - apply every_gives. intros c. now apply holds_gives.
  - intros vs F. induction F; simpl; congruence.
Qed.

(** *** The move that bits tell *)

Fixpoint pick (seen : bool) (bits : list bool) : list bool :=
  match bits with
  | [] => []
  | b :: bits => b && negb seen :: pick (seen || b) bits
  end.

Lemma grows_firstM : forall bits seen, grows (firstM seen bits).
Proof.
  induction bits; intros seen; simpl; grow.
Qed.
#[local] Hint Resolve grows_firstM : grows.

Lemma first_gives t : forall bits seen,
  gives t (firstM seen bits) (fun vs => map (sval t) vs = pick (sval t seen) (map t bits)).
Proof.
  induction bits as [|b bits IH]; intros seen; simpl; [now apply gives_ret|].
  eapply gives_bind; [apply conj_gives|grow|].
  intros c Hc. eapply gives_bind; [apply disj_gives|grow|].
  intros seen' Hs. eapply gives_bind; [apply IH|grow|].
  intros cs Hcs. apply gives_ret. simpl.
  rewrite Hcs, Hc, Hs. simpl. rewrite sval_vneg. unfold all, any. simpl.
  now rewrite andb_true_r, orb_false_r.
Qed.

(** One bit at most is true: the bits of no move, or those of one. *)
Inductive choice (ms : list move) : list bool -> option move -> Prop :=
| Nobody bits : length bits = length ms -> existsb (fun b => b) bits = false -> choice ms bits None
| Somebody before m behind : ms = before ++ m :: behind ->
    choice ms (map (fun _ => false) before ++ true :: map (fun _ => false) behind) (Some m).

Lemma pick_seen : forall bits, pick true bits = map (fun _ => false) bits.
Proof. induction bits; simpl; [easy|]. now rewrite andb_false_r, IHbits. Qed.

Lemma map_const {X Y} (b : Y) (xs : list X) : forall (ys : list bool), length xs = length ys ->
  map (fun _ => b) xs = map (fun _ => b) ys.
Proof. induction xs; destruct ys; simpl; intros H; [easy..|]. f_equal. apply IHxs. lia. Qed.

Fixpoint told (ms : list move) (bits : list bool) : option move :=
  match ms, bits with
  | m :: ms, b :: bits => if b then Some m else told ms bits
  | _, _ => None
  end.

Lemma pick_choice : forall ms bits, length bits = length ms ->
  choice ms (pick false bits) (told ms bits).
Proof.
  induction ms as [|m ms IH]; destruct bits as [|b bits]; intros E; try easy.
  - now constructor.
  - simpl. destruct b; simpl.
    + rewrite pick_seen. rewrite <- (map_const false ms bits) by (simpl in E; lia).
      now apply (Somebody _ [] m ms).
    + assert (Ho : choice ms (pick false bits) (told ms bits)) by (apply IH; simpl in E; lia).
      destruct Ho as [bits' L F|before m' behind ->].
      * constructor; simpl; [congruence|easy].
      * now apply (Somebody _ (m :: before) m' behind).
Qed.

Lemma told_all ms m : In m ms -> exists bits, length bits = length ms /\ told ms bits = Some m.
Proof.
  induction ms as [|m' ms IH]; intros H; [easy|]. destruct H as [->|H].
  - exists (true :: map (fun _ => false) ms). simpl. now rewrite map_length.
  - destruct (IH H) as (bits & E & T). exists (false :: bits). simpl. now rewrite E.
Qed.

Lemma told_in ms : forall bits m, told ms bits = Some m -> In m ms.
Proof.
  induction ms as [|m' ms IH]; intros [|b bits] m H; try easy. simpl in H.
  destruct b; [inversion H; now left|right; eauto].
Qed.

Lemma combine_choice {A} (f : move -> A) : forall ms bits m, choice ms bits (Some m) ->
  forall (h : A -> bool), any (map (fun ba => fst ba && h (snd ba)) (combine bits (map f ms))) = h (f m).
Proof.
  intros ms bits m H h. inversion H; subst. rewrite map_app. simpl.
  assert (E : forall xs ys, any (map (fun ba => fst ba && h (snd ba))
      (combine (map (fun _ : move => false) xs) ys)) = false).
  { unfold any. induction xs; destruct ys; simpl; auto. }
  induction before as [|x xs IH]; simpl.
  - unfold any in *. simpl. rewrite E. now rewrite orb_false_r.
  - apply IH. now apply (Somebody _ xs m behind).
Qed.

Lemma combine_nobody {A} (f : move -> A) ms : forall bits (h : A -> bool), choice ms bits None ->
  any (map (fun ba => fst ba && h (snd ba)) (combine bits (map f ms))) = false.
Proof.
  intros bits h H. inversion H; subst. clear H H0. revert ms.
  induction bits as [|b bits IH]; intros ms; [easy|]. simpl in H1.
  apply orb_false_elim in H1 as [-> H1]. destruct ms as [|m ms]; [easy|]. simpl.
  now apply IH.
Qed.

Lemma select_choice t (f : move -> bool) : forall ms vs o, choice ms (map (sval t) vs) o ->
  any (map (sval t) (select f ms vs)) = match o with Some m => f m | None => false end.
Proof.
  assert (None_ : forall ms vs, existsb (fun b => b) (map (sval t) vs) = false ->
            any (map (sval t) (select f ms vs)) = false).
  { induction ms as [|m ms IH]; destruct vs as [|v vs]; simpl; try easy. intros H.
    apply orb_false_elim in H as [H1 H2].
    destruct (f m); [|now apply IH]. unfold any in *. simpl. rewrite H1. now apply IH. }
  intros ms vs o H. inversion H as [bits E X|before m behind E X]; subst.
  - now apply None_.
  - clear H. revert vs X. induction before as [|x xs IH]; destruct vs as [|v vs]; simpl; try easy.
    + intros X. injection X as X1 X2.
      assert (R : any (map (sval t) (select f behind vs)) = false).
      { apply None_. rewrite <- X2. clear. induction behind; simpl; auto. }
      destruct (f m); [|exact R]. unfold any. simpl. now rewrite <- X1.
    + intros X. injection X as X1 X2. destruct (f x); [|now apply IH].
      unfold any. simpl. rewrite <- X1. now apply IH.
Qed.

(** *** The position after a move *)

Lemma grows_afterM ms cs S : forall xs new, grows (afterM ms cs S xs new).
Proof.
  induction xs; intros new; simpl; grow.
Qed.
#[local] Hint Resolve grows_afterM : grows.

Definition after_ (s : position) (o : option move) : position :=
  match o with Some m => after s m | None => s end.

Lemma after_gives t ms cs o S s : choice ms (map (sval t) cs) o -> shows t S s ->
  forall xs new,
  gives t (afterM ms cs S xs new) (fun S' => forall x,
    sval t (val S' x) = if is_in x xs then after_ s o x else sval t (val new x)).
Proof.
  intros Ho HS. induction xs as [|x xs IH]; intros new; simpl; [now apply gives_ret|].
  eapply gives_bind; [apply disj_gives|grow|].
  intros off Hoff. eapply gives_bind; [apply conj_gives|grow|].
  intros kept Hkept. eapply gives_bind; [apply disj_gives|grow|].
  intros now Hnow. eapply gives_weaken; [apply IH|]. intros S' H y. rewrite H.
  unfold is_in. simpl. destruct (existsb (name_eqb y) xs) eqn:E; [now rewrite orb_true_r|].
  rewrite orb_false_r. unfold val at 1. rewrite find_add.
  destruct (name_eqb_spec y x) as [->|]; [|easy].
  rewrite Hnow. unfold any. simpl. fold (any (map (sval t) (select (puts (P x)) ms cs))).
  rewrite Hkept. unfold all. simpl. rewrite sval_vneg, Hoff, HS.
  rewrite !(select_choice t _ _ _ _ Ho). rewrite andb_true_r.
  destruct o as [m|]; simpl.
  - unfold after. apply orb_comm.
  - now rewrite andb_true_r, orb_false_r.
Qed.

(** Every atom that a move changes is found. *)
Lemma touched_spec : forall ms T xs,
  (forall x, find x T <> None -> In x xs) ->
  forall x, In x xs \/ (exists m l, In m ms /\ In l (effects m) /\ var l = x) ->
  In x (touched ms T xs).
Proof.
  induction ms as [|m ms IH]; intros T xs Inv x Hx; simpl.
  - destruct Hx as [Hx|(m & l & [] & _)]; auto.
  - set (step := fun (Txs : trie unit * list name) (l : lit) => if mem (var l) (fst Txs) then Txs
                   else (add (var l) tt (fst Txs), var l :: snd Txs)).
    assert (G : forall ls Txs, (forall x, find x (fst Txs) <> None -> In x (snd Txs)) ->
              (forall x, find x (fst (fold_left step ls Txs)) <> None ->
                 In x (snd (fold_left step ls Txs))) /\
              forall x, In x (snd Txs) \/ (exists l, In l ls /\ var l = x) ->
                In x (snd (fold_left step ls Txs))).
    { clear. induction ls as [|l ls IH]; intros Txs Inv.
      - simpl. split; [exact Inv|]. intros x [H|(l & [] & _)]; auto.
      - simpl. destruct (IH (step Txs l)) as [I1 I2].
        + intros y. unfold step. destruct (mem (var l) (fst Txs)); simpl; [apply Inv|].
          rewrite find_add. destruct (name_eqb_spec y (var l)); [now left|right; now apply Inv].
        + split; [exact I1|]. intros x Hx. apply I2.
          destruct Hx as [Hx|(l' & [<-|Hl] & <-)]; [left|left|right; eauto].
          * unfold step. destruct (mem (var l) (fst Txs)); simpl; auto.
          * unfold step. destruct (mem (var l) (fst Txs)) eqn:F; simpl; [|now left].
            apply Inv. unfold mem in F. now destruct (find (var l) (fst Txs)). }
    destruct (G (effects m) (T, xs) Inv) as [I1 I2].
    destruct (fold_left step (effects m) (T, xs)) as [T' xs']. simpl in *.
    apply IH; [exact I1|].
    destruct Hx as [Hx|(m' & l & [<-|Hm] & Hl & <-)]; [left; auto|left|right; eauto].
    apply I2. right. eauto.
Qed.

Lemma is_in_In x xs : is_in x xs = true <-> In x xs.
Proof.
  unfold is_in. rewrite existsb_exists. split.
  - intros (y & H & E). destruct (name_eqb_spec x y); [now subst|easy].
  - intros H. exists x. split; [easy|apply name_eqb_refl].
Qed.

Lemma puts_var l m : puts l m = true -> In (var l) (map var (effects m)).
Proof.
  unfold puts. rewrite existsb_exists. intros (k & H & E). apply in_map_iff. exists k.
  split; [|easy]. destruct l, k; simpl in *; try easy;
    match type of E with name_eqb ?a ?b = true => destruct (name_eqb_spec a b); congruence end.
Qed.

Lemma after_untouched ms o s x : (forall m, o = Some m -> In m ms) ->
  is_in x (touched ms Empty []) = false -> after_ s o x = s x.
Proof.
  intros Hm H. destruct o as [m|]; [|easy]. simpl. unfold after.
  assert (Nope : forall l, var l = x -> puts l m = false).
  { intros l <-. apply not_true_is_false. intros Pt. apply puts_var in Pt.
    apply in_map_iff in Pt as (k & E & Hk). apply not_true_iff_false in H. apply H.
    apply is_in_In, touched_spec; [easy|]. right. exists m, k. rewrite E. auto. }
  rewrite (Nope (P x)), (Nope (N x)) by easy. simpl. now rewrite andb_true_r.
Qed.

Lemma choice_in ms bits o : choice ms bits o -> forall m, o = Some m -> In m ms.
Proof.
  intros H m ->. inversion H; subst. rewrite in_app_iff. simpl. tauto.
Qed.

(** *** Goals *)

Lemma passable_val t S s n x : shows t S s ->
  sval t (passableM n S x) = xorb (cut n) (s x).
Proof.
  intros H. unfold passableM. destruct (cut n); rewrite ?sval_vneg, H;
    now destruct (s x).
Qed.

Lemma grows_stepsM n S : forall k, grows (stepsM n S k).
Proof.
  induction k; simpl; grow.
Qed.
#[local] Hint Resolve grows_stepsM : grows.

Lemma steps_gives t S s n : shows t S s -> forall k,
  gives t (stepsM n S k) (fun R => forall x, sval t (val R x) = within_steps n s k x).
Proof.
  intros H. induction k; simpl.
  - apply gives_ret. intros x. unfold passable.
    assert (G : forall xs (R : symbolic), sval t (val (fold_left (fun R x => add x
        (if is_in x (source n) then passableM n S x else C false) R) xs R) x)
      = if is_in x xs then xorb (cut n) (s x) && is_in x (source n) else sval t (val R x)).
    { induction xs as [|y xs IH]; intros R; [easy|]. simpl. rewrite IH.
      unfold is_in. simpl. fold (is_in x xs). fold (is_in x (source n)).
      destruct (is_in x xs); [now rewrite orb_true_r|]. rewrite orb_false_r.
      unfold val at 1. rewrite find_add. destruct (name_eqb_spec x y) as [->|]; [|easy].
      fold (is_in y (source n)). destruct (is_in y (source n)); simpl.
      - rewrite (passable_val t S s n y H). now rewrite andb_true_r.
      - now rewrite andb_false_r. }
    rewrite G. destruct (is_in x (map fst (cells n))); simpl; [easy|].
    unfold val. now simpl.
  - eapply gives_bind; [exact IHk|..].
    { grow. }
    intros R HR.
    set (step := fun x => xorb (cut n) (s x) &&
                   (within_steps n s k x || existsb (within_steps n s k) (neighbours (cells n) x))).
    eapply gives_bind.
    + apply (every_gives t _ (fun x xv => fst xv = x /\ sval t (snd xv) = step x)).
      intros x. eapply gives_bind; [apply disj_gives|grow|].
      intros near Hnear. eapply gives_bind; [apply conj_gives|grow|].
      intros v Hv. apply gives_ret. simpl. split; [easy|]. rewrite Hv. unfold all, step. simpl.
      rewrite Hnear, (passable_val t S s n x H). unfold any. simpl.
      fold (any (map (sval t) (map (val R) (neighbours (cells n) x)))).
      rewrite HR, map_map, any_map, andb_true_r. do 2 f_equal.
      apply existsb_ext_in. auto.
    + grow.
    + intros vs F. apply gives_ret. intros x.
      assert (G : forall xs vs, Forall2 (fun x xv => fst xv = x /\ sval t (snd xv) = step x) xs vs ->
                forall R0 : symbolic, sval t (val (fold_left (fun R xv => add (fst xv) (snd xv) R) vs R0) x)
                = if is_in x xs then step x else sval t (val R0 x)).
      { clear. induction 1 as [|y v xs vs [E1 E2] F IH]; intros R0; [easy|]. simpl. rewrite IH.
        unfold is_in. simpl. fold (is_in x xs). destruct (is_in x xs); [now rewrite orb_true_r|].
        rewrite orb_false_r. unfold val at 1. rewrite find_add, E1.
        destruct (name_eqb_spec x y) as [->|]; [exact E2|easy]. }
      rewrite (G _ _ F). unfold passable, step.
      destruct (is_in x (map fst (cells n))); simpl; [easy|]. unfold val. now simpl.
Qed.

Lemma grows_reachedM g p S : grows (reachedM g p S).
Proof.
  unfold reachedM, holdsM. destruct p; [destruct (black_network g)|]; grow.
Qed.
#[local] Hint Resolve grows_reachedM : grows.

Lemma any_all t S s cs : shows t S s ->
  gives t (do vs <- every (holdsM S) cs; disj vs) (fun v => sval t v = existsb (holds s) cs).
Proof.
  intros H. eapply gives_bind; [apply (all_hold_gives t S s cs H)|grow|].
  intros vs E. eapply gives_weaken; [apply disj_gives|]. intros v ->. now rewrite E, any_map.
Qed.

Lemma reached_gives t S s g p : shows t S s ->
  gives t (reachedM g p S) (fun v => sval t v = reached g p s).
Proof.
  intros H. unfold reachedM, reached.
  destruct p; [destruct (black_network g) as [n|]|]; try now apply any_all.
  eapply gives_bind; [apply (steps_gives t S s n H)|grow|].
  intros R HR. eapply gives_bind; [apply disj_gives|grow|].
  intros c Hc. apply gives_ret.
  assert (E : sval t c = connected n s).
  { rewrite Hc. unfold any, connected. simpl. f_equal.
    fold (any (map (sval t) (map (val R) (target n)))). rewrite map_map, any_map.
    apply existsb_ext_in. auto. }
  destruct (cut n); rewrite ?sval_vneg, E; now destruct (connected n s).
Qed.

(** ** The play *)

Definition allowed (s : position) (o : option move) : option move :=
  match o with Some m => if holds s (needs m) then Some m else None | None => None end.
Definition outcome (g : game) (p : player) (o : option move) (s : position)
    (rest : position -> bool) : bool :=
  match p with
  | Black => match allowed s o with
             | Some m => reached g Black (after s m) || rest (after s m)
             | None => false
             end
  | White => if existsb (fun m => holds s (needs m)) (white_moves g)
             then match allowed s o with
                  | Some m => negb (reached g White (after s m)) && rest (after s m)
                  | None => true
                  end
             else stuck_loses g
  end.
Fixpoint worth (g : game) (ps : list player) (bs : list (list name)) (s : position) (r : assign)
  : bool :=
  match ps, bs with
  | p :: ps, b :: bs =>
      outcome g p (told (moves g p) (map r b)) s (fun s => worth g ps bs s r)
  | _, _ => false
  end.

Definition fits (g : game) := Forall2 (fun p (b : list name) => length b = length (moves g p)).

Definition atoms_of (g : game) (p : player) : list name := touched (moves g p) Empty [].

Lemma grows_playM g xs : forall ps bs S, grows (playM g xs ps bs S).
Proof.
  induction ps as [|p ps IH]; intros [|b bs] S; simpl; unfold holdsM; grow. destruct p; grow.
Qed.
#[local] Hint Resolve grows_playM : grows.

Lemma play_gives t g xs : (forall p, xs p = atoms_of g p) ->
  forall ps bs S s, fits g ps bs -> shows t S s ->
  gives t (playM g xs ps bs S) (fun v => sval t v = worth g ps bs s t).
Proof.
  intros Hxs. induction ps as [|p ps IH]; intros bs S s Hf HS; inversion Hf as [|? b ? bs' Lb Hf' E1 E2];
    subst; simpl; [now apply gives_ret|].
  unfold holdsM. eapply gives_bind; [apply first_gives|destruct p; grow|]. intros cs Hcs. simpl in Hcs.
  assert (Ho : choice (moves g p) (map (sval t) cs) (told (moves g p) (map t b))).
  { rewrite Hcs. apply pick_choice. now rewrite map_length. }
  set (o := told (moves g p) (map t b)) in *.
  eapply gives_bind.
  { apply (every_gives t _ (fun m v => sval t v = holds s (needs m))).
    intros m. apply (holds_gives t S s (needs m) HS). }
  { destruct p; grow. }
  intros legal Hl.
  assert (El : map (sval t) legal = map (fun m => holds s (needs m)) (moves g p)).
  { clear - Hl. induction Hl; simpl; congruence. }
  eapply gives_bind.
  { apply (every_gives t _ (fun cl v => sval t v = sval t (fst cl) && sval t (snd cl))).
    intros cl. eapply gives_weaken; [apply conj_gives|]. intros v ->. unfold all. simpl.
    now rewrite andb_true_r. }
  { destruct p; grow. }
  intros made Hm. eapply gives_bind; [apply disj_gives|destruct p; grow|]. intros moved Hmoved.
  assert (Emoved : sval t moved = match allowed s o with Some _ => true | None => false end).
  { rewrite Hmoved.
    assert (Em : map (sval t) made = map (fun ba => fst ba && snd ba)
                  (combine (map (sval t) cs) (map (sval t) legal))).
    { clear - Hm. remember (combine cs legal) as ps eqn:E. revert cs legal E.
      induction Hm as [|cl v ps made Ecl Hm IHm]; intros cs legal E.
      - destruct cs, legal; easy.
      - destruct cs as [|c cs], legal as [|l legal]; try easy. simpl in E. inversion E; subst.
        simpl. rewrite Ecl. simpl. f_equal. now apply IHm. }
    rewrite Em, El. destruct o as [m|] eqn:Eo; simpl.
    - rewrite (combine_choice (fun m => holds s (needs m)) _ _ m Ho (fun b => b)).
      now destruct (holds s (needs m)).
    - apply (combine_nobody (fun m => holds s (needs m)) _ _ (fun b => b) Ho). }
  eapply gives_bind; [apply (after_gives t _ _ _ S s Ho HS)|destruct p; grow|].
  intros S' HS'.
  assert (Shows : shows t S' (after_ s o)).
  { intros x. rewrite HS'. destruct (is_in x (xs p)) eqn:E; [easy|].
    rewrite Hxs in E. rewrite (HS x). symmetry. apply (after_untouched (moves g p)); [|exact E].
    intros m Em. now apply (choice_in _ _ _ Ho). }
  eapply gives_bind; [apply (reached_gives t S' _ g p Shows)|destruct p; grow|].
  intros goal Hgoal. eapply gives_bind; [apply (IH bs' S' _ Hf' Shows)|destruct p; grow|].
  intros rest Hrest. destruct p; simpl.
  - eapply gives_bind; [apply disj_gives|grow|]. intros won Hwon.
    eapply gives_weaken; [apply conj_gives|]. intros v ->. unfold all. simpl.
    rewrite Emoved, Hwon. unfold any. simpl. rewrite Hgoal, Hrest.
    rewrite orb_false_r, andb_true_r. fold o.
    destruct o as [m|]; simpl; [|easy]. now destruct (holds s (needs m)).
  - eapply gives_bind; [apply conj_gives|grow|]. intros on Hon.
    eapply gives_bind; [apply disj_gives|grow|]. intros open Hopen.
    eapply gives_bind; [apply disj_gives|grow|]. intros ways Hways.
    eapply gives_weaken; [apply conj_gives|]. intros v ->. unfold all. simpl.
    rewrite Hways, Hopen. unfold any. simpl. rewrite sval_vneg, Emoved, Hon. unfold all. simpl.
    rewrite sval_vneg, Hgoal, Hrest.
    fold (any (map (sval t) legal)). rewrite El, any_map. simpl.
    rewrite orb_false_r, !andb_true_r. fold o.
    destruct (existsb (fun m => holds s (needs m)) (white_moves g)) eqn:Any.
    + rewrite orb_true_r. simpl. destruct o as [m|]; simpl; [|easy].
      now destruct (holds s (needs m)).
    + rewrite orb_false_r. destruct (stuck_loses g); simpl; [|easy].
      destruct o as [m|] eqn:Eo; simpl; [|easy].
      destruct (holds s (needs m)) eqn:Em; [|easy].
      rewrite <- not_true_iff_false, existsb_exists in Any. exfalso. apply Any.
      exists m. split; [|exact Em]. apply (told_in _ _ _ Eo).
Qed.

(** ** Quantifiers *)

Lemma qeval_agree p m m' : forall r0,
  (forall r, (forall x, ~ In x (map snd p) -> r x = r0 x) -> m r = m' r) ->
  qeval p m r0 = qeval p m' r0.
Proof.
  induction p as [|[q v] p IH]; intros r0 H; [now apply H|].
  assert (E : forall b, qeval p m (upd r0 v b) = qeval p m' (upd r0 v b)).
  { intros b. apply IH. intros r Hr. apply H. simpl. intros x Hx.
    rewrite Hr by tauto. apply upd_other. intros ->. tauto. }
  destruct q; simpl; now rewrite !E.
Qed.

Lemma qeval_const p b : forall r, qeval p (fun _ => b) r = b.
Proof.
  induction p as [|[[] v] p IH]; simpl; intros r; [easy | rewrite !IH; now destruct b..].
Qed.

Fixpoint upds (r : assign) (vs : list name) (bits : list bool) : assign :=
  match vs, bits with
  | v :: vs, b :: bits => upds (upd r v b) vs bits
  | _, _ => r
  end.

Lemma upds_out : forall vs r bits x, ~ In x vs -> upds r vs bits x = r x.
Proof.
  induction vs as [|v vs IH]; intros r [|b bits] x H; simpl in *; try easy.
  rewrite IH by tauto. apply upd_other. intros ->. tauto.
Qed.

Lemma upds_map : forall vs r bits, NoDup vs -> length bits = length vs ->
  map (upds r vs bits) vs = bits.
Proof.
  induction vs as [|v vs IH]; intros r [|b bits] ND E; simpl in *; try easy.
  inversion ND; subst. rewrite IH by (auto; lia). f_equal.
  rewrite upds_out by easy. apply upd_same.
Qed.

Lemma block_spec q rest m : forall vs r (F : list bool -> bool),
  (forall bits, length bits = length vs -> qeval rest m (upds r vs bits) = F bits) ->
  (qeval (map (pair q) vs ++ rest) m r = true <->
   match q with
   | Ex => exists bits, length bits = length vs /\ F bits = true
   | All => forall bits, length bits = length vs -> F bits = true
   end).
Proof.
  induction vs as [|v vs IH]; intros r F H; simpl.
  - specialize (H [] eq_refl). simpl in H. rewrite H. destruct q; split.
    + intros E. now exists [].
    + now intros ([|] & E & T).
    + now intros E [|].
    + intros E. now apply E.
  - pose proof (fun b => IH (upd r v b) (fun bits => F (b :: bits))
      (fun bits E => H (b :: bits) (f_equal S E))) as I.
    destruct q; simpl.
    + rewrite orb_true_iff, (I true), (I false). split.
      * intros [(bits & E & T)|(bits & E & T)]; eexists (_ :: bits); simpl; eauto.
      * intros ([|b bits] & E & T); [easy|]. simpl in E.
        destruct b; [left|right]; exists bits; auto.
    + rewrite andb_true_iff, (I true), (I false). split.
      * intros [T1 T2] [|b bits] E; [easy|]. simpl in E. destruct b; auto.
      * intros T. split; intros bits E; apply T; simpl; auto.
Qed.

Lemma worth_ext g : forall ps bs s r r', (forall x, In x (concat bs) -> r x = r' x) ->
  worth g ps bs s r = worth g ps bs s r'.
Proof.
  induction ps as [|p ps IH]; intros [|b bs] s r r' E; try easy. simpl in *.
  replace (map r' b) with (map r b) by (apply map_ext_in; intros; apply E, in_app_iff; auto).
  assert (Er : forall s, worth g ps bs s r = worth g ps bs s r')
    by (intros; apply IH; intros; apply E, in_app_iff; auto).
  unfold outcome. destruct (allowed s _); destruct p; try easy; now rewrite Er.
Qed.

Lemma prefix_names g : forall ps bs, fits g ps bs -> map snd (prefix_of ps bs) = concat bs.
Proof.
  induction 1; simpl; [easy|]. rewrite map_app, map_map. simpl. rewrite map_id. now f_equal.
Qed.

Lemma nodup_app {X} : forall l l' : list X, NoDup (l ++ l') ->
  NoDup l /\ NoDup l' /\ forall x, In x l -> ~ In x l'.
Proof.
  induction l as [|a l IH]; simpl; intros l' H.
  - repeat split; auto using NoDup_nil.
  - inversion H; subst. destruct (IH _ H3) as (A & B & C0).
    rewrite in_app_iff in H2. repeat split; auto.
    + constructor; tauto.
    + intros x [<-|Hx]; [tauto | auto].
Qed.

Theorem worth_wins g : forall ps bs s r, NoDup (concat bs) -> fits g ps bs ->
  qeval (prefix_of ps bs) (worth g ps bs s) r = wins g ps s.
Proof.
  induction ps as [|p ps IH]; intros bs s r ND Hf;
    inversion Hf as [|? b ? bs' Lb Hf' E1 E2]; subst; [easy|].
  simpl concat in ND. destruct (nodup_app _ _ ND) as (NDb & NDbs & Dis).
  cbn [prefix_of].
  assert (F : forall bits, length bits = length b ->
            qeval (prefix_of ps bs') (worth g (p :: ps) (b :: bs') s) (upds r b bits) =
            outcome g p (told (moves g p) bits) s (wins g ps)).
  { intros bits Ebits.
    rewrite (qeval_agree _ _ (fun r' =>
        outcome g p (told (moves g p) bits) s (fun s => worth g ps bs' s r'))).
    2:{ intros r' Hr'. simpl.
        replace (map r' b) with bits; [easy|].
        rewrite <- (upds_map b r bits) at 1 by easy. apply map_ext_in. intros x Hx.
        symmetry. apply Hr'. rewrite (prefix_names g) by easy. auto. }
    unfold outcome. destruct (allowed s _) as [m|]; destruct p.
    - destruct (reached g Black (after s m)); simpl; [apply qeval_const|].
      rewrite <- (IH bs' (after s m) (upds r b bits)) by easy. apply qeval_ext. easy.
    - destruct (existsb _ (white_moves g)); [|apply qeval_const].
      destruct (reached g White (after s m)); simpl; [apply qeval_const|].
      rewrite <- (IH bs' (after s m) (upds r b bits)) by easy. apply qeval_ext. easy.
    - apply qeval_const.
    - destruct (existsb _ (white_moves g)); apply qeval_const. }
  pose proof (block_spec (quant_of p) _ _ b r _ F) as Spec. clear F.
  apply eq_true_iff_eq. rewrite Spec. clear Spec. rewrite Lb.
  destruct p; simpl.
  - rewrite existsb_exists. split.
    + intros (bits & E & T). unfold outcome, allowed in T.
      destruct (told (black_moves g) bits) as [m|] eqn:Em; [|easy]. exists m.
      split; [now apply (told_in _ bits)|]. now destruct (holds s (needs m)).
    + intros (m & Hm & T). destruct (told_all _ _ Hm) as (bits & E & Em). exists bits.
      split; [exact E|]. unfold outcome, allowed. rewrite Em.
      now destruct (holds s (needs m)).
  - destruct (existsb (fun m => holds s (needs m)) (white_moves g)) eqn:Any.
    + rewrite forallb_forall. split.
      * intros T m Hm. destruct (told_all _ _ Hm) as (bits & E & Em).
        specialize (T bits E). unfold allowed in T. rewrite Em in T.
        now destruct (holds s (needs m)).
      * intros T bits E. unfold allowed.
        destruct (told (white_moves g) bits) as [m|] eqn:Em; [|easy].
        specialize (T m (told_in _ _ _ Em)). now destruct (holds s (needs m)).
    + split; [|easy]. intros T.
      apply (T (map (fun _ => false) (white_moves g))). apply map_length.
Qed.

(** ** The theorem *)

Lemma fresh_length : forall k n, length (fst (fresh k n)) = k.
Proof.
  induction k; simpl; intros n; [easy|]. specialize (IHk (succ n)).
  destruct (fresh k (succ n)); simpl in *; congruence.
Qed.

Lemma blocks_fit g : forall ps n, fits g ps (fst (blocks_of g ps n)).
Proof.
  induction ps as [|p ps IH]; intros n; simpl; [constructor|].
  pose proof (fresh_length (length (moves g p)) n) as E.
  destruct (fresh (length (moves g p)) n) as [b n1]. specialize (IH n1).
  destruct (blocks_of g ps n1) as [bs n2]. simpl in *. now constructor.
Qed.

Lemma index_nodup w : forall p i A U R, index w p i A U = Some R ->
  NoDup (map snd p) /\ forall x, In x (map snd p) -> find x A = None.
Proof.
  induction p as [|[q v] p IH]; simpl; intros i A U R H; [split; [constructor | easy]|].
  destruct (mem v A) eqn:Mv; [easy|]. apply mem_find in Mv.
  apply IH in H as [H1 H2]. split.
  - constructor; auto. intros Hv. apply H2 in Hv. now rewrite find_add, name_eqb_refl in Hv.
  - intros x [<-|Hx]; [easy|]. apply H2 in Hx. rewrite find_add in Hx.
    destruct (name_eqb_spec x v); [now subst | easy].
Qed.

Lemma index_find w : forall p i A U A' U', index w p i A U = Some (A', U') ->
  forall x, In x (map snd p) -> find x A' <> None.
Proof.
  induction p as [|[q v] p IH]; simpl; intros i A U A' U' H x Hx; [easy|].
  destruct (mem v A) eqn:Mv; [easy|].
  destruct Hx as [<-|Hx]; [|now apply (IH _ _ _ _ _ H)].
  destruct (index_mono _ _ _ _ _ _ _ H v i) as [E _]; [now rewrite find_add, name_eqb_refl|].
  congruence.
Qed.

Lemma first_shows t g : shows t (firstS g) (first g).
Proof.
  unfold firstS, first.
  assert (G : forall xs S x, sval t (val (fold_left (fun s x => add x (C true) s) xs S) x)
            = is_in x xs || sval t (val S x)).
  { induction xs as [|y xs IH]; intros S x; [easy|]. simpl. rewrite IH. unfold is_in. simpl.
    fold (is_in x xs). unfold val at 1. rewrite find_add.
    destruct (name_eqb_spec x y) as [->|]; simpl; [now rewrite orb_true_r|easy]. }
  intros x. rewrite G. unfold val. simpl. now rewrite orb_false_r.
Qed.

Theorem unrolled_black_wins g w A U D bad :
  index w (pre (unrolled g)) 2 Empty Empty = Some (A, U) ->
  scan bad (gates (unrolled g)) A = Some D ->
  forall r, qeval (pre (unrolled g)) (qcir_matrix (unrolled g)) r = black_wins g.
Proof.
  unfold unrolled. pose proof (blocks_fit g (turns g) (D1 End)) as Hf.
  destruct (blocks_of g (turns g) (D1 End)) as [bs n0]. simpl in Hf.
  match goal with |- context [bind ?m ?k (n0, [])] => set (play := bind m k) end.
  set (black0 := goals_at_start g && reached g Black (first g)).
  set (white0 := goals_at_start g && reached g White (first g)).
  assert (Play : forall t, gives t play (fun v => sval t v =
            black0 || negb white0 && worth g (turns g) bs (first g) t)).
  { intros t. unfold play. pose proof (first_shows t g) as F.
    assert (R : forall p, gives t (if goals_at_start g then reachedM g p (firstS g) else ret (C false))
              (fun v => sval t v = goals_at_start g && reached g p (first g))).
    { intros p. destruct (goals_at_start g); [now apply reached_gives|now apply gives_ret]. }
    eapply gives_bind; [apply (R Black)|destruct (goals_at_start g); grow|]. intros black Hb.
    eapply gives_bind; [apply (R White)|grow|]. intros white Hw.
    eapply gives_bind.
    { apply (fun xs Hxs => play_gives t g xs Hxs (turns g) bs (firstS g) (first g) Hf F).
      now intros []. }
    { grow. }
    intros rest Hrest. eapply gives_bind; [apply conj_gives|grow|]. intros lost Hlost.
    eapply gives_weaken; [apply disj_gives|]. intros v ->. unfold any. simpl.
    rewrite Hlost. unfold all. simpl. rewrite sval_vneg, Hb, Hw, Hrest.
    now rewrite orb_false_r, andb_true_r. }
  destruct (play (n0, [])) as [v [n gs]] eqn:Ep.
  assert (Wins : forall (r : assign), NoDup (concat bs) ->
     qeval (prefix_of (turns g) bs)
       (fun r => black0 || negb white0 && worth g (turns g) bs (first g) r) r = black_wins g).
  { intros r ND. unfold black_wins. fold black0 white0.
    destruct black0; simpl; [apply qeval_const|]. destruct white0; simpl; [apply qeval_const|].
    now apply worth_wins. }
  (* The formula reads the prefix only, which evaluation leaves alone. *)
  assert (Main : forall q, pre q = prefix_of (turns g) bs ->
     index w (pre q) 2 Empty Empty = Some (A, U) -> scan bad (gates q) A = Some D ->
     (forall t, (forall g0, In g0 (gates q) -> t (gout g0) = geval t g0) ->
        sat t (n, gs) /\ leval t (out q) = sval t v) ->
     forall r, qeval (pre q) (qcir_matrix q) r = black_wins g).
  { intros q Eq HI HD Hq r. rewrite Eq in *.
    pose proof (index_nodup _ _ _ _ _ _ HI) as [ND _]. rewrite (prefix_names g) in ND by easy.
    rewrite <- (Wins r ND). apply qeval_ext. intros r'. unfold qcir_matrix.
    set (t := ceval (gates q) r').
    destruct (Hq t) as [S Eo]; [intros g0 Hg; exact (ceval_sat _ _ _ _ HD r' g0 Hg)|].
    rewrite Eo. destruct (Play t) as [_ P0]. specialize (P0 (n0, [])). rewrite Ep in P0.
    specialize (P0 S). simpl in P0. rewrite P0. do 2 f_equal. apply worth_ext. intros x Hx.
    apply (ceval_stable _ _ _ _ HD). left. apply (index_find _ _ _ _ _ _ _ HI).
    now rewrite (prefix_names g). }
  destruct v as [b|l].
  - intros HI HD. apply Main; auto. intros t Ht. split.
    + intros g0 Hg. apply Ht. simpl. rewrite rev_append_rev, in_app_iff, <- in_rev. simpl. tauto.
    + simpl. assert (E : t n = geval t (Gate n (if b then And else Or) [])).
      { apply (Ht (Gate n (if b then And else Or) [])). simpl.
        rewrite rev_append_rev, in_app_iff. simpl. tauto. }
      rewrite E. now destruct b.
  - intros HI HD. apply Main; auto. intros t Ht. split; [|easy].
    intros g0 Hg. apply Ht. simpl. rewrite rev_append_rev, in_app_iff, <- in_rev. simpl. tauto.
Qed.

Theorem check_game_sound {S} (from : supply S) w g c fuel s :
  check_game from w g c fuel s = true -> black_wins g = win w.
Proof.
  intros H. pose proof (check_sound from w _ c fuel s H (fun _ => false)) as Q.
  unfold check_game, check in H. apply andb_prop in H as [H _].
  destruct (index w (pre (unrolled g)) 2 Empty Empty) as [[A U]|] eqn:HI; [|easy].
  destruct (scan _ (cgates c) U) as [L|]; [|easy].
  destruct (scan _ (gates (unrolled g)) A) as [D|] eqn:HD; [|easy].
  rewrite <- Q. symmetry. apply (unrolled_black_wins g w A U D _ HI HD).
Qed.

Theorem black_correct : forall {S} (from : supply S) (g : game) c fuel s,
  check_game from Ex g c fuel s = true -> black_wins g = true.
Proof. intros S from g c fuel s. exact (check_game_sound from Ex g c fuel s). Qed.

Theorem white_correct : forall {S} (from : supply S) (g : game) c fuel s,
  check_game from All g c fuel s = true -> black_wins g = false.
Proof. intros S from g c fuel s. exact (check_game_sound from All g c fuel s). Qed.
