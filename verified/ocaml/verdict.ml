(* TRUSTED.  A verdict is printed when a theorem applies to what the files say. *)
open Core

let rec forever = S forever

(* Everything that the reader may be wrong about is compared with the file here. *)
let formula file text (r : Read.formula) c own from =
  let t = Text.tokens file text "(),;=" '#' in
  let lines = Text.tokens ~lines:true file text "" 'c' in
  let proved = match r with
    | Circuit (blocks, gates, out) ->
      Text.qcir t blocks Text.gate gates out;
      check from own { pre = Text.prefix blocks; gates; out } c forever ()
    | Nested (blocks, gates, out, prenex, uses) ->
      Text.qcir t blocks Text.ngate gates out;
      let q = { npre = Text.prefix blocks; ngates = gates; nout = out } in
      check_nested from own q prenex uses c forever ()
    | Clauses (blocks, free, clauses, fresh) ->
      Text.qdimacs lines free blocks clauses;
      let bound = List.concat_map (fun (q, vs) -> List.map (fun v -> q, v) vs) blocks in
      let qpre = List.map (fun v -> Ex, v) free @ bound in
      check_qdimacs from own { qpre; qclauses = clauses } fresh c forever ()
    | Sets (sets, clauses, fresh) ->
      Text.dqdimacs lines sets clauses;
      let others = List.concat_map (function Text.Universal vs -> vs | _ -> []) sets in
      own = Ex
      && check_dqdimacs from others { deps = Text.sets_of [] sets; dclauses = clauses } fresh c forever () in
  if proved then
    Printf.printf "PROVED: %s is %s\n" file (match own with Ex -> "true" | All -> "false");
  proved

let cnf file clauses from =
  let t = Text.tokens ~lines:true file (Read.contents file) "" 'c' in
  Text.head t clauses; List.iter (Text.clause t) clauses; Text.expect t "";
  let proved = check_clauses from clauses forever () in
  if proved then Printf.printf "PROVED: %s is unsatisfiable\n" file;
  proved

type read_game =
  | Pg of Game_text.section list
  | Grid of bddl * (string * action) list * (string * action) list

let nat_of = let rec go k = function O -> k | S n -> go (k + 1) n in go 0

(* The game that the files say. *)
let game_of files read = match files, read with
  | [file, text], Pg sections ->
    Game_text.pg (Game_text.pg_tokens file text) sections;
    positional_game (Game_text.positional sections)
  | [domain, domain_text; problem, problem_text], Grid (b, black, white) ->
    Game_text.domain (Game_text.bddl_tokens domain domain_text) black white;
    Game_text.problem (Game_text.bddl_tokens problem problem_text) b (nat_of b.depth);
    bddl_game { b with black_actions = List.map snd black; white_actions = List.map snd white }
  | _ -> Text.differs "a game of other files"

let game files g c own from =
  let proved = check_game from own g c forever () in
  if proved then
    Printf.printf "PROVED: by the rules of %s Black %s\n" (String.concat " and " (List.map fst files))
      (match own with Ex -> "wins" | All -> "does not win");
  proved
