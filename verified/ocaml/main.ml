(* qsage-verified: the checker that is extracted from Coq, with readers around it. *)
open Core

let version = "2"
let usage = {|usage: qsage-verified FORMULA CERTIFICATE PROOF [--herbrand]
       qsage-verified CLAUSES.cnf PROOF
       qsage-verified GAME.pg CERTIFICATE PROOF [--herbrand]
       qsage-verified DOMAIN.bddl PROBLEM.bddl CERTIFICATE PROOF [--herbrand]
FORMULA is QCIR, QDIMACS or DQDIMACS, told apart by their first words; the certificate is AIGER, the
proof LRAT.
--prenex PRENEX.qcir USES behind FORMULA: for a formula with quantifier gates, a prenex form and
what its literals stand for; certificate and proof are those of the prenex form.
In the place of PROOF: --cnf FILE writes the clauses that the proof has to refute, and
--theorem FILE PROOF [--name NAME] writes the theorem for Coq.
       qsage-verified GAME.pg | DOMAIN.bddl PROBLEM.bddl --qcir FILE writes the unrolling of the game.
Exit code 0: proved, 1: not proved, 2: bad input, 3: too little memory, 70: a fault of this program.|}

let fail code fmt = Printf.ksprintf (fun s -> prerr_endline ("qsage-verified: " ^ s); exit code) fmt

let stem file = Filename.remove_extension (Filename.basename file)

type problem = {
  circuit : qcir Lazy.t; last : int; own_functions : bool;
  verdict : certificate -> unit supply -> bool;
  number : string -> int option; quantifier : int -> quant option; prefix : prefix;
  subject : Write.subject Lazy.t; title : string }

let formula ?prenex file own =
  let text = Read.contents file in
  let dimacs = Text.token (Text.tokens ~lines:true file text "(" 'c') = "p" in
  let r = if dimacs then Read.dimacs file text else Read.qcir ?prenex ~own file text in
  let clauses p cs ns = match circuit_of p cs ns with Some q -> q | None -> fail 70 "no circuit" in
  let prefix, circuit, in_order, subject = match r.formula with
    | Circuit (blocks, gates, out) ->
      let pre = Text.prefix blocks in
      pre, lazy { pre; gates; out }, false, lazy (Write.Formula { pre; gates; out })
    | Nested (blocks, gates, out, f, uses) ->
      let q = { npre = Text.prefix blocks; ngates = gates; nout = out } in
      f.pre, lazy f, false, lazy (Write.Nested_formula (q, f, uses))
    | Clauses (blocks, free, cs, ns) ->
      let pre = List.map (fun v -> Ex, v) free
                @ List.concat_map (fun (q, vs) -> List.map (fun v -> q, v) vs) blocks in
      pre, lazy (clauses pre cs ns), false, lazy (Write.Cnf_formula ({ qpre = pre; qclauses = cs }, ns))
    | Sets (sets, cs, ns) ->
      let us = List.concat_map (function Text.Universal vs -> vs | _ -> []) sets in
      List.map (fun (x, _) -> Ex, x) (Text.sets_of [] sets), lazy (clauses [] cs ns), true,
      lazy (Write.Dqbf (us, { deps = Text.sets_of [] sets; dclauses = cs }, ns)) in
  { circuit; last = r.last; own_functions = in_order; number = r.number;
    quantifier = r.quantifier; prefix; subject;
    title = Write.title_of (if own = Ex then "true" else "false") (stem file);
    verdict = (fun c from -> Verdict.formula file text r.formula c own from) }

let game files own =
  let texts = List.map (fun f -> f, Read.contents f) files in
  let read = match texts with
    | [f, text] -> Verdict.Pg (Read_game.pg f text)
    | [d, domain; p, problem] ->
      let b, black, white = Read_game.bddl d domain p problem in Verdict.Grid (b, black, white)
    | _ -> fail 2 "%s" usage in
  let g = Verdict.game_of texts read in
  let q = unrolled g in
  let number s = match int_of_string_opt s with Some n when n > 0 -> Some n | _ -> None in
  let last = List.fold_left (fun m g -> max m (Read.decimal g.gout)) 0 q.gates in
  let last = List.fold_left (fun m (_, v) -> max m (Read.decimal v)) last q.pre in
  let table = Hashtbl.create 1000 in
  List.iter (fun (k, v) -> Hashtbl.replace table (Read.decimal v) k) q.pre;
  let subject = lazy (match read with
      | Verdict.Pg sections -> Write.Board (Game_text.positional sections)
      | Verdict.Grid (b, _, _) -> Write.Grid b) in
  let title = Write.title_of (if own = Ex then "black_wins" else "black_does_not_win") (stem (List.nth files (List.length files - 1))) in
  { circuit = lazy q; last; subject; title; own_functions = false; number; quantifier = Hashtbl.find_opt table;
    prefix = q.pre; verdict = (fun c from -> Verdict.game texts g c own from) }, g

