(* Readers of games.  Not trusted: what was read is compared with the file (game_text.ml). *)
open Core
open Read

let z n =
  let rec p n = if n = 1 then XH else if n land 1 = 1 then XI (p (n / 2)) else XO (p (n / 2)) in
  if n = 0 then Z0 else if n > 0 then Zpos (p n) else Zneg (p (- n))

let pg file text =
  let t = Game_text.pg_tokens file text in
  let rec all acc = match Text.token t with "" -> List.rev acc | s -> all (s :: acc) in
  let words = all [] in
  (* Sections as (keyword, rows). *)
  let close (k, rows, row) = k, List.rev (if row = [] then rows else List.rev row :: rows) in
  let rec sections acc current = function
    | [] -> List.rev (match current with Some c -> close c :: acc | None -> acc)
    | "\n" :: rest ->
      sections acc (Option.map (fun (k, rows, row) ->
          k, (if row = [] then rows else List.rev row :: rows), []) current) rest
    | s :: rest when s <> "" && s.[0] = '#' ->
      let acc = match current with Some c -> close c :: acc | None -> acc in
      sections acc (Some (String.sub s 1 (String.length s - 1), [], [])) rest
    | s :: rest ->
      (match current with
       | None -> bad "%s: found %S, expected a section" file s
       | Some (k, rows, row) -> sections acc (Some (k, rows, s :: row)) rest) in
  let found = sections [] None words in
  let is_time k = k = "times" || k = "blackturns" in
  let number, find, last = numbering (List.concat_map (fun (k, rows) ->
      if is_time k then [] else List.concat rows) found) in
  ignore (find, last);
  let cell s = name (number s) in
  List.map (fun (k, rows) ->
      match k with
      | "times" -> Game_text.Times (List.concat rows)
      | "blackturns" -> Game_text.Black_turns (List.concat rows)
      | "blackwins" | "whitewins" | "neighbours" -> Game_text.Rows (k, List.map (List.map cell) rows)
      | _ -> Game_text.Words (k, List.map cell (List.concat rows))) found

let bddl domain_file domain_text problem_file problem_text =
  let reader file text =
    let t = Game_text.bddl_tokens file text in
    let ahead = ref (Text.token t) in
    let peek () = !ahead in
    let next () = let s = !ahead in ahead := Text.token t; s in
    let fail expected = bad "%s:%d: found %s, expected %s" file (Text.line t) (Text.shown (peek ())) expected in
    let take s = if peek () <> s then fail (Text.shown s) else ignore (next ()) in
    let int () = match int_of_string_opt (peek ()) with
      | Some n -> ignore (next ()); n | None -> fail "a number" in
    let coordinate axis =
      let s = peek () in
      let v = "?" ^ axis in
      let n = String.length v in
      let c =
        if s = v then Offset Z0
        else if String.length s > n && String.sub s 0 n = v then
          match int_of_string_opt (let r = String.sub s n (String.length s - n) in
                                   if r.[0] = '+' then String.sub r 1 (String.length r - 1) else r) with
          | Some k -> Offset (z k) | None -> fail "a coordinate"
        else if s = axis ^ "min" then Minimum
        else if s = axis ^ "max" then Maximum
        else match int_of_string_opt s with Some k -> Absolute (z k) | None -> fail "a coordinate" in
      ignore (next ()); c in
    let content () =
      let c = match peek () with
        | "open" -> Open | "black" -> IsBlack | "white" -> IsWhite | _ -> fail "open, black or white" in
      ignore (next ()); c in
    let part () =
      let negated = peek () = "NOT" in
      if negated then (take "NOT"; take "(");
      let what = content () in
      take "("; let px = coordinate "x" in take ","; let py = coordinate "y" in take ")";
      if negated then take ")";
      { negated; what; px; py } in
    let rec parts acc = if peek () = ")" then List.rev acc else parts (part () :: acc) in
    let condition () = take "("; let ps = parts [] in take ")"; ps in
    let rec conditions acc = if peek () = "(" then conditions (condition () :: acc) else List.rev acc in
    let rec actions acc =
      if peek () = ":action" then begin
        take ":action"; let called = next () in
        List.iter take [":parameters"; "("; "?x"; ","; "?y"; ")"; ":precondition"];
        let precondition = condition () in
        take ":effect"; let effect = condition () in
        actions ((called, { precondition; effect }) :: acc)
      end else List.rev acc in
    peek, take, int, content, conditions, actions in
  let _, take, _, _, _, actions = reader domain_file domain_text in
  take "#blackactions"; let black = actions [] in
  take "#whiteactions"; let white = actions [] in
  take "";
  let peek, take, int, content, conditions, _ = reader problem_file problem_text in
  take "#boardsize"; let width = int () in let height = int () in
  if width * height > 1600 then bad "%s: found a board of %dx%d, expected at most 1600 squares" problem_file width height;
  take "#init";
  let init =
    if peek () = "(" then begin
      take "(";
      let rec go acc =
        if peek () = ")" then (take ")"; List.rev acc)
        else
          let c = content () in
          take "("; let x = int () in take ","; let y = int () in take ")";
          go (((c, z x), z y) :: acc) in
      go []
    end else [] in
  take "#depth"; let depth = int () in
  take "#blackgoals"; let black_conditions = conditions [] in
  take "#whitegoals"; let white_conditions = conditions [] in
  let black_first = peek () <> "#blackturn" in
  if not black_first then (take "#blackturn"; take "second");
  take "";
  let rec nat n = if n <= 0 then O else S (nat (n - 1)) in
  { width = z width; height = z height; init; depth = nat depth; black_first;
    black_actions = List.map snd black; white_actions = List.map snd white;
    black_conditions; white_conditions }, black, white
