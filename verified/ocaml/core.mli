
val negb : bool -> bool

type nat =
| O
| S of nat

val fst : ('a1 * 'a2) -> 'a1

val snd : ('a1 * 'a2) -> 'a2

type comparison =
| Eq
| Lt
| Gt

val eqb : bool -> bool -> bool

val rev_append : 'a1 list -> 'a1 list -> 'a1 list

val map : ('a1 -> 'a2) -> 'a1 list -> 'a2 list

val fold_left : ('a1 -> 'a2 -> 'a1) -> 'a2 list -> 'a1 -> 'a1

val forallb : ('a1 -> bool) -> 'a1 list -> bool

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

val name_eqb : name -> name -> bool

type lit =
| P of name
| N of name

val var : lit -> name

val sign : lit -> bool

val neg : lit -> lit

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

module Pos :
 sig
  val succ : positive -> positive

  val compare_cont : comparison -> positive -> positive -> comparison

  val compare : positive -> positive -> comparison

  val leb : positive -> positive -> bool

  val ltb : positive -> positive -> bool
 end

type 'a trie =
| Empty
| Leaf of name * 'a
| Node of 'a option * 'a trie * 'a trie * 'a trie * 'a trie * 'a trie
   * 'a trie * 'a trie * 'a trie

val find : name -> 'a1 trie -> 'a1 option

val mem : name -> 'a1 trie -> bool

val opened : 'a1 trie -> 'a1 trie

val alone : name -> 'a1 trie -> bool

val add : name -> 'a1 -> 'a1 trie -> 'a1 trie

val quant_eqb : quant -> quant -> bool

val index :
  quant -> prefix -> positive -> positive trie -> positive trie -> (positive
  trie * positive trie) option

val join : positive trie -> lit list -> positive -> positive option

val scan :
  (name -> bool) -> gate list -> positive trie -> positive trie option

type func = lit option

val funs_ok :
  positive trie -> positive trie -> positive trie -> (name * func) list ->
  func trie -> func trie option

val each : ('a1 -> 'a2) -> 'a1 list -> 'a2 list -> 'a2 list

val tseitin : gate -> clause list

val tie : name -> func -> clause list

type step =
| Step of name * clause * name list

type 's supply = { place_of : (clause -> 's -> name option * 's);
                   next_step : ('s -> (step * 's) option) }

type places = clause trie

type partial = bool trie

val assume : partial -> lit -> partial

val falsified : partial -> lit -> bool

val lit_eqb : lit -> lit -> bool

type state =
| Conflict
| Unit of lit
| Other

val under : partial -> clause -> lit option -> state

val rup : places -> partial -> name list -> bool

val deny : clause -> partial -> partial

val refutes : 'a1 supply -> nat -> 'a1 -> places -> bool

val load1 : 'a1 supply -> ('a1 * places) -> clause -> 'a1 * places

val load : 'a1 supply -> clause list -> ('a1 * places) -> 'a1 * places

val load_gates : 'a1 supply -> gate list -> ('a1 * places) -> 'a1 * places

val load_funs :
  'a1 supply -> (name * func) list -> ('a1 * places) -> 'a1 * places

type certificate = { cgates : gate list; cfuns : (name * func) list }

val final : quant -> lit -> lit

val loses : 'a1 supply -> quant -> qcir -> certificate -> nat -> 'a1 -> bool

val check : 'a1 supply -> quant -> qcir -> certificate -> nat -> 'a1 -> bool

val clause_gates :
  clause list -> name list -> gate list -> lit list -> ((gate list * lit
  list) * name list) option

val circuit_of : prefix -> clause list -> name list -> qcir option

val closed : positive trie -> clause list -> bool

val check_qdimacs :
  'a1 supply -> quant -> qdimacs -> name list -> certificate -> nat -> 'a1 ->
  bool

val readable : gate list -> unit trie -> unit trie

val marks : name list -> unit trie

val sets_ok :
  positive trie -> gate list -> (name * name list) list -> (name * func) list
  -> bool

val universals : name list -> positive trie -> positive trie option

val check_dqdimacs :
  'a1 supply -> name list -> dqdimacs -> name list -> certificate -> nat ->
  'a1 -> bool
