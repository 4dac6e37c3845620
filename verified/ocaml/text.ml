(* TRUSTED.  What the text of a file has to be for a formula to be the file's: each
   function goes through the file and compares it, token by token, with the formula. *)
open Core

exception Differs of string
let differs fmt = Printf.ksprintf (fun s -> raise (Differs s)) fmt

(* -- Tokens ------------------------------------------------------------------------------ *)

(* A token is a character of [marks], or as many characters as there are between marks and
   blanks.  A comment begins with [comment] and ends with its line; with [lines] it has to be
   the first of its line.  A minus sign is a token of its own in front of another one. *)
type tokens = { file : string; text : string; marks : string; comment : char; lines : bool;
                mutable at : int; mutable first : bool }

let tokens ?(lines = false) file text marks comment =
  { file; text; marks; comment; lines; at = 0; first = true }

let blank c = c = ' ' || c = '\t' || c = '\r' || c = '\n'

let rec token t =
  let size = String.length t.text in
  let mark c = String.contains t.marks c in
  while t.at < size && blank t.text.[t.at] && not (mark t.text.[t.at]) do
    if t.text.[t.at] = '\n' then t.first <- true;
    t.at <- t.at + 1
  done;
  if t.at = size then ""
  else if t.text.[t.at] = t.comment && (t.first || not t.lines) then begin
    t.at <- (try String.index_from t.text t.at '\n' with Not_found -> size);
    token t
  end else begin
    t.first <- false;
    let start = t.at in
    t.at <- start + 1;
    if not (mark t.text.[start] || t.text.[start] = '-') then
      while t.at < size && not (blank t.text.[t.at] || mark t.text.[t.at]
                                || t.text.[t.at] = t.comment && not t.lines) do
        t.at <- t.at + 1
      done;
    String.sub t.text start (t.at - start)
  end

let line t = 1 + List.length (String.split_on_char '\n' (String.sub t.text 0 t.at)) - 1
let shown s = if s = "" then "the end of the file" else Printf.sprintf "%S" s

let expect t wanted =
  let found = token t in
  if found <> wanted then
    differs "%s:%d: found %s, expected %s" t.file (line t) (shown found) (shown wanted)

let between t f = List.iteri (fun i x -> if i > 0 then expect t ","; f x)

(* -- Names ------------------------------------------------------------------------------- *)

(* A name is a number; [texts] has the text of names whose text is another one.  Different
   names have different texts: a text stands in [texts] once and is no number that a name
   could be, and the number of a name tells the name, which has no zeros behind it. *)
let largest = 1_000_000_000
let texts : (name, string) Hashtbl.t = Hashtbl.create 16
let taken : (string, unit) Hashtbl.t = Hashtbl.create 16

let call n text =
  (match int_of_string_opt text with
   | Some i when i <= largest && string_of_int i = text -> differs "%s is a number" text
   | _ -> ());
  if Hashtbl.mem texts n || Hashtbl.mem taken text then differs "%s is named twice" text;
  Hashtbl.add texts n text; Hashtbl.add taken text ()

let number n =
  let rec go unit sum = function
    | End -> sum
    | D0 End -> differs "a name with a zero behind it"
    | D0 n -> go (8 * unit) sum n
    | D1 n -> go (8 * unit) (sum + unit) n
    | D2 n -> go (8 * unit) (sum + 2 * unit) n
    | D3 n -> go (8 * unit) (sum + 3 * unit) n
    | D4 n -> go (8 * unit) (sum + 4 * unit) n
    | D5 n -> go (8 * unit) (sum + 5 * unit) n
    | D6 n -> go (8 * unit) (sum + 6 * unit) n
    | D7 n -> go (8 * unit) (sum + 7 * unit) n in
  let i = go 1 0 n in
  if i < 1 || i > largest then differs "the number %d, expected 1 to %d" i largest;
  i

let text n = match Hashtbl.find_opt texts n with Some s -> s | None -> string_of_int (number n)

let name t n = expect t (text n)
let literal t = function P n -> name t n | N n -> expect t "-"; name t n

(* -- QCIR -------------------------------------------------------------------------------- *)

type block = Free | Bound of quant
type blocks = (block * name list) list

(* The prefix that blocks stand for: free variables are existential, and outermost. *)
let prefix blocks =
  List.concat_map (fun (b, vs) ->
      let q = match b with Free -> Ex | Bound q -> q in List.map (fun v -> q, v) vs) blocks

let gate t g =
  name t g.gout; expect t "=";
  expect t (match g.gkind with And -> "and" | Or -> "or" | Xor -> "xor" | Ite -> "ite");
  expect t "("; between t (literal t) g.gins; expect t ")"

let quantifier = function Ex -> "exists" | All -> "forall"

let ngate t = function
  | Plain g -> gate t g
  | Quantified (v, p, l) ->
    name t v; expect t "=";
    let word = token t in
    if word <> "exists" && word <> "forall" then
      differs "%s:%d: found %s, expected exists or forall" t.file (line t) (shown word);
    expect t "(";
    between t (fun (q, x) -> if quantifier q <> word then differs "%s quantifies otherwise" word; name t x) p;
    expect t ";"; literal t l; expect t ")"

(* [each] is [gate], or [ngate] for a formula with quantifier gates. *)
let qcir t (blocks : blocks) each gates out =
  let bound = ref false in
  List.iter (fun (b, vs) ->
      if b = Free && !bound then differs "free variables behind a quantifier";
      if b <> Free then bound := true;
      expect t (match b with Free -> "free" | Bound q -> quantifier q);
      expect t "("; between t (name t) vs; expect t ")") blocks;
  expect t "output"; expect t "("; literal t out; expect t ")";
  List.iter (each t) gates;
  expect t ""

(* -- QDIMACS and DQDIMACS ---------------------------------------------------------------- *)

let plain t n =
  if Hashtbl.mem texts n then differs "a variable of a clause has a name";
  name t n

let head t clauses =
  expect t "p"; expect t "cnf"; ignore (token t); expect t (string_of_int (List.length clauses))

let clause t c =
  List.iter (function P n -> plain t n | N n -> expect t "-"; plain t n) c; expect t "0"

(* [free] are the variables of clauses that no block has. *)
let qdimacs t free blocks clauses =
  let known = Hashtbl.create 1000 in
  let bind n = Hashtbl.replace known n () in
  head t clauses;
  List.iter (fun (q, vs) ->
      expect t (match q with Ex -> "e" | All -> "a");
      List.iter (fun v -> bind v; plain t v) vs; expect t "0") blocks;
  List.iter (fun v -> if Hashtbl.mem known v then differs "a free variable is bound"; bind v) free;
  List.iter (clause t) clauses;
  expect t ""

(* A block "e" depends on all universal variables before it; "d x y z 0" is x of y and z. *)
type sets = Universal of name list | Existential of name list | Depends of name * name list

let dqdimacs t sets clauses =
  head t clauses;
  List.iter (fun s ->
      (match s with
       | Universal vs -> expect t "a"; List.iter (plain t) vs
       | Existential vs -> expect t "e"; List.iter (plain t) vs
       | Depends (x, ys) -> expect t "d"; plain t x; List.iter (plain t) ys);
      expect t "0") sets;
  List.iter (clause t) clauses;
  expect t ""

let rec sets_of before = function
  | [] -> []
  | Universal vs :: rest -> sets_of (before @ vs) rest
  | Existential vs :: rest -> List.map (fun v -> v, before) vs @ sets_of before rest
  | Depends (x, ys) :: rest -> (x, ys) :: sets_of before rest
