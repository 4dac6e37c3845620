(* qsage-verified: the checker that is extracted from Coq, with readers around it. *)
open Core

let version = "1"
let usage = "usage: qsage-verified FORMULA CERTIFICATE PROOF [--herbrand], \
             or FORMULA CERTIFICATE --cnf FILE [--herbrand]"

let rec forever = S forever

let fail code fmt = Printf.ksprintf (fun s -> prerr_endline ("qsage-verified: " ^ s); exit code) fmt

let kind file = 
  let is = Filename.check_suffix file in
  if is ".qdimacs" || is ".dqdimacs" || is ".cnf" then `Dimacs else `Qcir

let () =
  Gc.set { (Gc.get ()) with minor_heap_size = 1 lsl 20; space_overhead = 60 };
  try
    let args = List.tl (Array.to_list Sys.argv) in
    if args = ["--version"] then (print_endline ("qsage-verified " ^ version); exit 0);
    let own = if List.mem "--herbrand" args then All else Ex in
    let args = List.filter (( <> ) "--herbrand") args in
    let file, cert, rest = match args with
      | f :: c :: rest -> f, c, rest
      | _ -> fail 2 "%s" usage in
    let text = Read.contents file in
    let r = match kind file with
      | `Dimacs -> Read.dimacs file text
      | `Qcir -> Read.qcir file text in
    let gates, functions, last =
      Read.aiger cert ~last:r.last ~number:r.number ~quantifier:r.quantifier ~own in
    ignore last;
    let have = Hashtbl.create 1000 in
    List.iter (fun (v, l) -> Hashtbl.replace have (Read.name v) l) functions;
    let prefix = match r.formula with
      | Circuit (blocks, _, _) -> Text.prefix blocks
      | Clauses (blocks, free, _, _) ->
        List.map (fun v -> Ex, v) free @ List.concat_map (fun (q, vs) -> List.map (fun v -> q, v) vs) blocks
      | Sets (sets, _, _) -> List.map (fun (x, _) -> Ex, x) (Text.sets_of [] sets) in
    let mine = List.filter_map (fun (q, v) -> if q = own then Some v else None) prefix in
    let cfuns = match r.formula with
      | Sets _ -> List.map (fun v -> v, Hashtbl.find_opt have v) mine
      | _ -> List.map (fun (v, l) -> Read.name v, Some l) functions
             @ List.filter_map (fun v -> if Hashtbl.mem have v then None else Some (v, None)) mine in
    let c = { cgates = gates; cfuns } in
    match rest with
    | [proof] ->
      let plan = Read.plan proof in
      let from = Read.supply proof plan in
      let ok = Verdict.formula file text r.formula c own from forever in
      ignore text;
      if not ok then (print_endline "NOT PROVED"; exit 1);
      exit 0
    | _ -> fail 2 "%s" usage
  with
  | Read.Bad s | Text.Differs s | Sys_error s -> fail 2 "%s" s
  | Out_of_memory -> fail 3 "found too little memory"
