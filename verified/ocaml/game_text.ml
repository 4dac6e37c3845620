(* TRUSTED.  What the text of a game has to be for a game to be the text's: as in text.ml, each
   function goes through the file and compares. *)
open Core
open Text

(* -- Positional games (PG) --------------------------------------------------------------- *)

(* Sections in the order of the file.  Rows end with their lines.  "firstmoves" is a hint to
   solvers and no rule. *)
type section =
  | Words of string * name list    (* blackinitials, whiteinitials, positions, borders, firstmoves *)
  | Rows of string * name list list   (* blackwins, whitewins, neighbours *)
  | Times of string list
  | Black_turns of string list

let rec end_of_line t =
  let at = t.at and first = t.first in
  match token t with
  | "\n" -> end_of_line t
  | _ -> t.at <- at; t.first <- first

(* The tokens of a PG file: lines count. *)
let pg_tokens file text = tokens file text "\n" '%'

let word t s = end_of_line t; expect t s

let pg t sections =
  List.iter (function
      | Words (k, ns) -> word t ("#" ^ k); List.iter (fun n -> word t (text n)) ns
      | Times ts -> word t "#times"; List.iter (word t) ts
      | Black_turns ts -> word t "#blackturns"; List.iter (word t) ts
      | Rows (k, rows) ->
        word t ("#" ^ k);
        List.iter (fun row ->
            if row = [] then differs "an empty row";
            end_of_line t; List.iter (name t) row; expect t "\n") rows) sections;
  word t ""

(* What the sections mean. *)
let positional sections =
  let kind = function Words (k, _) | Rows (k, _) -> k | Times _ -> "times" | Black_turns _ -> "blackturns" in
  List.iteri (fun i s -> List.iteri (fun j s' ->
      if i < j && kind s = kind s' then differs "two sections #%s" (kind s)) sections) sections;
  List.iter (fun s ->
      if not (List.mem (kind s) ["blackinitials"; "whiteinitials"; "times"; "blackturns"; "positions"; "blackwins";
                                 "whitewins"; "neighbours"; "startboarder"; "endboarder"; "firstmoves"])
      then differs "the section #%s, which the verified rules do not know" (kind s)) sections;
  let words k = List.concat_map (function Words (k', ns) when k = k' -> ns | _ -> []) sections in
  let rows k = List.concat_map (function Rows (k', rs) when k = k' -> rs | _ -> []) sections in
  let times = List.concat_map (function Times ts -> ts | _ -> []) sections in
  let black = List.concat_map (function Black_turns ts -> ts | _ -> []) sections in
  let board = words "positions" in
  let black_stones = words "blackinitials" and white_stones = words "whiteinitials" in
  (* A move for each time, as long as there are open cells. *)
  let taken = black_stones @ white_stones in
  let cells_left = List.length (List.filter (fun c -> not (List.mem c taken)) board) in
  let order = List.filteri (fun i _ -> i < cells_left) times in
  let order = List.map (fun t -> if List.mem t black then Black else White) order in
  let network = match rows "neighbours" with
    | [] -> None
    | rs -> Some { cells = List.map (fun r -> List.hd r, List.tl r) rs;
                   source = words "startboarder"; target = words "endboarder"; joined = false; cut = false } in
  if network <> None && rows "blackwins" <> [] then differs "both winning sets and a network";
  { board; order; black_stones; white_stones; black_sets = rows "blackwins";
    white_sets = rows "whitewins"; hex = network }

(* -- BDDL -------------------------------------------------------------------------------- *)

let rec int_of_positive = function XH -> 1 | XO p -> 2 * int_of_positive p | XI p -> 2 * int_of_positive p + 1
let int_of_z = function Z0 -> 0 | Zpos p -> int_of_positive p | Zneg p -> - (int_of_positive p)

let bddl_tokens file text = tokens file text "()," '%'

let coordinate t axis = function
  | Offset Z0 -> expect t ("?" ^ axis)
  | Offset k -> expect t (Printf.sprintf "?%s%+d" axis (int_of_z k))
  | Minimum -> expect t (axis ^ "min")
  | Maximum -> expect t (axis ^ "max")
  | Absolute k -> expect t (string_of_int (int_of_z k))

let content t = function
  | Open -> expect t "open" | IsBlack -> expect t "black" | IsWhite -> expect t "white"

let part t p =
  if p.negated then (expect t "NOT"; expect t "(");
  content t p.what; expect t "("; coordinate t "x" p.px; expect t ","; coordinate t "y" p.py; expect t ")";
  if p.negated then expect t ")"

let condition t ps = expect t "("; List.iter (part t) ps; expect t ")"

(* Actions come with their names, which mean nothing. *)
let domain t black white =
  let actions = List.iter (fun (called, a) ->
      expect t ":action"; expect t called;
      expect t ":parameters"; List.iter (expect t) ["("; "?x"; ","; "?y"; ")"];
      expect t ":precondition"; condition t a.precondition;
      expect t ":effect"; condition t a.effect) in
  expect t "#blackactions"; actions black;
  expect t "#whiteactions"; actions white;
  expect t ""

let problem t b depth =
  let number z = expect t (string_of_int (int_of_z z)) in
  expect t "#boardsize"; number b.width; number b.height;
  expect t "#init";
  if b.init <> [] then begin
    expect t "(";
    List.iter (fun ((c, x), y) ->
        content t c; expect t "("; number x; expect t ","; number y; expect t ")") b.init;
    expect t ")"
  end;
  expect t "#depth"; expect t (string_of_int depth);
  expect t "#blackgoals"; List.iter (condition t) b.black_conditions;
  expect t "#whitegoals"; List.iter (condition t) b.white_conditions;
  if not b.black_first then (expect t "#blackturn"; expect t "second");
  expect t ""
