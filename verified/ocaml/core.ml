
(** val negb : bool -> bool **)

let negb = function
| true -> false
| false -> true

type nat =
| O
| S of nat

(** val fst : ('a1 * 'a2) -> 'a1 **)

let fst = function
| (x, _) -> x

(** val snd : ('a1 * 'a2) -> 'a2 **)

let snd = function
| (_, y) -> y

type comparison =
| Eq
| Lt
| Gt

(** val eqb : bool -> bool -> bool **)

let eqb b1 b2 =
  if b1 then b2 else if b2 then false else true

(** val rev_append : 'a1 list -> 'a1 list -> 'a1 list **)

let rec rev_append l l' =
  match l with
  | [] -> l'
  | a :: l0 -> rev_append l0 (a :: l')

(** val map : ('a1 -> 'a2) -> 'a1 list -> 'a2 list **)

let rec map f = function
| [] -> []
| a :: t -> (f a) :: (map f t)

(** val fold_left : ('a1 -> 'a2 -> 'a1) -> 'a2 list -> 'a1 -> 'a1 **)

let rec fold_left f l a0 =
  match l with
  | [] -> a0
  | b :: t -> fold_left f t (f a0 b)

(** val forallb : ('a1 -> bool) -> 'a1 list -> bool **)

let rec forallb f = function
| [] -> true
| a :: l0 -> (&&) (f a) (forallb f l0)

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

type clause = lit list

type qdimacs = { qpre : prefix; qclauses : clause list }

type dqdimacs = { deps : (name * name list) list; dclauses : clause list }

type positive =
| XI of positive
| XO of positive
| XH

module Pos =
 struct
  (** val succ : positive -> positive **)

  let rec succ = function
  | XI p -> XO (succ p)
  | XO p -> XI p
  | XH -> XO XH

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

(** val add : name -> 'a1 -> 'a1 trie -> 'a1 trie **)

let rec add k x t =
  if alone k t
  then Leaf (k, x)
  else (match opened t with
        | Node (a, c0, c1, c2, c3, c4, c5, c6, c7) ->
          (match k with
           | End -> Node ((Some x), c0, c1, c2, c3, c4, c5, c6, c7)
           | D0 k0 -> Node (a, (add k0 x c0), c1, c2, c3, c4, c5, c6, c7)
           | D1 k0 -> Node (a, c0, (add k0 x c1), c2, c3, c4, c5, c6, c7)
           | D2 k0 -> Node (a, c0, c1, (add k0 x c2), c3, c4, c5, c6, c7)
           | D3 k0 -> Node (a, c0, c1, c2, (add k0 x c3), c4, c5, c6, c7)
           | D4 k0 -> Node (a, c0, c1, c2, c3, (add k0 x c4), c5, c6, c7)
           | D5 k0 -> Node (a, c0, c1, c2, c3, c4, (add k0 x c5), c6, c7)
           | D6 k0 -> Node (a, c0, c1, c2, c3, c4, c5, (add k0 x c6), c7)
           | D7 k0 -> Node (a, c0, c1, c2, c3, c4, c5, c6, (add k0 x c7)))
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
    else index w p1 (Pos.succ i) (add v i a)
           (if quant_eqb q w then u else add v i u)

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
       else scan bad gs0 (add g.gout k l)
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
             then funs_ok a u l fs0 (add x f0 f)
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

type step =
| Step of name * clause * name list

type 's supply = { place_of : (clause -> 's -> name option * 's);
                   next_step : ('s -> (step * 's) option) }

type places = clause trie

type partial = bool trie

(** val assume : partial -> lit -> partial **)

let assume a l =
  add (var l) (sign l) a

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

(** val refutes : 'a1 supply -> nat -> 'a1 -> places -> bool **)

let rec refutes from fuel s d =
  match fuel with
  | O -> false
  | S fuel0 ->
    (match from.next_step s with
     | Some p ->
       let (s0, s1) = p in
       let Step (i, c, hints) = s0 in
       if rup d (deny c Empty) hints
       then (match c with
             | [] -> true
             | _ :: _ -> refutes from fuel0 s1 (add i c d))
       else false
     | None -> false)

(** val load1 : 'a1 supply -> ('a1 * places) -> clause -> 'a1 * places **)

let load1 from sd c =
  let (o, s) = from.place_of c (fst sd) in
  (match o with
   | Some i -> (s, (add i c (snd sd)))
   | None -> (s, (snd sd)))

(** val load : 'a1 supply -> clause list -> ('a1 * places) -> 'a1 * places **)

let load from cs sd =
  fold_left (load1 from) cs sd

(** val load_gates :
    'a1 supply -> gate list -> ('a1 * places) -> 'a1 * places **)

let load_gates from gs sd =
  fold_left (fun sd0 g -> load from (tseitin g) sd0) gs sd

(** val load_funs :
    'a1 supply -> (name * func) list -> ('a1 * places) -> 'a1 * places **)

let load_funs from fs sd =
  fold_left (fun sd0 xf -> load from (tie (fst xf) (snd xf)) sd0) fs sd

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
  let sd2 = load from (((final w q.out) :: []) :: []) sd1 in
  refutes from fuel (fst sd2) (snd sd2)

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
     | m :: _ ->
       Some { pre = p; gates =
         (rev_append gs ({ gout = m; gkind = And; gins =
           (rev_append js []) } :: [])); out = (P m) })
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
      (if forallb (fun l -> mem (var l) d) g.gins then add g.gout () d else d)

(** val marks : name list -> unit trie **)

let marks xs =
  fold_left (fun d x -> add x () d) xs Empty

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
         ((&&) ((&&) (name_eqb x y) (forallb (fun z -> mem z u) d))
           (match f with
            | Some l -> mem (var l) (readable gs (marks d))
            | None -> true)) (sets_ok u gs ds0 fs0))

(** val universals : name list -> positive trie -> positive trie option **)

let rec universals us a =
  match us with
  | [] -> Some a
  | u :: us0 -> if mem u a then None else universals us0 (add u XH a)

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
