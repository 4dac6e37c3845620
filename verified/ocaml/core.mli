
val negb : bool -> bool

type nat =
| O
| S of nat

val option_map : ('a1 -> 'a2) -> 'a1 option -> 'a2 option

val fst : ('a1 * 'a2) -> 'a1

val snd : ('a1 * 'a2) -> 'a2

val length : 'a1 list -> nat

val app : 'a1 list -> 'a1 list -> 'a1 list

type comparison =
| Eq
| Lt
| Gt

val compOpp : comparison -> comparison

val pred : nat -> nat

val add : nat -> nat -> nat

val eqb : bool -> bool -> bool

val nth_error : 'a1 list -> nat -> 'a1 option

val rev_append : 'a1 list -> 'a1 list -> 'a1 list

val map : ('a1 -> 'a2) -> 'a1 list -> 'a2 list

val flat_map : ('a1 -> 'a2 list) -> 'a1 list -> 'a2 list

val fold_left : ('a1 -> 'a2 -> 'a1) -> 'a2 list -> 'a1 -> 'a1

val existsb : ('a1 -> bool) -> 'a1 list -> bool

val forallb : ('a1 -> bool) -> 'a1 list -> bool

val filter : ('a1 -> bool) -> 'a1 list -> 'a1 list

val combine : 'a1 list -> 'a2 list -> ('a1 * 'a2) list

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

module Pos :
 sig
  val succ : positive -> positive

  val add : positive -> positive -> positive

  val add_carry : positive -> positive -> positive

  val pred_double : positive -> positive

  val compare_cont : comparison -> positive -> positive -> comparison

  val compare : positive -> positive -> comparison

  val eqb : positive -> positive -> bool

  val leb : positive -> positive -> bool

  val ltb : positive -> positive -> bool

  val iter_op : ('a1 -> 'a1 -> 'a1) -> positive -> 'a1 -> 'a1

  val to_nat : positive -> nat
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

val add0 : name -> 'a1 -> 'a1 trie -> 'a1 trie

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

type definition =
| DGate of gate
| DFun of name * func

val clauses_of : definition -> clause list

type definitions = definition trie

type step =
| Step of name * clause * name list
| Take of name * name * nat

type 's supply = { place_of : (name -> clause -> 's -> name option * 's);
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

val refutes : 'a1 supply -> definitions -> nat -> 'a1 -> places -> bool

val load1 : 'a1 supply -> name -> ('a1 * places) -> clause -> 'a1 * places

val load : 'a1 supply -> name -> clause list -> ('a1 * places) -> 'a1 * places

val load_gates : 'a1 supply -> gate list -> ('a1 * places) -> 'a1 * places

val load_funs :
  'a1 supply -> (name * func) list -> ('a1 * places) -> 'a1 * places

val define_gates : gate list -> definitions -> definitions

val define_funs : (name * func) list -> definitions -> definitions

type certificate = { cgates : gate list; cfuns : (name * func) list }

val final : quant -> lit -> lit

val loses : 'a1 supply -> quant -> qcir -> certificate -> nat -> 'a1 -> bool

val check : 'a1 supply -> quant -> qcir -> certificate -> nat -> 'a1 -> bool

val check_clauses : 'a1 supply -> clause list -> nat -> 'a1 -> bool

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

module Z :
 sig
  val double : z -> z

  val succ_double : z -> z

  val pred_double : z -> z

  val pos_sub : positive -> positive -> z

  val add : z -> z -> z

  val compare : z -> z -> comparison

  val leb : z -> z -> bool

  val eqb : z -> z -> bool

  val to_nat : z -> nat

  val to_pos : z -> positive
 end

type env = (name * name) list

val envf : env -> name -> name

type use = { uid : name; ugate : name; uenv : env; upol : bool option;
             ucopy : lit; ukids : name list; ubound : name list }

type uses = { fixed : name list; local : name list;
              freely : (name * name list) list; used : use list; root : 
              name }

val inlist : name -> name list -> bool

type known = (name list * ngate) trie

val nname : ngate -> name

val covers : unit trie -> unit trie -> known -> name list -> lit -> bool

val covered : unit trie -> unit trie -> known -> name list -> ngate -> bool

val tab :
  unit trie -> unit trie -> name list trie -> ngate list -> known -> known
  option

type places_of_names = (quant * positive) trie

val place : prefix -> positive -> places_of_names -> places_of_names option

val turned : bool option -> lit -> bool option

val same_sign : lit -> lit -> lit

val pol_ok : bool option -> bool option -> bool

val flip : quant -> quant

type stage = { senv : env; sname : name; srest : prefix; sbody : lit;
               spol : bool }

val env_ok : unit trie -> env -> bool

val resolve :
  known -> positive trie -> use trie -> env -> bool option -> name -> lit ->
  lit option

val resolve_all :
  known -> positive trie -> use trie -> env -> bool option -> name list ->
  lit list -> lit list option

val lits_eqb : lit list -> lit list -> bool

val kind_eqb : kind -> kind -> bool

val is_gate : gate trie -> lit -> kind -> lit list -> bool

val two : gate trie -> lit -> lit -> lit -> lit -> lit -> bool

val check_plain :
  known -> positive trie -> gate trie -> use trie -> use -> gate -> bool

val reads : known -> lit -> name list

val left_ok :
  known -> places_of_names -> env -> lit -> name list -> positive -> bool

val bind :
  unit trie -> known -> places_of_names -> bool -> lit -> prefix -> name list
  -> env -> stage trie -> (env * stage trie) option

val check_use :
  unit trie -> known -> positive trie -> places_of_names -> gate trie -> use
  trie -> stage trie -> use -> stage trie option

val check_uses :
  unit trie -> known -> positive trie -> places_of_names -> gate trie -> use
  list -> use trie -> stage trie -> (use trie * stage trie) option

val strip : prefix -> prefix -> prefix option

val gate_table : gate list -> gate trie

val check_prenex : nested -> qcir -> uses -> bool

val flips : prefix -> prefix

val nested_dual : nested -> nested

val qcir_dual : qcir -> qcir

val check_nested :
  'a1 supply -> quant -> nested -> qcir -> uses -> certificate -> nat -> 'a1
  -> bool

type player =
| Black
| White

type condition = lit list

type move = { needs : condition; effects : lit list }

val same : lit -> lit -> bool

val puts : lit -> move -> bool

type network = { cells : (name * name list) list; source : name list;
                 target : name list; joined : bool; cut : bool }

val is_in : name -> name list -> bool

val neighbours : (name * name list) list -> name -> name list

type game = { start : name list; turns : player list;
              black_moves : move list; white_moves : move list;
              black_goals : condition list; white_goals : condition list;
              black_network : network option; goals_at_start : bool;
              stuck_loses : bool }

val moves : game -> player -> move list

type positional = { board : name list; order : player list;
                    black_stones : name list; white_stones : name list;
                    black_sets : name list list; white_sets : name list list;
                    hex : network option }

val claims : (name -> name) -> name list -> move list

val sets_of : (name -> name) -> name list list -> condition list

val of_black : network -> network

val positional_game : positional -> game

type coordinate =
| Offset of z
| Minimum
| Maximum
| Absolute of z

val at_ : coordinate -> z -> z -> z

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

val binary : positive -> name -> name

val square : z -> z -> name

val atom : content -> z -> z -> name

val count_up : nat -> z -> z list

val axis : z -> z list

val on_axis : z -> z -> bool

val positions : bddl -> part list -> (z * z) list

val atom_of : bddl -> (z * z) -> part -> name

val literal : bddl -> (z * z) -> part -> lit

val put : bddl -> (z * z) -> part -> lit list

val possible : lit list -> bool

val moves_of : bddl -> action -> move list

val conditions_of : bddl -> part list -> condition list

val content_of : ((content * z) * z) list -> z -> z -> content

val alternate : player -> nat -> player list

val bddl_game : bddl -> game

type value =
| C of bool
| L of lit

type acc = name * gate list

type 'a m = acc -> 'a * acc

val ret : 'a1 -> 'a1 m

val bind0 : 'a1 m -> ('a1 -> 'a2 m) -> 'a2 m

val succ0 : name -> name

val make : kind -> lit list -> value m

val vneg : value -> value

val plain : bool -> value list -> lit list option

val junction : bool -> value list -> value m

val conj : value list -> value m

val disj : value list -> value m

val every : ('a1 -> 'a2 m) -> 'a1 list -> 'a2 list m

type symbolic = value trie

val val0 : symbolic -> name -> value

val lval : symbolic -> lit -> value

val holdsM : symbolic -> condition -> value m

val firstM : value -> name list -> value list m

val select : ('a1 -> bool) -> 'a1 list -> 'a2 list -> 'a2 list

val touched : move list -> unit trie -> name list -> name list

val afterM :
  move list -> value list -> symbolic -> name list -> symbolic -> symbolic m

val passableM : network -> symbolic -> name -> value

val stepsM : network -> symbolic -> nat -> symbolic m

val reachedM : game -> player -> symbolic -> value m

val fresh : nat -> name -> name list * name

val blocks_of : game -> player list -> name -> name list list * name

val quant_of : player -> quant

val prefix_of : player list -> name list list -> prefix

val playM :
  game -> (player -> name list) -> player list -> name list list -> symbolic
  -> value m

val firstS : game -> symbolic

val unrolled : game -> qcir

val check_game :
  'a1 supply -> quant -> game -> certificate -> nat -> 'a1 -> bool
