
(** val negb : bool -> bool **)

let negb = function
| true -> false
| false -> true

type nat =
| O
| S of nat

(** val option_map : ('a1 -> 'a2) -> 'a1 option -> 'a2 option **)

let option_map f = function
| Some a -> Some (f a)
| None -> None

(** val fst : ('a1 * 'a2) -> 'a1 **)

let fst = function
| (x, _) -> x

(** val snd : ('a1 * 'a2) -> 'a2 **)

let snd = function
| (_, y) -> y

(** val length : 'a1 list -> nat **)

let rec length = function
| [] -> O
| _ :: l' -> S (length l')

(** val app : 'a1 list -> 'a1 list -> 'a1 list **)

let rec app l m0 =
  match l with
  | [] -> m0
  | a :: l1 -> a :: (app l1 m0)

type comparison =
| Eq
| Lt
| Gt

(** val compOpp : comparison -> comparison **)

let compOpp = function
| Eq -> Eq
| Lt -> Gt
| Gt -> Lt

(** val pred : nat -> nat **)

let pred n = match n with
| O -> n
| S u -> u

module Coq__1 = struct
 (** val add : nat -> nat -> nat **)
 let rec add n m0 =
   match n with
   | O -> m0
   | S p -> S (add p m0)
end
include Coq__1

(** val eqb : bool -> bool -> bool **)

let eqb b1 b2 =
  if b1 then b2 else if b2 then false else true

(** val nth_error : 'a1 list -> nat -> 'a1 option **)

let rec nth_error l = function
| O -> (match l with
        | [] -> None
        | x :: _ -> Some x)
| S n0 -> (match l with
           | [] -> None
           | _ :: l0 -> nth_error l0 n0)

(** val rev_append : 'a1 list -> 'a1 list -> 'a1 list **)

let rec rev_append l l' =
  match l with
  | [] -> l'
  | a :: l0 -> rev_append l0 (a :: l')

(** val map : ('a1 -> 'a2) -> 'a1 list -> 'a2 list **)

let rec map f = function
| [] -> []
| a :: t -> (f a) :: (map f t)

(** val flat_map : ('a1 -> 'a2 list) -> 'a1 list -> 'a2 list **)

let rec flat_map f = function
| [] -> []
| x :: t -> app (f x) (flat_map f t)

(** val fold_left : ('a1 -> 'a2 -> 'a1) -> 'a2 list -> 'a1 -> 'a1 **)

let rec fold_left f l a0 =
  match l with
  | [] -> a0
  | b :: t -> fold_left f t (f a0 b)

(** val existsb : ('a1 -> bool) -> 'a1 list -> bool **)

let rec existsb f = function
| [] -> false
| a :: l0 -> (||) (f a) (existsb f l0)

(** val forallb : ('a1 -> bool) -> 'a1 list -> bool **)

let rec forallb f = function
| [] -> true
| a :: l0 -> (&&) (f a) (forallb f l0)

(** val filter : ('a1 -> bool) -> 'a1 list -> 'a1 list **)

let rec filter f = function
| [] -> []
| x :: l0 -> if f x then x :: (filter f l0) else filter f l0

(** val combine : 'a1 list -> 'a2 list -> ('a1 * 'a2) list **)

let rec combine l l' =
  match l with
  | [] -> []
  | x :: tl ->
    (match l' with
     | [] -> []
     | y :: tl' -> (x, y) :: (combine tl tl'))

type name =
| End
| D0 of name
| D1 of name
| D2 of name
| D3 of name
| D4 of name
| D5 of name
| D6 of name
| D7 of name

(** val name_eqb : name -> name -> bool **)

let rec name_eqb a b =
  match a with
  | End -> (match b with
            | End -> true
            | _ -> false)
  | D0 a0 -> (match b with
              | D0 b0 -> name_eqb a0 b0
              | _ -> false)
  | D1 a0 -> (match b with
              | D1 b0 -> name_eqb a0 b0
              | _ -> false)
  | D2 a0 -> (match b with
              | D2 b0 -> name_eqb a0 b0
              | _ -> false)
  | D3 a0 -> (match b with
              | D3 b0 -> name_eqb a0 b0
              | _ -> false)
  | D4 a0 -> (match b with
              | D4 b0 -> name_eqb a0 b0
              | _ -> false)
  | D5 a0 -> (match b with
              | D5 b0 -> name_eqb a0 b0
              | _ -> false)
  | D6 a0 -> (match b with
              | D6 b0 -> name_eqb a0 b0
              | _ -> false)
  | D7 a0 -> (match b with
              | D7 b0 -> name_eqb a0 b0
              | _ -> false)

type lit =
| P of name
| N of name

(** val var : lit -> name **)

let var = function
| P v -> v
| N v -> v

(** val sign : lit -> bool **)

let sign = function
| P _ -> true
| N _ -> false

(** val neg : lit -> lit **)

let neg = function
| P v -> N v
| N v -> P v

type kind =
| And
| Or
| Xor
| Ite

type gate = { gout : name; gkind : kind; gins : lit list }

type quant =
| Ex
| All

type prefix = (quant * name) list

type qcir = { pre : prefix; gates : gate list; out : lit }

type ngate =
| Plain of gate
| Quantified of name * prefix * lit

type nested = { npre : prefix; ngates : ngate list; nout : lit }

type clause = lit list

type qdimacs = { qpre : prefix; qclauses : clause list }

type dqdimacs = { deps : (name * name list) list; dclauses : clause list }

type positive =
| XI of positive
| XO of positive
| XH

type z =
| Z0
| Zpos of positive
| Zneg of positive

module Pos =
 struct
  (** val succ : positive -> positive **)

  let rec succ = function
  | XI p -> XO (succ p)
  | XO p -> XI p
  | XH -> XO XH

  (** val add : positive -> positive -> positive **)

  let rec add x y =
    match x with
    | XI p ->
      (match y with
       | XI q -> XO (add_carry p q)
       | XO q -> XI (add p q)
       | XH -> XO (succ p))
    | XO p ->
      (match y with
       | XI q -> XI (add p q)
       | XO q -> XO (add p q)
       | XH -> XI p)
    | XH -> (match y with
             | XI q -> XO (succ q)
             | XO q -> XI q
             | XH -> XO XH)

  (** val add_carry : positive -> positive -> positive **)

  and add_carry x y =
    match x with
    | XI p ->
      (match y with
       | XI q -> XI (add_carry p q)
       | XO q -> XO (add_carry p q)
       | XH -> XI (succ p))
    | XO p ->
      (match y with
       | XI q -> XO (add_carry p q)
       | XO q -> XI (add p q)
       | XH -> XO (succ p))
    | XH ->
      (match y with
       | XI q -> XI (succ q)
       | XO q -> XO (succ q)
       | XH -> XI XH)

  (** val pred_double : positive -> positive **)

  let rec pred_double = function
  | XI p -> XI (XO p)
  | XO p -> XI (pred_double p)
  | XH -> XH

  (** val compare_cont : comparison -> positive -> positive -> comparison **)

  let rec compare_cont r x y =
    match x with
    | XI p ->
      (match y with
       | XI q -> compare_cont r p q
       | XO q -> compare_cont Gt p q
       | XH -> Gt)
    | XO p ->
      (match y with
       | XI q -> compare_cont Lt p q
       | XO q -> compare_cont r p q
       | XH -> Gt)
    | XH -> (match y with
             | XH -> r
             | _ -> Lt)

  (** val compare : positive -> positive -> comparison **)

  let compare =
    compare_cont Eq

  (** val eqb : positive -> positive -> bool **)

  let rec eqb p q =
    match p with
    | XI p0 -> (match q with
                | XI q0 -> eqb p0 q0
                | _ -> false)
    | XO p0 -> (match q with
                | XO q0 -> eqb p0 q0
                | _ -> false)
    | XH -> (match q with
             | XH -> true
             | _ -> false)

  (** val leb : positive -> positive -> bool **)

  let leb x y =
    match compare x y with
    | Gt -> false
    | _ -> true

  (** val ltb : positive -> positive -> bool **)

  let ltb x y =
    match compare x y with
    | Lt -> true
    | _ -> false

  (** val iter_op : ('a1 -> 'a1 -> 'a1) -> positive -> 'a1 -> 'a1 **)

  let rec iter_op op p a =
    match p with
    | XI p0 -> op a (iter_op op p0 (op a a))
    | XO p0 -> iter_op op p0 (op a a)
    | XH -> a

  (** val to_nat : positive -> nat **)

  let to_nat x =
    iter_op Coq__1.add x (S O)
 end

type 'a trie =
| Empty
| Leaf of name * 'a
| Node of 'a option * 'a trie * 'a trie * 'a trie * 'a trie * 'a trie
   * 'a trie * 'a trie * 'a trie

(** val find : name -> 'a1 trie -> 'a1 option **)

let rec find k = function
| Empty -> None
| Leaf (k', a) -> if name_eqb k k' then Some a else None
| Node (a, c0, c1, c2, c3, c4, c5, c6, c7) ->
  (match k with
   | End -> a
   | D0 k0 -> find k0 c0
   | D1 k0 -> find k0 c1
   | D2 k0 -> find k0 c2
   | D3 k0 -> find k0 c3
   | D4 k0 -> find k0 c4
   | D5 k0 -> find k0 c5
   | D6 k0 -> find k0 c6
   | D7 k0 -> find k0 c7)

(** val mem : name -> 'a1 trie -> bool **)

let mem k t =
  match find k t with
  | Some _ -> true
  | None -> false

(** val opened : 'a1 trie -> 'a1 trie **)

let opened t =
  let e = Empty in
  (match t with
   | Empty -> Node (None, e, e, e, e, e, e, e, e)
   | Leaf (k, a) ->
     (match k with
      | End -> Node ((Some a), e, e, e, e, e, e, e, e)
      | D0 k0 -> Node (None, (Leaf (k0, a)), e, e, e, e, e, e, e)
      | D1 k0 -> Node (None, e, (Leaf (k0, a)), e, e, e, e, e, e)
      | D2 k0 -> Node (None, e, e, (Leaf (k0, a)), e, e, e, e, e)
      | D3 k0 -> Node (None, e, e, e, (Leaf (k0, a)), e, e, e, e)
      | D4 k0 -> Node (None, e, e, e, e, (Leaf (k0, a)), e, e, e)
      | D5 k0 -> Node (None, e, e, e, e, e, (Leaf (k0, a)), e, e)
      | D6 k0 -> Node (None, e, e, e, e, e, e, (Leaf (k0, a)), e)
      | D7 k0 -> Node (None, e, e, e, e, e, e, e, (Leaf (k0, a))))
   | Node (_, _, _, _, _, _, _, _, _) -> t)

(** val alone : name -> 'a1 trie -> bool **)

let alone k = function
| Empty -> true
| Leaf (k', _) -> name_eqb k k'
| Node (_, _, _, _, _, _, _, _, _) -> false

(** val add0 : name -> 'a1 -> 'a1 trie -> 'a1 trie **)

let rec add0 k x t =
  if alone k t
  then Leaf (k, x)
  else (match opened t with
        | Node (a, c0, c1, c2, c3, c4, c5, c6, c7) ->
          (match k with
           | End -> Node ((Some x), c0, c1, c2, c3, c4, c5, c6, c7)
           | D0 k0 -> Node (a, (add0 k0 x c0), c1, c2, c3, c4, c5, c6, c7)
           | D1 k0 -> Node (a, c0, (add0 k0 x c1), c2, c3, c4, c5, c6, c7)
           | D2 k0 -> Node (a, c0, c1, (add0 k0 x c2), c3, c4, c5, c6, c7)
           | D3 k0 -> Node (a, c0, c1, c2, (add0 k0 x c3), c4, c5, c6, c7)
           | D4 k0 -> Node (a, c0, c1, c2, c3, (add0 k0 x c4), c5, c6, c7)
           | D5 k0 -> Node (a, c0, c1, c2, c3, c4, (add0 k0 x c5), c6, c7)
           | D6 k0 -> Node (a, c0, c1, c2, c3, c4, c5, (add0 k0 x c6), c7)
           | D7 k0 -> Node (a, c0, c1, c2, c3, c4, c5, c6, (add0 k0 x c7)))
        | x0 -> x0)

(** val quant_eqb : quant -> quant -> bool **)

let quant_eqb a b =
  match a with
  | Ex -> (match b with
           | Ex -> true
           | All -> false)
  | All -> (match b with
            | Ex -> false
            | All -> true)

(** val index :
    quant -> prefix -> positive -> positive trie -> positive trie ->
    (positive trie * positive trie) option **)

let rec index w p i a u =
  match p with
  | [] -> Some (a, u)
  | p0 :: p1 ->
    let (q, v) = p0 in
    if mem v a
    then None
    else index w p1 (Pos.succ i) (add0 v i a)
           (if quant_eqb q w then u else add0 v i u)

(** val join : positive trie -> lit list -> positive -> positive option **)

let rec join l ls k =
  match ls with
  | [] -> Some k
  | l0 :: ls0 ->
    (match find (var l0) l with
     | Some j -> join l ls0 (if Pos.leb j k then k else j)
     | None -> None)

(** val scan :
    (name -> bool) -> gate list -> positive trie -> positive trie option **)

let rec scan bad gs l =
  match gs with
  | [] -> Some l
  | g :: gs0 ->
    (match join l g.gins XH with
     | Some k ->
       if (||) (bad g.gout) (mem g.gout l)
       then None
       else scan bad gs0 (add0 g.gout k l)
     | None -> None)

type func = lit option

(** val funs_ok :
    positive trie -> positive trie -> positive trie -> (name * func) list ->
    func trie -> func trie option **)

let rec funs_ok a u l fs f =
  match fs with
  | [] -> Some f
  | p :: fs0 ->
    let (x, f0) = p in
    (match find x a with
     | Some i ->
       (match find x u with
        | Some _ -> None
        | None ->
          (match find x f with
           | Some _ -> None
           | None ->
             if match f0 with
                | Some l0 ->
                  (match find (var l0) l with
                   | Some k -> Pos.ltb k i
                   | None -> false)
                | None -> true
             then funs_ok a u l fs0 (add0 x f0 f)
             else None))
     | None -> None)

(** val each : ('a1 -> 'a2) -> 'a1 list -> 'a2 list -> 'a2 list **)

let each f xs rest =
  rev_append (fold_left (fun ys x -> (f x) :: ys) xs []) rest

(** val tseitin : gate -> clause list **)

let tseitin g =
  let v = g.gout in
  (match g.gkind with
   | And ->
     each (fun l -> (N v) :: (l :: [])) g.gins (((P
       v) :: (each neg g.gins [])) :: [])
   | Or ->
     each (fun l -> (P v) :: ((neg l) :: [])) g.gins (((N v) :: g.gins) :: [])
   | Xor ->
     (match g.gins with
      | [] -> []
      | a :: l ->
        (match l with
         | [] -> []
         | b :: l0 ->
           (match l0 with
            | [] ->
              ((N v) :: (a :: (b :: []))) :: (((N
                v) :: ((neg a) :: ((neg b) :: []))) :: (((P
                v) :: ((neg a) :: (b :: []))) :: (((P
                v) :: (a :: ((neg b) :: []))) :: [])))
            | _ :: _ -> [])))
   | Ite ->
     (match g.gins with
      | [] -> []
      | c :: l ->
        (match l with
         | [] -> []
         | t :: l0 ->
           (match l0 with
            | [] -> []
            | e :: l1 ->
              (match l1 with
               | [] ->
                 ((N v) :: ((neg c) :: (t :: []))) :: (((N
                   v) :: (c :: (e :: []))) :: (((P
                   v) :: ((neg c) :: ((neg t) :: []))) :: (((P
                   v) :: (c :: ((neg e) :: []))) :: [])))
               | _ :: _ -> [])))))

(** val tie : name -> func -> clause list **)

let tie x = function
| Some l -> ((N x) :: (l :: [])) :: (((P x) :: ((neg l) :: [])) :: [])
| None -> ((N x) :: []) :: []

type definition =
| DGate of gate
| DFun of name * func

(** val clauses_of : definition -> clause list **)

let clauses_of = function
| DGate g -> tseitin g
| DFun (x, f) -> tie x f

type definitions = definition trie

type step =
| Step of name * clause * name list
| Take of name * name * nat

type 's supply = { place_of : (name -> clause -> 's -> name option * 's);
                   next_step : ('s -> (step * 's) option) }

type places = clause trie

type partial = bool trie

(** val assume : partial -> lit -> partial **)

let assume a l =
  add0 (var l) (sign l) a

(** val falsified : partial -> lit -> bool **)

let falsified a l =
  match find (var l) a with
  | Some b -> negb (eqb b (sign l))
  | None -> false

(** val lit_eqb : lit -> lit -> bool **)

let lit_eqb a b =
  match a with
  | P v -> (match b with
            | P w -> name_eqb v w
            | N _ -> false)
  | N v -> (match b with
            | P _ -> false
            | N w -> name_eqb v w)

type state =
| Conflict
| Unit of lit
| Other

(** val under : partial -> clause -> lit option -> state **)

let rec under a c u =
  match c with
  | [] -> (match u with
           | Some l -> Unit l
           | None -> Conflict)
  | l :: c0 ->
    if falsified a l
    then under a c0 u
    else (match u with
          | Some l' -> if lit_eqb l l' then under a c0 u else Other
          | None -> under a c0 (Some l))

(** val rup : places -> partial -> name list -> bool **)

let rec rup d a = function
| [] -> false
| h :: hints0 ->
  (match find h d with
   | Some c ->
     (match under a c None with
      | Conflict -> true
      | Unit l -> rup d (assume a l) hints0
      | Other -> false)
   | None -> false)

(** val deny : clause -> partial -> partial **)

let rec deny c a =
  match c with
  | [] -> a
  | l :: c0 -> deny c0 (assume a (neg l))

(** val refutes :
    'a1 supply -> definitions -> nat -> 'a1 -> places -> bool **)

let rec refutes from defs fuel s d =
  match fuel with
  | O -> false
  | S fuel0 ->
    (match from.next_step s with
     | Some p ->
       let (s0, s1) = p in
       (match s0 with
        | Step (i, c, hints) ->
          if rup d (deny c Empty) hints
          then (match c with
                | [] -> true
                | _ :: _ -> refutes from defs fuel0 s1 (add0 i c d))
          else false
        | Take (i, v, k) ->
          (match find v defs with
           | Some df ->
             (match nth_error (clauses_of df) k with
              | Some c -> refutes from defs fuel0 s1 (add0 i c d)
              | None -> false)
           | None -> false))
     | None -> false)

(** val load1 :
    'a1 supply -> name -> ('a1 * places) -> clause -> 'a1 * places **)

let load1 from v sd c =
  let (o, s) = from.place_of v c (fst sd) in
  (match o with
   | Some i -> (s, (add0 i c (snd sd)))
   | None -> (s, (snd sd)))

(** val load :
    'a1 supply -> name -> clause list -> ('a1 * places) -> 'a1 * places **)

let load from v cs sd =
  fold_left (load1 from v) cs sd

(** val load_gates :
    'a1 supply -> gate list -> ('a1 * places) -> 'a1 * places **)

let load_gates from gs sd =
  fold_left (fun sd0 g -> load from g.gout (tseitin g) sd0) gs sd

(** val load_funs :
    'a1 supply -> (name * func) list -> ('a1 * places) -> 'a1 * places **)

let load_funs from fs sd =
  fold_left (fun sd0 xf -> load from (fst xf) (tie (fst xf) (snd xf)) sd0) fs
    sd

(** val define_gates : gate list -> definitions -> definitions **)

let define_gates gs t =
  fold_left (fun t0 g -> add0 g.gout (DGate g) t0) gs t

(** val define_funs : (name * func) list -> definitions -> definitions **)

let define_funs fs t =
  fold_left (fun t0 xf -> add0 (fst xf) (DFun ((fst xf), (snd xf))) t0) fs t

type certificate = { cgates : gate list; cfuns : (name * func) list }

(** val final : quant -> lit -> lit **)

let final w o =
  match w with
  | Ex -> neg o
  | All -> o

(** val loses :
    'a1 supply -> quant -> qcir -> certificate -> nat -> 'a1 -> bool **)

let loses from w q c fuel s =
  let sd = load_gates from q.gates (s, Empty) in
  let sd0 = load_gates from c.cgates sd in
  let sd1 = load_funs from c.cfuns sd0 in
  let sd2 = load from End (((final w q.out) :: []) :: []) sd1 in
  let defs =
    define_funs c.cfuns (define_gates c.cgates (define_gates q.gates Empty))
  in
  refutes from defs fuel (fst sd2) (snd sd2)

(** val check :
    'a1 supply -> quant -> qcir -> certificate -> nat -> 'a1 -> bool **)

let check from w q c fuel s =
  (&&)
    (match index w q.pre (XO XH) Empty Empty with
     | Some p ->
       let (a, u) = p in
       (match scan (fun x -> mem x a) c.cgates u with
        | Some l ->
          (match scan (fun x -> mem x l) q.gates a with
           | Some d ->
             (match funs_ok a u l c.cfuns Empty with
              | Some _ -> mem (var q.out) d
              | None -> false)
           | None -> false)
        | None -> false)
     | None -> false) (loses from w q c fuel s)

(** val check_clauses : 'a1 supply -> clause list -> nat -> 'a1 -> bool **)

let check_clauses from cs fuel s =
  let sd = load from End cs (s, Empty) in
  refutes from Empty fuel (fst sd) (snd sd)

(** val clause_gates :
    clause list -> name list -> gate list -> lit list -> ((gate list * lit
    list) * name list) option **)

let rec clause_gates cs ns gs js =
  match cs with
  | [] -> Some ((gs, js), ns)
  | c :: cs0 ->
    (match c with
     | [] ->
       (match ns with
        | [] -> None
        | n :: ns0 ->
          clause_gates cs0 ns0 ({ gout = n; gkind = Or; gins = c } :: gs) ((P
            n) :: js))
     | l :: l0 ->
       (match l0 with
        | [] -> clause_gates cs0 ns gs (l :: js)
        | _ :: _ ->
          (match ns with
           | [] -> None
           | n :: ns0 ->
             clause_gates cs0 ns0 ({ gout = n; gkind = Or; gins = c } :: gs)
               ((P n) :: js))))

(** val circuit_of : prefix -> clause list -> name list -> qcir option **)

let circuit_of p cs ns =
  match clause_gates cs ns [] [] with
  | Some p0 ->
    let (p1, l) = p0 in
    let (gs, js) = p1 in
    (match l with
     | [] -> None
     | m0 :: _ ->
       Some { pre = p; gates =
         (rev_append gs ({ gout = m0; gkind = And; gins =
           (rev_append js []) } :: [])); out = (P m0) })
  | None -> None

(** val closed : positive trie -> clause list -> bool **)

let closed a cs =
  forallb (forallb (fun l -> mem (var l) a)) cs

(** val check_qdimacs :
    'a1 supply -> quant -> qdimacs -> name list -> certificate -> nat -> 'a1
    -> bool **)

let check_qdimacs from w q ns c fuel s =
  match index w q.qpre (XO XH) Empty Empty with
  | Some p ->
    let (a, _) = p in
    (match circuit_of q.qpre q.qclauses ns with
     | Some k -> (&&) (closed a q.qclauses) (check from w k c fuel s)
     | None -> false)
  | None -> false

(** val readable : gate list -> unit trie -> unit trie **)

let rec readable gs d =
  match gs with
  | [] -> d
  | g :: gs0 ->
    readable gs0
      (if forallb (fun l -> mem (var l) d) g.gins then add0 g.gout () d else d)

(** val marks : name list -> unit trie **)

let marks xs =
  fold_left (fun d x -> add0 x () d) xs Empty

(** val sets_ok :
    positive trie -> gate list -> (name * name list) list -> (name * func)
    list -> bool **)

let rec sets_ok u gs ds fs =
  match ds with
  | [] -> (match fs with
           | [] -> true
           | _ :: _ -> false)
  | p :: ds0 ->
    let (x, d) = p in
    (match fs with
     | [] -> false
     | p0 :: fs0 ->
       let (y, f) = p0 in
       (&&)
         ((&&) ((&&) (name_eqb x y) (forallb (fun z0 -> mem z0 u) d))
           (match f with
            | Some l -> mem (var l) (readable gs (marks d))
            | None -> true)) (sets_ok u gs ds0 fs0))

(** val universals : name list -> positive trie -> positive trie option **)

let rec universals us a =
  match us with
  | [] -> Some a
  | u :: us0 -> if mem u a then None else universals us0 (add0 u XH a)

(** val check_dqdimacs :
    'a1 supply -> name list -> dqdimacs -> name list -> certificate -> nat ->
    'a1 -> bool **)

let check_dqdimacs from us q ns c fuel s =
  match circuit_of [] q.dclauses ns with
  | Some k ->
    (&&)
      (match universals us Empty with
       | Some u ->
         (match universals (map fst q.deps) u with
          | Some a ->
            (match scan (fun x -> mem x a) c.cgates u with
             | Some l ->
               (match scan (fun x -> mem x l) k.gates a with
                | Some d ->
                  (&&) ((&&) (mem (var k.out) d) (closed a q.dclauses))
                    (sets_ok u c.cgates q.deps c.cfuns)
                | None -> false)
             | None -> false)
          | None -> false)
       | None -> false) (loses from Ex k c fuel s)
  | None -> false

module Z =
 struct
  (** val double : z -> z **)

  let double = function
  | Z0 -> Z0
  | Zpos p -> Zpos (XO p)
  | Zneg p -> Zneg (XO p)

  (** val succ_double : z -> z **)

  let succ_double = function
  | Z0 -> Zpos XH
  | Zpos p -> Zpos (XI p)
  | Zneg p -> Zneg (Pos.pred_double p)

  (** val pred_double : z -> z **)

  let pred_double = function
  | Z0 -> Zneg XH
  | Zpos p -> Zpos (Pos.pred_double p)
  | Zneg p -> Zneg (XI p)

  (** val pos_sub : positive -> positive -> z **)

  let rec pos_sub x y =
    match x with
    | XI p ->
      (match y with
       | XI q -> double (pos_sub p q)
       | XO q -> succ_double (pos_sub p q)
       | XH -> Zpos (XO p))
    | XO p ->
      (match y with
       | XI q -> pred_double (pos_sub p q)
       | XO q -> double (pos_sub p q)
       | XH -> Zpos (Pos.pred_double p))
    | XH ->
      (match y with
       | XI q -> Zneg (XO q)
       | XO q -> Zneg (Pos.pred_double q)
       | XH -> Z0)

  (** val add : z -> z -> z **)

  let add x y =
    match x with
    | Z0 -> y
    | Zpos x' ->
      (match y with
       | Z0 -> x
       | Zpos y' -> Zpos (Pos.add x' y')
       | Zneg y' -> pos_sub x' y')
    | Zneg x' ->
      (match y with
       | Z0 -> x
       | Zpos y' -> pos_sub y' x'
       | Zneg y' -> Zneg (Pos.add x' y'))

  (** val compare : z -> z -> comparison **)

  let compare x y =
    match x with
    | Z0 -> (match y with
             | Z0 -> Eq
             | Zpos _ -> Lt
             | Zneg _ -> Gt)
    | Zpos x' -> (match y with
                  | Zpos y' -> Pos.compare x' y'
                  | _ -> Gt)
    | Zneg x' ->
      (match y with
       | Zneg y' -> compOpp (Pos.compare x' y')
       | _ -> Lt)

  (** val leb : z -> z -> bool **)

  let leb x y =
    match compare x y with
    | Gt -> false
    | _ -> true

  (** val eqb : z -> z -> bool **)

  let eqb x y =
    match x with
    | Z0 -> (match y with
             | Z0 -> true
             | _ -> false)
    | Zpos p -> (match y with
                 | Zpos q -> Pos.eqb p q
                 | _ -> false)
    | Zneg p -> (match y with
                 | Zneg q -> Pos.eqb p q
                 | _ -> false)

  (** val to_nat : z -> nat **)

  let to_nat = function
  | Zpos p -> Pos.to_nat p
  | _ -> O

  (** val to_pos : z -> positive **)

  let to_pos = function
  | Zpos p -> p
  | _ -> XH
 end

type env = (name * name) list

(** val envf : env -> name -> name **)

let rec envf e y =
  match e with
  | [] -> y
  | p :: e0 -> let (a, b) = p in if name_eqb y a then b else envf e0 y

type use = { uid : name; ugate : name; uenv : env; upol : bool option;
             ucopy : lit; ukids : name list; ubound : name list }

type uses = { fixed : name list; local : name list;
              freely : (name * name list) list; used : use list; root : 
              name }

(** val inlist : name -> name list -> bool **)

let inlist x l =
  existsb (name_eqb x) l

type known = (name list * ngate) trie

(** val nname : ngate -> name **)

let nname = function
| Plain g0 -> g0.gout
| Quantified (v, _, _) -> v

(** val covers :
    unit trie -> unit trie -> known -> name list -> lit -> bool **)

let covers o l k d l0 =
  match find (var l0) k with
  | Some p -> let (d0, _) = p in forallb (fun y -> inlist y d) d0
  | None -> (||) (mem (var l0) o) ((&&) (mem (var l0) l) (inlist (var l0) d))

(** val covered :
    unit trie -> unit trie -> known -> name list -> ngate -> bool **)

let covered o l k d = function
| Plain g0 -> forallb (covers o l k d) g0.gins
| Quantified (_, p, l0) -> covers o l k (app (map snd p) d) l0

(** val tab :
    unit trie -> unit trie -> name list trie -> ngate list -> known -> known
    option **)

let rec tab o l f gs k =
  match gs with
  | [] -> Some k
  | g :: gs0 ->
    let x = nname g in
    let d = match find x f with
            | Some d -> d
            | None -> [] in
    if (||) ((||) (mem x k) (mem x o)) (mem x l)
    then None
    else if covered o l k d g then tab o l f gs0 (add0 x (d, g) k) else None

type places_of_names = (quant * positive) trie

(** val place :
    prefix -> positive -> places_of_names -> places_of_names option **)

let rec place p i j =
  match p with
  | [] -> Some j
  | p0 :: p1 ->
    let (q, v) = p0 in
    if mem v j then None else place p1 (Pos.succ i) (add0 v (q, i) j)

(** val turned : bool option -> lit -> bool option **)

let turned w l =
  if sign l then w else option_map negb w

(** val same_sign : lit -> lit -> lit **)

let same_sign l c =
  if sign l then c else neg c

(** val pol_ok : bool option -> bool option -> bool **)

let pol_ok have want =
  match have with
  | Some a -> (match want with
               | Some b -> eqb a b
               | None -> false)
  | None -> true

(** val flip : quant -> quant **)

let flip = function
| Ex -> All
| All -> Ex

type stage = { senv : env; sname : name; srest : prefix; sbody : lit;
               spol : bool }

(** val env_ok : unit trie -> env -> bool **)

let env_ok o e =
  forallb (fun ab -> negb (mem (fst ab) o)) e

(** val resolve :
    known -> positive trie -> use trie -> env -> bool option -> name -> lit
    -> lit option **)

let resolve k a u e w kid l =
  match find (var l) k with
  | Some p ->
    let (d, _) = p in
    (match find kid u with
     | Some u0 ->
       if (&&)
            ((&&) (name_eqb u0.ugate (var l)) (pol_ok u0.upol (turned w l)))
            (forallb (fun y -> name_eqb (envf e y) (envf u0.uenv y)) d)
       then Some (same_sign l u0.ucopy)
       else None
     | None -> None)
  | None ->
    let y = envf e (var l) in
    if mem y a then Some (same_sign l (P y)) else None

(** val resolve_all :
    known -> positive trie -> use trie -> env -> bool option -> name list ->
    lit list -> lit list option **)

let rec resolve_all k a u e w kids = function
| [] -> (match kids with
         | [] -> Some []
         | _ :: _ -> None)
| l :: ls0 ->
  (match kids with
   | [] -> None
   | k0 :: ks ->
     (match resolve k a u e w k0 l with
      | Some c ->
        (match resolve_all k a u e w ks ls0 with
         | Some cs -> Some (c :: cs)
         | None -> None)
      | None -> None))

(** val lits_eqb : lit list -> lit list -> bool **)

let rec lits_eqb a b =
  match a with
  | [] -> (match b with
           | [] -> true
           | _ :: _ -> false)
  | x :: a0 ->
    (match b with
     | [] -> false
     | y :: b0 -> (&&) (lit_eqb x y) (lits_eqb a0 b0))

(** val kind_eqb : kind -> kind -> bool **)

let kind_eqb a b =
  match a with
  | And -> (match b with
            | And -> true
            | _ -> false)
  | Or -> (match b with
           | Or -> true
           | _ -> false)
  | Xor -> (match b with
            | Xor -> true
            | _ -> false)
  | Ite -> (match b with
            | Ite -> true
            | _ -> false)

(** val is_gate : gate trie -> lit -> kind -> lit list -> bool **)

let is_gate t l k ls =
  match l with
  | P x ->
    (match find x t with
     | Some g -> (&&) (kind_eqb g.gkind k) (lits_eqb g.gins ls)
     | None -> false)
  | N _ -> false

(** val two : gate trie -> lit -> lit -> lit -> lit -> lit -> bool **)

let two t l a b c d =
  match l with
  | P x ->
    (match find x t with
     | Some g ->
       let { gout = _; gkind = gkind0; gins = gins0 } = g in
       (match gkind0 with
        | Or ->
          (match gins0 with
           | [] -> false
           | y :: l0 ->
             (match l0 with
              | [] -> false
              | z0 :: l1 ->
                (match l1 with
                 | [] ->
                   (&&) (is_gate t y And (a :: (b :: [])))
                     (is_gate t z0 And (c :: (d :: [])))
                 | _ :: _ -> false)))
        | _ -> false)
     | None -> false)
  | N _ -> false

(** val check_plain :
    known -> positive trie -> gate trie -> use trie -> use -> gate -> bool **)

let check_plain k a t u u0 g =
  let e = u0.uenv in
  let w = u0.upol in
  (match g.gkind with
   | Xor ->
     (match g.gins with
      | [] ->
        (match u0.ukids with
         | [] -> false
         | _ :: l ->
           (match l with
            | [] -> false
            | _ :: l0 ->
              (match l0 with
               | [] ->
                 (match resolve_all k a u e None u0.ukids [] with
                  | Some cs -> is_gate t u0.ucopy Xor cs
                  | None -> false)
               | _ :: _ -> false)))
      | a0 :: l ->
        (match l with
         | [] ->
           (match u0.ukids with
            | [] -> false
            | _ :: l0 ->
              (match l0 with
               | [] -> false
               | _ :: l1 ->
                 (match l1 with
                  | [] ->
                    (match resolve_all k a u e None u0.ukids (a0 :: []) with
                     | Some cs -> is_gate t u0.ucopy Xor cs
                     | None -> false)
                  | _ :: _ -> false)))
         | b :: l0 ->
           (match l0 with
            | [] ->
              (match u0.ukids with
               | [] -> false
               | k1 :: l1 ->
                 (match l1 with
                  | [] -> false
                  | k2 :: l2 ->
                    (match l2 with
                     | [] ->
                       (match resolve_all k a u e None u0.ukids
                                (a0 :: (b :: [])) with
                        | Some cs -> is_gate t u0.ucopy Xor cs
                        | None -> false)
                     | k3 :: l3 ->
                       (match l3 with
                        | [] -> false
                        | k4 :: l4 ->
                          (match l4 with
                           | [] ->
                             (match resolve k a u e w k1 a0 with
                              | Some a1 ->
                                (match resolve k a u e w k2 b with
                                 | Some b1 ->
                                   (match resolve k a u e (option_map negb w)
                                            k3 a0 with
                                    | Some a2 ->
                                      (match resolve k a u e
                                               (option_map negb w) k4 b with
                                       | Some b2 ->
                                         two t u0.ucopy a1 (neg b2) (neg a2)
                                           b1
                                       | None -> false)
                                    | None -> false)
                                 | None -> false)
                              | None -> false)
                           | _ :: _ -> false)))))
            | l1 :: l2 ->
              (match u0.ukids with
               | [] -> false
               | _ :: l3 ->
                 (match l3 with
                  | [] -> false
                  | _ :: l4 ->
                    (match l4 with
                     | [] ->
                       (match resolve_all k a u e None u0.ukids
                                (a0 :: (b :: (l1 :: l2))) with
                        | Some cs -> is_gate t u0.ucopy Xor cs
                        | None -> false)
                     | _ :: _ -> false))))))
   | Ite ->
     (match g.gins with
      | [] -> false
      | c :: l ->
        (match l with
         | [] -> false
         | t0 :: l0 ->
           (match l0 with
            | [] -> false
            | f :: l1 ->
              (match l1 with
               | [] ->
                 (match u0.ukids with
                  | [] -> false
                  | k1 :: l2 ->
                    (match l2 with
                     | [] -> false
                     | k2 :: l3 ->
                       (match l3 with
                        | [] -> false
                        | k3 :: l4 ->
                          (match l4 with
                           | [] ->
                             (match resolve k a u e None k1 c with
                              | Some c0 ->
                                (match resolve k a u e w k2 t0 with
                                 | Some t1 ->
                                   (match resolve k a u e w k3 f with
                                    | Some f0 ->
                                      is_gate t u0.ucopy Ite
                                        (c0 :: (t1 :: (f0 :: [])))
                                    | None -> false)
                                 | None -> false)
                              | None -> false)
                           | k4 :: l5 ->
                             (match l5 with
                              | [] ->
                                (match resolve k a u e w k1 c with
                                 | Some c1 ->
                                   (match resolve k a u e w k2 t0 with
                                    | Some t1 ->
                                      (match resolve k a u e w k3 f with
                                       | Some f0 ->
                                         (match resolve k a u e
                                                  (option_map negb w) k4 c with
                                          | Some c2 ->
                                            two t u0.ucopy c1 t1 (neg c2) f0
                                          | None -> false)
                                       | None -> false)
                                    | None -> false)
                                 | None -> false)
                              | _ :: _ -> false)))))
               | _ :: _ -> false))))
   | _ ->
     (match resolve_all k a u e w u0.ukids g.gins with
      | Some cs -> is_gate t u0.ucopy g.gkind cs
      | None -> false))

(** val reads : known -> lit -> name list **)

let reads k l =
  match find (var l) k with
  | Some p -> let (d, _) = p in d
  | None -> (var l) :: []

(** val left_ok :
    known -> places_of_names -> env -> lit -> name list -> positive -> bool **)

let left_ok k j e l names i =
  forallb (fun y ->
    (||) (inlist y names)
      (match find (envf e y) j with
       | Some p -> let (_, j0) = p in Pos.ltb j0 i
       | None -> true)) (reads k l)

(** val bind :
    unit trie -> known -> places_of_names -> bool -> lit -> prefix -> name
    list -> env -> stage trie -> (env * stage trie) option **)

let rec bind o k j pl l p vs e w =
  match p with
  | [] -> (match vs with
           | [] -> Some (e, w)
           | _ :: _ -> None)
  | p0 :: p1 ->
    let (q, v) = p0 in
    (match vs with
     | [] -> None
     | v' :: vs0 ->
       if mem v o
       then None
       else (match if pl then q else flip q with
             | Ex -> bind o k j pl l p1 vs0 ((v, v') :: e) w
             | All ->
               (match find v' j with
                | Some p2 ->
                  let (q0, i) = p2 in
                  (match q0 with
                   | Ex -> None
                   | All ->
                     (match find v' w with
                      | Some _ -> None
                      | None ->
                        if left_ok k j e l (v :: (map snd p1)) i
                        then bind o k j pl l p1 vs0 ((v, v') :: e)
                               (add0 v' { senv = e; sname = v; srest = p1;
                                 sbody = l; spol = pl } w)
                        else None))
                | None -> None)))

(** val check_use :
    unit trie -> known -> positive trie -> places_of_names -> gate trie ->
    use trie -> stage trie -> use -> stage trie option **)

let check_use o k a j t u w u0 =
  if env_ok o u0.uenv
  then (match find u0.ugate k with
        | Some p0 ->
          let (_, n) = p0 in
          (match n with
           | Plain g -> if check_plain k a t u u0 g then Some w else None
           | Quantified (_, p, l) ->
             (match u0.upol with
              | Some pl ->
                (match u0.ukids with
                 | [] -> None
                 | k0 :: l0 ->
                   (match l0 with
                    | [] ->
                      (match bind o k j pl l p u0.ubound u0.uenv w with
                       | Some p1 ->
                         let (e, w') = p1 in
                         (match resolve k a u e (Some pl) k0 l with
                          | Some c ->
                            if lit_eqb c u0.ucopy then Some w' else None
                          | None -> None)
                       | None -> None)
                    | _ :: _ -> None))
              | None -> None))
        | None -> None)
  else None

(** val check_uses :
    unit trie -> known -> positive trie -> places_of_names -> gate trie ->
    use list -> use trie -> stage trie -> (use trie * stage trie) option **)

let rec check_uses o k a j t us u w =
  match us with
  | [] -> Some (u, w)
  | u0 :: us0 ->
    (match check_use o k a j t u w u0 with
     | Some w0 -> check_uses o k a j t us0 (add0 u0.uid u0 u) w0
     | None -> None)

(** val strip : prefix -> prefix -> prefix option **)

let rec strip p p' =
  match p with
  | [] -> Some p'
  | p0 :: p1 ->
    let (q, v) = p0 in
    (match p' with
     | [] -> None
     | p2 :: p'0 ->
       let (q', v') = p2 in
       if (&&) (quant_eqb q q') (name_eqb v v') then strip p1 p'0 else None)

(** val gate_table : gate list -> gate trie **)

let gate_table gs =
  fold_left (fun t g -> add0 g.gout g t) gs Empty

(** val check_prenex : nested -> qcir -> uses -> bool **)

let check_prenex q f h =
  let o = marks h.fixed in
  let f0 = fold_left (fun f0 xd -> add0 (fst xd) (snd xd) f0) h.freely Empty
  in
  (match strip q.npre f.pre with
   | Some inner ->
     (match index Ex f.pre (XO XH) Empty Empty with
      | Some p ->
        let (a, _) = p in
        (match tab o (marks h.local) f0 q.ngates Empty with
         | Some k ->
           (match scan (fun _ -> false) f.gates a with
            | Some _ ->
              (match place inner XH Empty with
               | Some j ->
                 (&&)
                   ((&&) (forallb (fun y -> negb (mem y j)) h.fixed)
                     (forallb (fun y -> negb (mem y j)) (reads k q.nout)))
                   (match check_uses o k a j (gate_table f.gates) h.used
                            Empty Empty with
                    | Some p0 ->
                      let (u, _) = p0 in
                      (match resolve k a u [] (Some true) h.root q.nout with
                       | Some c -> lit_eqb c f.out
                       | None -> false)
                    | None -> false)
               | None -> false)
            | None -> false)
         | None -> false)
      | None -> false)
   | None -> false)

(** val flips : prefix -> prefix **)

let flips p =
  map (fun qv -> ((flip (fst qv)), (snd qv))) p

(** val nested_dual : nested -> nested **)

let nested_dual q =
  { npre = (flips q.npre); ngates = q.ngates; nout = (neg q.nout) }

(** val qcir_dual : qcir -> qcir **)

let qcir_dual f =
  { pre = (flips f.pre); gates = f.gates; out = (neg f.out) }

(** val check_nested :
    'a1 supply -> quant -> nested -> qcir -> uses -> certificate -> nat ->
    'a1 -> bool **)

let check_nested from w q f h c fuel s =
  (&&)
    (match w with
     | Ex -> check_prenex q f h
     | All -> check_prenex (nested_dual q) (qcir_dual f) h)
    (check from w f c fuel s)

type player =
| Black
| White

type condition = lit list

type move = { needs : condition; effects : lit list }

(** val same : lit -> lit -> bool **)

let same a b =
  match a with
  | P x -> (match b with
            | P y -> name_eqb x y
            | N _ -> false)
  | N x -> (match b with
            | P _ -> false
            | N y -> name_eqb x y)

(** val puts : lit -> move -> bool **)

let puts l m0 =
  existsb (same l) m0.effects

type network = { cells : (name * name list) list; source : name list;
                 target : name list; joined : bool; cut : bool }

(** val is_in : name -> name list -> bool **)

let is_in x xs =
  existsb (name_eqb x) xs

(** val neighbours : (name * name list) list -> name -> name list **)

let rec neighbours cs x =
  match cs with
  | [] -> []
  | p :: cs0 ->
    let (y, ns) = p in if name_eqb x y then ns else neighbours cs0 x

type game = { start : name list; turns : player list;
              black_moves : move list; white_moves : move list;
              black_goals : condition list; white_goals : condition list;
              black_network : network option; goals_at_start : bool;
              stuck_loses : bool }

(** val moves : game -> player -> move list **)

let moves g = function
| Black -> g.black_moves
| White -> g.white_moves

type positional = { board : name list; order : player list;
                    black_stones : name list; white_stones : name list;
                    black_sets : name list list; white_sets : name list list;
                    hex : network option }

(** val claims : (name -> name) -> name list -> move list **)

let claims own cs =
  map (fun c -> { needs = ((N (D1 c)) :: ((N (D2 c)) :: [])); effects = ((P
    (own c)) :: []) }) cs

(** val sets_of : (name -> name) -> name list list -> condition list **)

let sets_of own =
  map (map (fun c -> P (own c)))

(** val of_black : network -> network **)

let of_black n =
  { cells =
    (map (fun cn -> ((D1 (fst cn)), (map (fun x -> D1 x) (snd cn)))) n.cells);
    source = (map (fun x -> D1 x) n.source); target =
    (map (fun x -> D1 x) n.target); joined = n.joined; cut = n.cut }

(** val positional_game : positional -> game **)

let positional_game p =
  { start =
    (app (map (fun x -> D1 x) p.black_stones)
      (map (fun x -> D2 x) p.white_stones)); turns = p.order; black_moves =
    (claims (fun x -> D1 x) p.board); white_moves =
    (claims (fun x -> D2 x) p.board); black_goals =
    (sets_of (fun x -> D1 x) p.black_sets); white_goals =
    (sets_of (fun x -> D2 x) p.white_sets); black_network =
    (option_map of_black p.hex); goals_at_start = true; stuck_loses = false }

type coordinate =
| Offset of z
| Minimum
| Maximum
| Absolute of z

(** val at_ : coordinate -> z -> z -> z **)

let at_ c parameter size =
  match c with
  | Offset k -> Z.add parameter k
  | Minimum -> Zpos XH
  | Maximum -> size
  | Absolute value0 -> value0

type content =
| Open
| IsBlack
| IsWhite

type part = { negated : bool; what : content; px : coordinate; py : coordinate }

type action = { precondition : part list; effect : part list }

type bddl = { width : z; height : z; init : ((content * z) * z) list;
              depth : nat; black_first : bool; black_actions : action list;
              white_actions : action list; black_conditions : part list list;
              white_conditions : part list list }

(** val binary : positive -> name -> name **)

let rec binary p rest =
  match p with
  | XI p0 -> D1 (binary p0 rest)
  | XO p0 -> D0 (binary p0 rest)
  | XH -> D2 rest

(** val square : z -> z -> name **)

let square x y =
  binary (Z.to_pos x) (binary (Z.to_pos y) End)

(** val atom : content -> z -> z -> name **)

let atom c x y =
  match c with
  | Open -> D0 (square x y)
  | IsBlack -> D1 (square x y)
  | IsWhite -> D2 (square x y)

(** val count_up : nat -> z -> z list **)

let rec count_up n k =
  match n with
  | O -> []
  | S n0 -> k :: (count_up n0 (Z.add k (Zpos XH)))

(** val axis : z -> z list **)

let axis size =
  count_up (Z.to_nat size) (Zpos XH)

(** val on_axis : z -> z -> bool **)

let on_axis size v =
  (&&) (Z.leb (Zpos XH) v) (Z.leb v size)

(** val positions : bddl -> part list -> (z * z) list **)

let positions b ps =
  filter (fun xy ->
    forallb (fun p ->
      (&&) (on_axis b.width (at_ p.px (fst xy) b.width))
        (on_axis b.height (at_ p.py (snd xy) b.height))) ps)
    (flat_map (fun x -> map (fun x0 -> (x, x0)) (axis b.height))
      (axis b.width))

(** val atom_of : bddl -> (z * z) -> part -> name **)

let atom_of b xy p =
  atom p.what (at_ p.px (fst xy) b.width) (at_ p.py (snd xy) b.height)

(** val literal : bddl -> (z * z) -> part -> lit **)

let literal b xy p =
  if p.negated then N (atom_of b xy p) else P (atom_of b xy p)

(** val put : bddl -> (z * z) -> part -> lit list **)

let put b xy p =
  let x = at_ p.px (fst xy) b.width in
  let y = at_ p.py (snd xy) b.height in
  (match p.what with
   | Open ->
     (P (atom Open x y)) :: ((N (atom IsBlack x y)) :: ((N
       (atom IsWhite x y)) :: []))
   | IsBlack ->
     (N (atom Open x y)) :: ((P (atom IsBlack x y)) :: ((N
       (atom IsWhite x y)) :: []))
   | IsWhite ->
     (N (atom Open x y)) :: ((N (atom IsBlack x y)) :: ((P
       (atom IsWhite x y)) :: [])))

(** val possible : lit list -> bool **)

let possible ls =
  forallb (fun l -> negb (existsb (same (neg l)) ls)) ls

(** val moves_of : bddl -> action -> move list **)

let moves_of b a =
  if existsb (fun p -> p.negated) a.effect
  then []
  else flat_map (fun xy ->
         let ls = flat_map (put b xy) a.effect in
         if possible ls
         then { needs = (map (literal b xy) a.precondition); effects =
                ls } :: []
         else []) (positions b (app a.precondition a.effect))

(** val conditions_of : bddl -> part list -> condition list **)

let conditions_of b c =
  map (fun xy -> map (literal b xy) c) (positions b c)

(** val content_of : ((content * z) * z) list -> z -> z -> content **)

let rec content_of ps x y =
  match ps with
  | [] -> Open
  | p :: ps0 ->
    let (p0, y') = p in
    let (c, x') = p0 in
    if (&&) (Z.eqb x x') (Z.eqb y y') then c else content_of ps0 x y

(** val alternate : player -> nat -> player list **)

let rec alternate p = function
| O -> []
| S n0 -> p :: (alternate (match p with
                           | Black -> White
                           | White -> Black) n0)

(** val bddl_game : bddl -> game **)

let bddl_game b =
  { start =
    (flat_map (fun x ->
      map (fun y -> atom (content_of b.init x y) x y) (axis b.height))
      (axis b.width)); turns =
    (if b.black_first
     then alternate Black b.depth
     else alternate White (pred b.depth)); black_moves =
    (flat_map (moves_of b) b.black_actions); white_moves =
    (flat_map (moves_of b) b.white_actions); black_goals =
    (flat_map (conditions_of b) b.black_conditions); white_goals =
    (flat_map (conditions_of b) b.white_conditions); black_network = None;
    goals_at_start = false; stuck_loses = true }

type value =
| C of bool
| L of lit

type acc = name * gate list

type 'a m = acc -> 'a * acc

(** val ret : 'a1 -> 'a1 m **)

let ret x a =
  (x, a)

(** val bind0 : 'a1 m -> ('a1 -> 'a2 m) -> 'a2 m **)

let bind0 m0 k a =
  let (x, a0) = m0 a in k x a0

(** val succ0 : name -> name **)

let rec succ0 = function
| End -> D1 End
| D0 n0 -> D1 n0
| D1 n0 -> D2 n0
| D2 n0 -> D3 n0
| D3 n0 -> D4 n0
| D4 n0 -> D5 n0
| D5 n0 -> D6 n0
| D6 n0 -> D7 n0
| D7 n0 -> D0 (succ0 n0)

(** val make : kind -> lit list -> value m **)

let make k ls = function
| (n, gs) ->
  ((L (P n)), ((succ0 n), ({ gout = n; gkind = k; gins = ls } :: gs)))

(** val vneg : value -> value **)

let vneg = function
| C b -> C (negb b)
| L l -> L (neg l)

(** val plain : bool -> value list -> lit list option **)

let rec plain u = function
| [] -> Some []
| v :: vs0 ->
  (match v with
   | C b -> if eqb b u then plain u vs0 else None
   | L l -> option_map (fun x -> l :: x) (plain u vs0))

(** val junction : bool -> value list -> value m **)

let junction u vs =
  match plain u vs with
  | Some ls ->
    (match ls with
     | [] -> ret (C u)
     | l :: l0 ->
       (match l0 with
        | [] -> ret (L l)
        | _ :: _ -> make (if u then And else Or) ls))
  | None -> ret (C (negb u))

(** val conj : value list -> value m **)

let conj =
  junction true

(** val disj : value list -> value m **)

let disj =
  junction false

(** val every : ('a1 -> 'a2 m) -> 'a1 list -> 'a2 list m **)

let rec every f = function
| [] -> ret []
| x :: xs0 ->
  bind0 (f x) (fun y -> bind0 (every f xs0) (fun ys -> ret (y :: ys)))

type symbolic = value trie

(** val val0 : symbolic -> name -> value **)

let val0 s x =
  match find x s with
  | Some v -> v
  | None -> C false

(** val lval : symbolic -> lit -> value **)

let lval s = function
| P x -> val0 s x
| N x -> vneg (val0 s x)

(** val holdsM : symbolic -> condition -> value m **)

let holdsM s c =
  conj (map (lval s) c)

(** val firstM : value -> name list -> value list m **)

let rec firstM seen = function
| [] -> ret []
| b :: bits0 ->
  bind0 (conj ((L (P b)) :: ((vneg seen) :: []))) (fun c ->
    bind0 (disj (seen :: ((L (P b)) :: []))) (fun seen0 ->
      bind0 (firstM seen0 bits0) (fun cs -> ret (c :: cs))))

(** val select : ('a1 -> bool) -> 'a1 list -> 'a2 list -> 'a2 list **)

let rec select f xs ys =
  match xs with
  | [] -> []
  | x :: xs0 ->
    (match ys with
     | [] -> []
     | y :: ys0 -> if f x then y :: (select f xs0 ys0) else select f xs0 ys0)

(** val touched : move list -> unit trie -> name list -> name list **)

let rec touched ms t xs =
  match ms with
  | [] -> xs
  | m0 :: ms0 ->
    let (t0, xs0) =
      fold_left (fun txs l ->
        if mem (var l) (fst txs)
        then txs
        else ((add0 (var l) () (fst txs)), ((var l) :: (snd txs))))
        m0.effects (t, xs)
    in
    touched ms0 t0 xs0

(** val afterM :
    move list -> value list -> symbolic -> name list -> symbolic -> symbolic m **)

let rec afterM ms cs s xs new0 =
  match xs with
  | [] -> ret new0
  | x :: xs0 ->
    bind0 (disj (select (puts (N x)) ms cs)) (fun off ->
      bind0 (conj ((val0 s x) :: ((vneg off) :: []))) (fun kept ->
        bind0 (disj (kept :: (select (puts (P x)) ms cs))) (fun now ->
          afterM ms cs s xs0 (add0 x now new0))))

(** val passableM : network -> symbolic -> name -> value **)

let passableM n s x =
  if n.cut then vneg (val0 s x) else val0 s x

(** val stepsM : network -> symbolic -> nat -> symbolic m **)

let rec stepsM n s = function
| O ->
  ret
    (fold_left (fun r x ->
      add0 x (if is_in x n.source then passableM n s x else C false) r)
      (map fst n.cells) Empty)
| S k0 ->
  bind0 (stepsM n s k0) (fun r ->
    bind0
      (every (fun x ->
        bind0 (disj ((val0 r x) :: (map (val0 r) (neighbours n.cells x))))
          (fun near ->
          bind0 (conj ((passableM n s x) :: (near :: []))) (fun v ->
            ret (x, v)))) (map fst n.cells)) (fun vs ->
      ret (fold_left (fun r0 xv -> add0 (fst xv) (snd xv) r0) vs Empty)))

(** val reachedM : game -> player -> symbolic -> value m **)

let reachedM g p s =
  match p with
  | Black ->
    (match g.black_network with
     | Some n ->
       bind0 (stepsM n s (length n.cells)) (fun r ->
         bind0 (disj ((C n.joined) :: (map (val0 r) n.target))) (fun c ->
           ret (if n.cut then vneg c else c)))
     | None -> bind0 (every (holdsM s) g.black_goals) disj)
  | White -> bind0 (every (holdsM s) g.white_goals) disj

(** val fresh : nat -> name -> name list * name **)

let rec fresh k n =
  match k with
  | O -> ([], n)
  | S k0 -> let (ns, m0) = fresh k0 (succ0 n) in ((n :: ns), m0)

(** val blocks_of : game -> player list -> name -> name list list * name **)

let rec blocks_of g ps n =
  match ps with
  | [] -> ([], n)
  | p :: ps0 ->
    let (b, n0) = fresh (length (moves g p)) n in
    let (bs, n1) = blocks_of g ps0 n0 in ((b :: bs), n1)

(** val quant_of : player -> quant **)

let quant_of = function
| Black -> Ex
| White -> All

(** val prefix_of : player list -> name list list -> prefix **)

let rec prefix_of ps bs =
  match ps with
  | [] -> []
  | p :: ps0 ->
    (match bs with
     | [] -> []
     | b :: bs0 ->
       app (map (fun x -> ((quant_of p), x)) b) (prefix_of ps0 bs0))

(** val playM :
    game -> (player -> name list) -> player list -> name list list ->
    symbolic -> value m **)

let rec playM g xs ps bs s =
  match ps with
  | [] -> ret (C false)
  | p :: ps0 ->
    (match bs with
     | [] -> ret (C false)
     | b :: bs0 ->
       bind0 (firstM (C false) b) (fun cs ->
         bind0 (every (fun m0 -> holdsM s m0.needs) (moves g p))
           (fun legal ->
           bind0
             (every (fun cl -> conj ((fst cl) :: ((snd cl) :: [])))
               (combine cs legal)) (fun made ->
             bind0 (disj made) (fun moved ->
               bind0 (afterM (moves g p) cs s (xs p) s) (fun s' ->
                 bind0 (reachedM g p s') (fun goal ->
                   bind0 (playM g xs ps0 bs0 s') (fun rest ->
                     match p with
                     | Black ->
                       bind0 (disj (goal :: (rest :: []))) (fun won ->
                         conj (moved :: (won :: [])))
                     | White ->
                       bind0 (conj ((vneg goal) :: (rest :: []))) (fun on ->
                         bind0 (disj ((vneg moved) :: (on :: [])))
                           (fun open0 ->
                           bind0 (disj ((C g.stuck_loses) :: legal))
                             (fun any -> conj (any :: (open0 :: [])))))))))))))

(** val firstS : game -> symbolic **)

let firstS g =
  fold_left (fun s x -> add0 x (C true) s) g.start Empty

(** val unrolled : game -> qcir **)

let unrolled g =
  let (bs, n) = blocks_of g g.turns (D1 End) in
  let b = touched g.black_moves Empty [] in
  let w = touched g.white_moves Empty [] in
  let xs = fun p -> match p with
                    | Black -> b
                    | White -> w in
  let m0 =
    bind0
      (if g.goals_at_start then reachedM g Black (firstS g) else ret (C false))
      (fun black ->
      bind0
        (if g.goals_at_start
         then reachedM g White (firstS g)
         else ret (C false)) (fun white ->
        bind0 (playM g xs g.turns bs (firstS g)) (fun play ->
          bind0 (conj ((vneg white) :: (play :: []))) (fun lost ->
            disj (black :: (lost :: []))))))
  in
  let (v, a) = m0 (n, []) in
  let (n0, gs) = a in
  (match v with
   | C b0 ->
     { pre = (prefix_of g.turns bs); gates =
       (rev_append ({ gout = n0; gkind = (if b0 then And else Or); gins =
         [] } :: gs) []); out = (P n0) }
   | L l ->
     { pre = (prefix_of g.turns bs); gates = (rev_append gs []); out = l })

(** val check_game :
    'a1 supply -> quant -> game -> certificate -> nat -> 'a1 -> bool **)

let check_game from w g c fuel s =
  check from w (unrolled g) c fuel s
