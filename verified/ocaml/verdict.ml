(* TRUSTED.  A verdict is printed when a theorem applies to what the file says. *)
open Core

let formula file text (r : Read.formula) c own from forever =
  let t = Text.tokens file text "(),;=" '#' in
  let lines = Text.tokens ~lines:true file text "" 'c' in
  let proved = match r with
    | Circuit (blocks, gates, out) ->
      Text.qcir t blocks gates out;
      check from own { pre = Text.prefix blocks; gates; out } c forever ()
    | Clauses (blocks, free, clauses, fresh) ->
      Text.qdimacs lines free blocks clauses;
      let bound = List.concat_map (fun (q, vs) -> List.map (fun v -> q, v) vs) blocks in
      let qpre = List.map (fun v -> Ex, v) free @ bound in
      check_qdimacs from own { qpre; qclauses = clauses } fresh c forever ()
    | Sets (sets, clauses, fresh) ->
      Text.dqdimacs lines sets clauses;
      let others = List.concat_map (function Text.Universal vs -> vs | _ -> []) sets in
      own = Ex && check_dqdimacs from others { deps = Text.sets_of [] sets; dclauses = clauses } fresh c forever () in
  if proved then
    Printf.printf "PROVED: %s is %s\n" file (match own with Ex -> "true" | All -> "false");
  proved