let () =
  Gc.set { (Gc.get ()) with minor_heap_size = 1 lsl 20; space_overhead = 40 };
  try
    let args = List.tl (Array.to_list Sys.argv) in
    if args = ["--version"] then (print_endline ("qsage-verified " ^ version); exit 0);
    if args = ["--help"] || args = [] then (print_endline usage; exit (if args = [] then 2 else 0));
    let own = if List.mem "--herbrand" args then All else Ex in
    let args = List.filter (( <> ) "--herbrand") args in
    let is = Filename.check_suffix in
    (match args with
     | [f; proof] when is f ".cnf" ->
       let cs = Read.clauses f (Read.contents f) in
       let plan = Read.plan proof in
       if Verdict.cnf f cs (Read.supply proof plan) then exit 0;
       print_endline "NOT PROVED"; exit 1
     | _ -> ());
    let p, rest = match args with
      | f :: "--qcir" :: [file] when is f ".pg" -> Write.qcir file (unrolled (snd (game [f] own))); exit 0
      | d :: f :: "--qcir" :: [file] -> Write.qcir file (unrolled (snd (game [d; f] own))); exit 0
      | f :: rest when is f ".pg" -> fst (game [f] own), rest
      | d :: f :: rest when is d ".bddl" -> fst (game [d; f] own), rest
      | f :: "--prenex" :: form :: uses :: rest -> formula ~prenex:(form, uses) f own, rest
      | f :: rest -> formula f own, rest
      | [] -> fail 2 "%s" usage in
    let cert, rest = match rest with c :: rest -> c, rest | [] -> fail 2 "%s" usage in
    let gates, functions, last =
      Read.aiger cert ~last:p.last ~number:p.number ~quantifier:p.quantifier ~own in
    let have = Hashtbl.create 1000 in
    List.iter (fun (v, l) -> Hashtbl.replace have (Read.name v) l) functions;
    let mine = List.filter_map (fun (q, v) -> if q = own then Some v else None) p.prefix in
    let cfuns =
      if p.own_functions then List.map (fun v -> v, Hashtbl.find_opt have v) mine
      else List.map (fun (v, l) -> Read.name v, Some l) functions
           @ List.filter_map (fun v -> if Hashtbl.mem have v then None else Some (v, None)) mine in
    let c = { cgates = gates; cfuns } in
    match rest with
    | "--theorem" :: file :: proof :: named ->
      let title = match named with
        | [] -> p.title | ["--name"; s] -> Write.title_of "" s | _ -> fail 2 "%s" usage in
      let plan = Read.plan proof in
      (match Write.theorem file title (Lazy.force p.subject) own c (List.length gates)
               (fun recorded -> p.verdict c (recorded (Read.supply proof plan))) with
       | true -> Printf.printf "%s: Theorem %s\n" file title; exit 0
       | false -> print_endline "NOT PROVED"; exit 1
       | exception Write.Too_long n ->
         fail 3 "found a certificate of %d gates and a proof of %d steps: too long for Coq to compute (more than %d numbers)"
           n plan.steps Write.most_numbers)
    | ["--cnf"; file] -> Write.cnf file (Lazy.force p.circuit) c own last; exit 0
    | [proof] ->
      let plan = Read.plan proof in
      if p.verdict c (Read.supply proof plan) then exit 0;
      print_endline "NOT PROVED"; exit 1
    | _ -> fail 2 "%s" usage
  with
  | Read.Bad s | Text.Differs s | Sys_error s -> fail 2 "%s" s
  | Read.Cut -> fail 2 "found the end of the proof inside a step: the proof is cut"
  | Read.Too_large s -> fail 3 "%s" s
  | Out_of_memory | Stack_overflow -> fail 3 "found too little memory"
  | e -> fail 70 "a fault of this program: %s" (Printexc.to_string e)
