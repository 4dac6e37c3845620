(* Readers of formulas, certificates and proofs.  Nothing here is trusted: what was read of a
   formula is compared with its file (text.ml), and whatever certificate and proof say has to
   convince the checker. *)
open Core

exception Bad of string
let bad fmt = Printf.ksprintf (fun s -> raise (Bad s)) fmt

let contents file =
  if Sys.file_exists file && Sys.is_directory file then bad "%s: found a folder, expected a file" file;
  let ic = open_in_bin file in
  let s = really_input_string ic (in_channel_length ic) in
  close_in ic; s

exception Too_large of string

(* What a certificate of so many gates will take, from runs of QuAbS's; said before it is read. *)
let bytes_of_gate = 700
let check_memory file gates =
  let available =
    try
      let ic = open_in "/proc/meminfo" in
      let rec find () = match Scanf.sscanf (input_line ic) "MemAvailable: %d kB" Fun.id with
        | kb -> Some kb
        | exception (Scanf.Scan_failure _ | Failure _) -> find () in
      let found = try find () with End_of_file -> None in
      close_in ic; found
    with Sys_error _ -> None in
  match available with
  | Some kb when gates / 1024 * bytes_of_gate > kb ->
    raise (Too_large (Printf.sprintf "%s: found %d gates, which take about %d MB: %d MB of memory are there"
                        file gates (gates / 1_000_000 * bytes_of_gate) (kb / 1024)))
  | _ -> ()

(* -- Names ------------------------------------------------------------------------------- *)

(* One object for each number, however often it occurs; numbers share their higher digits.
   [none] is what no number has. *)
let table none make =
  let known = ref [||] in
  fun n ->
    if n < 0 || n > Text.largest then bad "found the number %d, expected 1 to %d" n Text.largest;
    if n >= Array.length !known then begin
      let more = Array.make (max (n + 1) (Array.length !known * 3 / 2)) none in
      Array.blit !known 0 more 0 (Array.length !known);
      known := more
    end;
    let x = !known.(n) in
    if x != none then x else let x = make n in !known.(n) <- x; x

let name =
  let share = ref (fun _ -> End) in
  share := table End (fun n ->
      if n = 0 then End else
        let rest = !share (n / 8) in
        match n land 7 with
        | 0 -> D0 rest | 1 -> D1 rest | 2 -> D2 rest | 3 -> D3 rest
        | 4 -> D4 rest | 5 -> D5 rest | 6 -> D6 rest | _ -> D7 rest);
  !share
let rec decimal = function
  | End -> 0
  | D0 n -> 8 * decimal n | D1 n -> 8 * decimal n + 1 | D2 n -> 8 * decimal n + 2 | D3 n -> 8 * decimal n + 3
  | D4 n -> 8 * decimal n + 4 | D5 n -> 8 * decimal n + 5 | D6 n -> 8 * decimal n + 6 | D7 n -> 8 * decimal n + 7
let positive = let none = P End in table none (fun n -> P (name n))
let negative = let none = N End in table none (fun n -> N (name n))
let literal n = if n > 0 then positive n else negative (- n)

(* -- QCIR -------------------------------------------------------------------------------- *)

(* Statements as (name of the gate or "", keyword, arguments). *)
let statements t =
  let rec all acc =
    match Text.token t with
    | "" -> List.rev acc
    | word ->
      let name, word = match Text.token t with
        | "=" -> let keyword = Text.token t in Text.expect t "("; word, keyword
        | "(" -> "", word
        | found -> bad "%s:%d: found %s, expected '=' or '('" t.file (Text.line t) (Text.shown found) in
      let rec arguments acc =
        match Text.token t with
        | ")" -> List.rev acc
        | "," -> arguments acc
        | ";" -> arguments ((";", "") :: acc)
        | "-" -> arguments (("-", Text.token t) :: acc)
        | "" -> bad "%s:%d: found the end of the file, expected ')'" t.file (Text.line t)
        | x -> arguments (("", x) :: acc) in
      all ((name, word, arguments []) :: acc) in
  all []

(* Numbers keep themselves unless they are so large that the numbering would be nearly empty;
   other names follow the largest one, in the order in which they appear. *)
let numbering names =
  let order = Hashtbl.create 1000 and listed = ref [] and count = ref 0 in
  List.iter (fun s ->
      if not (Hashtbl.mem order s) then begin
        Hashtbl.add order s 0; incr count; listed := s :: !listed
      end) names;
  let limit = max 1_000_000 (8 * !count) and largest = ref 0 in
  let fresh = List.filter (fun s ->
      match int_of_string_opt s with
      | Some n when n > 0 && n <= limit && string_of_int n = s ->
        Hashtbl.replace order s n; largest := max !largest n; false
      | _ -> true) (List.rev !listed) in
  List.iteri (fun k s ->
      Hashtbl.replace order s (!largest + k + 1);
      Text.call (name (!largest + k + 1)) s) fresh;
  (fun s -> Hashtbl.find order s), (fun s -> Hashtbl.find_opt order s), !largest + List.length fresh

type formula =
  | Circuit of Text.blocks * gate list * lit
  (* with quantifier gates; a prenex form, and how its literals stand for the gates *)
  | Nested of Text.blocks * ngate list * lit * qcir * uses
  | Clauses of (quant * name list) list * name list * clause list * name list
  | Sets of Text.sets list * clause list * name list
(* [number] of a name that a certificate may use, the largest number, the quantifier of each number *)
type read = { formula : formula; number : string -> int option; last : int;
              quantifier : int -> quant option }

(* The blocks, gates and output of statements. *)
let circuit file number found =
  let variable (sign, v) = if sign <> "" then bad "%s: found %s%s, expected a variable" file sign v; number v in
  let lit (sign, v) =
    if sign = ";" then bad "%s: found ';', expected a literal" file;
    literal (if sign = "" then number v else - (number v)) in
  let blocks = ref [] and gates = ref [] and out = ref None in
  let quantifiers = Hashtbl.create 1000 in
  List.iter (fun (g, word, args) ->
      match g, word with
      | "", ("free" | "exists" | "forall") ->
        let b = match word with "free" -> Text.Free | "exists" -> Bound Ex | _ -> Bound All in
        let q = if word = "forall" then All else Ex in
        let vs = List.map variable args in
        List.iter (fun v -> Hashtbl.replace quantifiers v q) vs;
        blocks := (b, List.map name vs) :: !blocks
      | "", "output" ->
        (match args, !out with
         | [l], None -> out := Some (lit l)
         | _ -> bad "%s: found another output, expected one with one literal" file)
      | "", _ -> bad "%s: found %S, expected exists, forall, free or output" file word
      | _, ("exists" | "forall") ->
        let q = if word = "forall" then All else Ex in
        let rec split vs = function
          | [(";", _); l] -> Quantified (name (number g), List.rev vs, lit l)
          | v :: rest when fst v <> ";" -> split ((q, name (variable v)) :: vs) rest
          | _ -> bad "%s: found no literal behind ';' in the quantifier gate %s" file g in
        gates := split [] args :: !gates
      | _ ->
        let gkind = match word, List.length args with
          | "and", _ -> And | "or", _ -> Or | "xor", 2 -> Xor | "ite", 3 -> Ite
          | _ -> bad "%s: found %s of %d literals, expected and, or, xor of 2 or ite of 3" file word (List.length args) in
        gates := Plain { gout = name (number g); gkind; gins = List.map lit args } :: !gates) found;
  let out = match !out with Some l -> l | None -> bad "%s: found no output" file in
  List.rev !blocks, List.rev !gates, out, Hashtbl.find_opt quantifiers

let plain gates =
  if List.for_all (function Plain _ -> true | Quantified _ -> false) gates
  then Some (List.map (function Plain g -> g | Quantified _ -> assert false) gates) else None

let names_in found =
  List.concat_map (fun (name, _, args) ->
      (if name = "" then [] else [name])
      @ List.filter_map (fun (sign, v) -> if sign = ";" then None else Some v) args) found

let words s = List.filter (( <> ) "") (String.split_on_char ' ' s)

(* How the literals of a prenex form stand for a formula's gates: a line for each use, inner ones
   first.  [old] numbers the formula's names, [fresh] those of the prenex form.  In a Herbrand
   certificate's view each polarity is the other one. *)
let uses file ~old ~fresh ~own =
  let find table s = match table s with
    | Some n -> name n | None -> bad "%s: found the unknown name %s" file s in
  let old = find old and fresh = find fresh in
  let copy s =
    if s <> "" && s.[0] = '-' then N (fresh (String.sub s 1 (String.length s - 1))) else P (fresh s) in
  let int s = match int_of_string_opt s with
    | Some n when n >= 0 -> name n | _ -> bad "%s: found %S, expected a number" file s in
  let polarity = function
    | "0" -> None
    | "+" -> Some (own = Ex) | "-" -> Some (own = All)
    | s -> bad "%s: found %S, expected +, - or 0" file s in
  let rec pairs = function
    | a :: b :: rest -> let first = old a, fresh b in first :: pairs rest
    | [] -> []
    | [a] -> bad "%s: found %s without a new name" file a in
  let h = ref { fixed = []; local = []; freely = []; used = []; root = End } and count = ref 0 in
  List.iter (fun line ->
      match List.map words (String.split_on_char ';' line) with
      | [[]] -> ()
      | ["fixed" :: xs] -> h := { !h with fixed = List.map old xs }
      | ["local" :: xs] -> h := { !h with local = List.map old xs }
      | ["free" :: g :: xs] -> h := { !h with freely = (old g, List.map old xs) :: !h.freely }
      | ["root"; k] :: [] -> h := { !h with root = int k }
      | [["use"; g; p; c]; kids; renamed; bound] ->
        incr count;
        let u = { uid = name !count; ugate = old g; uenv = pairs renamed; upol = polarity p;
                  ucopy = copy c; ukids = List.map int kids; ubound = List.map fresh bound } in
        h := { !h with used = u :: !h.used }
      | _ -> bad "%s: found the line %S" file line) (String.split_on_char '\n' (contents file));
  { !h with used = List.rev !h.used }

(* [prenex] are the files of a prenex form and its uses, for a formula with quantifier gates. *)
let qcir ?prenex ~own file text =
  let t = Text.tokens file text "(),;=" '#' in
  let found = statements t in
  let number, find, last = numbering (names_in found) in
  let blocks, gates, out, quantifier = circuit file number found in
  match plain gates, prenex with
  | Some gates, None -> { formula = Circuit (blocks, gates, out); number = find; last; quantifier }
  | Some _, Some _ -> bad "%s: found no quantifier gate, expected one for --prenex" file
  | None, None ->
    bad "%s: found a quantifier gate, expected a prenex formula, or --prenex" file
  | None, Some (prenex, used) ->
    let found = statements (Text.tokens prenex (contents prenex) "(),;=" '#') in
    let strange = Hashtbl.create 1000 and most = ref last in
    List.iter (fun s ->
        if find s = None && not (Hashtbl.mem strange s) then (incr most; Hashtbl.add strange s !most))
      (names_in found);
    let fresh s = match find s with Some n -> Some n | None -> Hashtbl.find_opt strange s in
    let blocks', gates', out', quantifier = circuit prenex (fun s -> Option.get (fresh s)) found in
    let f = match plain gates' with
      | Some gates -> { pre = Text.prefix blocks'; gates; out = out' }
      | None -> bad "%s: found a quantifier gate, expected a prenex formula" prenex in
    { formula = Nested (blocks, gates, out, f, uses used ~old:find ~fresh ~own);
      number = fresh; last = !most; quantifier }

(* -- QDIMACS and DQDIMACS ---------------------------------------------------------------- *)

let dimacs file text =
  let t = Text.tokens ~lines:true file text "" 'c' in
  let fail found expected = bad "%s:%d: found %s, expected %s" file (Text.line t) (Text.shown found) expected in
  Text.expect t "p"; Text.expect t "cnf";
  let int s = match int_of_string_opt s with Some n when n >= 0 -> n | _ -> fail s "a number" in
  let declared = int (Text.token t) in
  ignore (Text.token t);
  let number s = let n = int s in if n > declared then fail s "a variable of the header"; n in
  let blocks = ref [] and clauses = ref [] and last = ref declared in
  let rec numbers acc = match Text.token t with
    | "-" -> let n = number (Text.token t) in numbers (- n :: acc)
    | s -> (match number s with 0 -> List.rev acc | n -> numbers (n :: acc)) in
  let rec prefix () = match Text.token t with
    | ("a" | "e" | "d") as letter -> blocks := (letter, numbers []) :: !blocks; prefix ()
    | s -> s in
  let rec matrix s =
    if s <> "" then begin
      let start = match s with "-" -> - (number (Text.token t)) | s -> number s in
      clauses := (if start = 0 then [] else start :: numbers []) :: !clauses;
      matrix (Text.token t)
    end in
  matrix (prefix ());
  let blocks = List.rev !blocks and clauses = List.rev !clauses in
  let quantifiers = Hashtbl.create 1000 in
  List.iter (fun (l, vs) ->
      let vs = if l = "d" then [List.hd vs] else vs in
      List.iter (fun v -> Hashtbl.replace quantifiers v (if l = "a" then All else Ex)) vs) blocks;
  let free = Array.make (declared + 1) false in
  List.iter (List.iter (fun n -> if not (Hashtbl.mem quantifiers (abs n)) then free.(abs n) <- true)) clauses;
  let free = List.filter (fun v -> free.(v)) (List.init declared succ) in
  List.iter (fun v -> Hashtbl.replace quantifiers v Ex) free;
  (* Gates of clauses are numbered behind the variables; one more is their conjunction. *)
  let wide = List.length (List.filter (function [_] -> false | _ -> true) clauses) in
  last := declared + wide + 1;
  let gates = List.init (wide + 1) (fun k -> name (declared + 1 + k)) in
  let rows = List.map (List.map literal) clauses in
  let formula =
    if List.exists (fun (l, _) -> l = "d") blocks then
      let sets = List.map (function
          | "a", vs -> Text.Universal (List.map name vs)
          | "e", vs -> Text.Existential (List.map name vs)
          | _, x :: ys -> Text.Depends (name x, List.map name ys)
          | _, [] -> bad "%s: found an empty 'd' line" file) blocks in
      if free <> [] then bad "%s: found the free variable %d, expected a quantifier for it" file (List.hd free);
      Sets (sets, rows, gates)
    else
      let quant = function "a" -> All | _ -> Ex in
      Clauses (List.map (fun (l, vs) -> quant l, List.map name vs) blocks,
               List.map name free, rows, gates) in
  let number s = match int_of_string_opt s with
    | Some n when n > 0 && n <= declared -> Some n | _ -> None in
  { formula; number; last = !last; quantifier = Hashtbl.find_opt quantifiers }

let clauses file text =
  match (dimacs file text).formula with
  | Clauses ([], _, rows, _) -> rows
  | _ -> bad "%s: found quantifiers, expected clauses alone" file

(* -- Certificates in AIGER --------------------------------------------------------------- *)

(* Inputs and outputs are named by symbols after variables; an ASCII file without symbols has
   the variables' numbers.  Gates that no function needs are left out; numbers from [last + 1]
   on: the constant false, then the gates. *)
let aiger file ~last ~number ~quantifier ~own =
  let s = contents file in
  let at = ref 0 in
  let line () =
    if !at >= String.length s then bad "%s: found the end of the file, expected more of it" file;
    let e = try String.index_from s !at '\n' with Not_found -> String.length s in
    let l = String.sub s !at (e - !at) in at := e + 1; l in
  let int w = match int_of_string_opt w with Some n when n >= 0 -> n | _ -> bad "%s: found %S, expected a number" file w in
  let ints l = List.map int (words l) in
  let one l = match ints l with [n] -> n | _ -> bad "%s: found %S, expected a literal" file l in
  let binary, m, i, o, a = match words (line ()) with
    | (("aag" | "aig") as f) :: m :: i :: "0" :: o :: a :: _ -> f = "aig", int m, int i, int o, int a
    | _ -> bad "%s: found no header of AIGER without latches" file in
  check_memory file m;
  if m > Text.largest || i > m || a > m then bad "%s: found a wrong header of AIGER" file;
  let inputs = Array.make i 0 in
  let known x = if x > 2 * m + 1 then bad "%s: found the literal %d, expected at most %d" file x (2 * m + 1); x in
  for k = 0 to i - 1 do inputs.(k) <- if binary then 2 * (k + 1) else known (one (line ())) done;
  let outputs = Array.make o 0 in
  for k = 0 to o - 1 do outputs.(k) <- known (one (line ())) done;
  let left = Array.make (m + 1) (-1) and right = Array.make (m + 1) 0 in
  let order = Array.make a 0 in
  let put k g x y =
    if g land 1 = 1 || g / 2 > m || x / 2 > m || y / 2 > m || x < 0 || y < 0 then
      bad "%s: found the gate %d %d %d, expected literals up to %d" file g x y (2 * m + 1);
    order.(k) <- g / 2; left.(g / 2) <- x; right.(g / 2) <- y in
  for k = 0 to a - 1 do
    if binary then begin
      let delta () =
        let rec go shift x =
          if !at >= String.length s then bad "%s: found the end of the file, expected a gate" file;
          let b = Char.code s.[!at] in incr at;
          let x = x lor ((b land 127) lsl shift) in
          if b >= 128 then go (shift + 7) x else x in
        go 0 0 in
      let g = 2 * (i + 1 + k) in
      let x = g - delta () in let y = x - delta () in
      put k g x y
    end else match ints (line ()) with
      | [g; x; y] -> put k g x y
      | _ -> bad "%s: found no gate where one is expected" file
  done;
  let symbols = Hashtbl.create 100 in
  (try while !at < String.length s do
       let l = line () in
       match String.index_opt l ' ' with
       | Some e when e > 1 && (l.[0] = 'i' || l.[0] = 'o') ->
         Hashtbl.replace symbols (String.sub l 0 e) (String.sub l (e + 1) (String.length l - e - 1))
       | _ -> raise Exit
     done with Exit -> ());
  let indices = not binary && Hashtbl.length symbols = 0 in
  let variable c k x =
    if indices then number (string_of_int (x / 2))
    else Option.bind (Hashtbl.find_opt symbols (Printf.sprintf "%c%d" c k)) number in
  let numbers = Array.make (m + 1) 0 in
  numbers.(0) <- last + 1;
  Array.iteri (fun k x -> match variable 'i' k x with
      | Some v when quantifier v <> None && quantifier v <> Some own -> numbers.(x / 2) <- v
      | _ -> bad "%s: found input %d, which is no variable of the opponent's" file k) inputs;
  let functions = List.filter_map (fun k ->
      match variable 'o' k outputs.(k) with
      | Some v when quantifier v = Some own ->
        (* Without symbols the output is the variable itself, a gate or a constant's name. *)
        Some (v, outputs.(k))
      | _ -> None) (List.init o Fun.id) in
  let needed = Array.make (m + 1) false in
  List.iter (fun (_, f) -> needed.(f / 2) <- true) functions;
  for k = a - 1 downto 0 do
    let g = order.(k) in
    if needed.(g) then (needed.(left.(g) / 2) <- true; needed.(right.(g) / 2) <- true)
  done;
  let next = ref (last + 1) in
  Array.iter (fun g -> if needed.(g) then (incr next; numbers.(g) <- !next)) order;
  let lit x =
    let v = numbers.(x / 2) in
    if v = 0 then bad "%s: found the literal %d, which is neither input nor gate" file x;
    literal (if x land 1 = 1 then -v else v) in
  let gates = Array.fold_right (fun g gs ->
      if needed.(g)
      then { gout = name numbers.(g); gkind = And; gins = [lit left.(g); lit right.(g)] } :: gs
      else gs) order [] in
  let constant = { gout = name (last + 1); gkind = Or; gins = [] } in
  constant :: gates, List.map (fun (v, f) -> v, lit f) functions, !next

(* -- Proofs ------------------------------------------------------------------------------ *)

(* A proof is read twice: first to see when each clause is needed for the last time, so that
   only clauses in use take memory; then step by step.  A clause has a place from its step (or
   from the beginning) to its last use. *)
type source = { path : string; channel : in_channel; buffer : Bytes.t; mutable here : int; mutable filled : int }

let source path =
  if Sys.file_exists path && Sys.is_directory path then bad "%s: found a folder, expected a file" path;
  { path; channel = open_in_bin path; buffer = Bytes.create 65536; here = 0; filled = 0 }

(* The next byte, or -1. *)
let peek f =
  if f.here < f.filled then Char.code (Bytes.unsafe_get f.buffer f.here)
  else begin
    f.filled <- input f.channel f.buffer 0 65536;
    f.here <- 0;
    if f.filled = 0 then -1 else Char.code (Bytes.get f.buffer 0)
  end

let rec skip f = match peek f with
  | 32 | 10 | 13 | 9 -> f.here <- f.here + 1; skip f
  | c -> c

exception Cut

let int f =
  let c = skip f in
  if c < 0 then raise Cut;
  let minus = c = 45 in
  if minus then f.here <- f.here + 1;
  let rec go x =
    let c = peek f in
    if c >= 48 && c <= 57 then (f.here <- f.here + 1; go (10 * x + c - 48)) else x in
  let c = peek f in
  if c < 48 || c > 57 then bad "%s: found %s, expected a number" f.path
      (if c < 0 then "the end of the file" else Printf.sprintf "%C" (Char.chr c));
  let x = go 0 in
  if minus then - x else x

(* Calls [step id literals hints] for each step; a hint is a clause's number. *)
let rec numbers f g = match int f with 0 -> () | x -> g x; numbers f g

(* Tables by numbers of clauses: four bytes each, for there are more of them than of anything. *)
module Table = Bigarray.Array1
type table = (int32, Bigarray.int32_elt, Bigarray.c_layout) Table.t

let make_table n fill : table =
  let a = Table.create Bigarray.int32 Bigarray.c_layout n in Table.fill a (Int32.of_int fill); a
let at (a : table) k = Int32.to_int (Table.get a k)
let put (a : table) k x = Table.set a k (Int32.of_int x)

type plan = { mutable last_use : table; mutable steps : int }

let reserve (a : table) n fill =
  let size = Table.dim a in
  if n < size then a
  else begin
    let b = make_table (max (n + 1) (size + size / 2)) fill in
    Table.blit a (Table.sub b 0 size); b
  end

let plan path =
  let f = source path in
  let p = { last_use = make_table 1024 (-1); steps = 0 } in
  (try
     while skip f >= 0 do
       let id = int f in
       if skip f = 100 then (f.here <- f.here + 1; numbers f ignore)
       else begin
         p.steps <- p.steps + 1;
         numbers f ignore;
         numbers f (fun h ->
             if h > Text.largest then bad "%s: found the hint %d in step %d, expected at most %d" path h id Text.largest;
             if h < 0 then bad "%s: found the hint %d in step %d, expected reverse unit propagation only" path h id;
             p.last_use <- reserve p.last_use h (-1);
             put p.last_use h p.steps)
       end
     done
   with Cut -> bad "%s: found the end of the file inside a step: the proof is cut" path);
  close_in f.channel; p

(* Names of places have their highest digit first, so that neighbours are near each other. *)
let place_names most =
  let width = ref 1 in
  while most lsr (3 * !width) > 0 do incr width done;
  let rec of_width w =
    if w = 0 then fun _ -> End
    else
      let low = of_width (w - 1) and mask = 1 lsl (3 * (w - 1)) - 1 in
      table End (fun n ->
          let rest = low (n land mask) in
          match n lsr (3 * (w - 1)) with
          | 0 -> D0 rest | 1 -> D1 rest | 2 -> D2 rest | 3 -> D3 rest
          | 4 -> D4 rest | 5 -> D5 rest | 6 -> D6 rest | _ -> D7 rest) in
  of_width !width

let tautology c =
  match c with
  | [] | [_] -> false
  | [P a; N b] | [N a; P b] -> a == b
  | [P _; P _] | [N _; N _] -> false
  | _ ->
    let seen = Hashtbl.create 8 in
    List.exists (fun l ->
        let v, s = match l with P v -> v, true | N v -> v, false in
        match Hashtbl.find_opt seen v with
        | Some s' when s' <> s -> true
        | _ -> Hashtbl.replace seen v s; false) c

(* [at place id] is the place of a clause, 0 for one that is nowhere, and [- 8 v - k - 1] for the
   [k]-th clause of the definition of [v], which is taken when it is needed. *)
let supply path p =
  let f = source path in
  let size = Table.dim p.last_use in
  let place_name = place_names size in
  let place = make_table size 0 and free = ref [] and next = ref 0 in
  let given = ref 0 and now = ref 0 in
  let owner = ref End and index = ref 0 and number = ref 0 in
  let pending = ref [] in
  let needed id = id < size && at p.last_use id > !now in
  let take id =
    let k = match !free with k :: rest -> free := rest; k | [] -> incr next; !next in
    put place id k; place_name k in
  let rec next_step () =
    match !pending with
    | step :: rest -> pending := rest; Some (step, ())
    | [] ->
      if skip f < 0 then None
      else begin
        let id = int f in
        if skip f = 100 then (f.here <- f.here + 1; numbers f ignore; next_step ())
        else begin
          incr now;
          let c = ref [] and hints = ref [] and used = ref [] and takes = ref [] in
          numbers f (fun l -> c := literal l :: !c);
          let wanted = match !c with [] -> true | _ -> needed id in
          numbers f (fun h ->
              if h < size then begin
                let k = at place h in
                if k < 0 && wanted then begin
                  let code = - k - 1 in
                  let here = take h in
                  let rec nat n = if n = 0 then O else S (nat (n - 1)) in
                  takes := Take (here, name (code / 8), nat (code land 7)) :: !takes
                end;
                let k = max (at place h) 0 in
                if wanted then hints := place_name k :: !hints;
                if at p.last_use h <= !now then begin
                  if k > 0 then used := k :: !used;
                  put place h 0
                end
              end);
          free := List.rev_append !used !free;
          if not wanted then next_step ()
          else begin
            let here = match !c with [] -> End | _ -> take id in
            let step = Step (here, List.rev !c, List.rev !hints) in
            match List.rev !takes with
            | [] -> Some (step, ())
            | first :: rest -> pending := rest @ [step]; Some (first, ())
          end
        end
      end in
  { place_of = (fun v c () ->
        if v == !owner then incr index else (owner := v; index := 0; number := decimal v);
        if tautology c then None, ()
        else begin
          incr given;
          if not (needed !given) then None, ()
          else if v <> End && !index < 4 && !number < 1 lsl 27 then
            (put place !given (- (8 * !number + !index) - 1); None, ())
          else Some (take !given), ()
        end);
    next_step }
