(* Writers: clauses, unrollings, and theorems for Coq.  Not trusted. *)
open Core

let int = Read.decimal
let lit_text = function P v -> string_of_int (int v) | N v -> "-" ^ string_of_int (int v)

let to_file file f =
  let partial = file ^ ".part" in
  let oc = open_out_bin partial in
  (try f oc with e -> close_out oc; Sys.remove partial; raise e);
  close_out oc; Sys.rename partial file

(* The clauses that a proof has to refute, without tautologies. *)
let clauses q c own f =
  let each = List.iter (fun c -> if not (Read.tautology c) then f c) in
  List.iter (fun g -> each (tseitin g)) q.gates;
  List.iter (fun g -> each (tseitin g)) c.cgates;
  List.iter (fun (x, h) -> each (tie x h)) c.cfuns;
  each [[final own q.out]]

let cnf file q c own last =
  let count = ref 0 in
  clauses q c own (fun _ -> incr count);
  to_file file (fun oc ->
      Printf.fprintf oc "p cnf %d %d\n" last !count;
      clauses q c own (fun c ->
          let seen = Hashtbl.create 8 in
          List.iter (fun l ->
              if not (Hashtbl.mem seen l) then begin
                Hashtbl.add seen l ();
                output_string oc (lit_text l); output_char oc ' '
              end) c;
          output_string oc "0\n"))

let qcir file q =
  to_file file (fun oc ->
      output_string oc "#QCIR-G14\n";
      let rec blocks = function
        | [] -> ()
        | (k, v) :: rest ->
          let rec same acc = function
            | (k', v) :: rest when k' = k -> same (v :: acc) rest
            | rest -> List.rev acc, rest in
          let vs, rest = same [v] rest in
          Printf.fprintf oc "%s(%s)\n" (if k = Ex then "exists" else "forall")
            (String.concat ", " (List.map (fun v -> string_of_int (int v)) vs));
          blocks rest in
      blocks q.pre;
      Printf.fprintf oc "output(%s)\n" (lit_text q.out);
      List.iter (fun g ->
          Printf.fprintf oc "%d = %s(%s)\n" (int g.gout)
            (match g.gkind with And -> "and" | Or -> "or" | Xor -> "xor" | Ite -> "ite")
            (String.concat ", " (List.map lit_text g.gins))) q.gates)

(* -- Theorems for Coq -------------------------------------------------------------------- *)

(* What Coq reads and computes in a minute or two: numbers in the file. *)
let most_numbers = 400_000

exception Too_long of int

type subject =
  | Formula of qcir
  | Nested_formula of nested * qcir * uses
  | Cnf_formula of qdimacs * name list
  | Dqbf of name list * dqdimacs * name list
  | Board of positional
  | Grid of bddl

let theorem file title subject own c count run =
  let b = Buffer.create 100000 and numbers = ref 0 in
  let out fmt = Printf.bprintf b fmt in
  let list f l = out "["; List.iteri (fun i x -> if i > 0 then out "; "; f x) l; out "]" in
  let num n =
    incr numbers; if !numbers > most_numbers then raise (Too_long count);
    out "%d" (int n) in
  let lit = function P v -> out "P "; num v | N v -> out "N "; num v in
  let lits = list lit in
  let quant q = out (match q with Ex -> "Ex" | All -> "All") in
  let prefix = list (fun (q, v) -> out "("; quant q; out ", "; num v; out ")") in
  let gate g =
    out "Gate "; num g.gout;
    out (match g.gkind with And -> " And " | Or -> " Or " | Xor -> " Xor " | Ite -> " Ite "); lits g.gins in
  let gates = list (fun g -> out "\n  "; gate g) in
  let names = list num in
  let z k = let k = Game_text.int_of_z k in if k < 0 then out "(%d)%%Z" k else out "%d%%Z" k in
  let coordinate = function
    | Offset k -> out "(Offset "; z k; out ")"
    | Minimum -> out "Minimum" | Maximum -> out "Maximum"
    | Absolute k -> out "(Absolute "; z k; out ")" in
  let content c = out (match c with Open -> "Open" | IsBlack -> "IsBlack" | IsWhite -> "IsWhite") in
  let part p =
    out "Part %b " p.negated; content p.what; out " "; coordinate p.px; out " "; coordinate p.py in
  let parts = list part in
  let action a = out "\n  Action "; parts a.precondition; out " "; parts a.effect in
  let player p = out (match p with Black -> "Black" | White -> "White") in
  out "(* Written by qsage-verified; coqc -Q verified/theories Verified %s *)\n" (Filename.basename file);
  out "From Coq Require Import List ZArith.\nFrom Verified Require Import Qbf Checker Sound Prenex Games Unroll Unrolled Numbers.\n";
  out "Import ListNotations.\nOpen Scope name_scope.\n\n";
  let circuit called q =
    out "Definition %s : qcir := Qcir\n  " called; prefix q.pre; out "\n  "; gates q.gates; out " ("; lit q.out; out ").\n" in
  let statement, lemma = match subject with
    | Nested_formula (q, f, h) ->
      out "Definition formula : nested := Nested\n  "; prefix q.npre; out "\n  ";
      list (function
          | Plain g -> out "\n  Plain ("; gate g; out ")"
          | Quantified (v, p, l) -> out "\n  Quantified "; num v; out " "; prefix p; out " ("; lit l; out ")") q.ngates;
      out " ("; lit q.nout; out ").\n\n(* A prenex form, and what its literals stand for: nothing that has to be read. *)\n";
      circuit "prenex" f;
      out "Definition stands : uses := Uses "; names h.fixed; out " "; names h.local; out "\n  ";
      list (fun (g, d) -> out "("; num g; out ", "; names d; out ")") h.freely; out "\n  ";
      list (fun u ->
          out "\n  Use "; num u.uid; out " "; num u.ugate; out " ";
          list (fun (a, b) -> out "("; num a; out ", "; num b; out ")") u.uenv;
          out (match u.upol with None -> " None (" | Some true -> " (Some true) (" | Some false -> " (Some false) (");
          lit u.ucopy; out ") "; names u.ukids; out " "; names u.ubound) h.used;
      out " "; num h.root; out ".\n";
      (if own = Ex then "nested_true formula" else "nested_false formula"),
      (if own = Ex then "nested_skolem_correct listed formula prenex stands"
       else "nested_herbrand_correct listed formula prenex stands")
    | Formula q ->
      circuit "formula" q;
      (if own = Ex then "qcir_true formula" else "qcir_false formula"),
      (if own = Ex then "skolem_correct listed formula" else "herbrand_correct listed formula")
    | Cnf_formula (q, ns) ->
      out "Definition formula : qdimacs := Qdimacs\n  "; prefix q.qpre; out "\n  ";
      list (fun c -> out "\n  "; lits c) q.qclauses; out ".\nDefinition names := "; names ns; out ".\n";
      (if own = Ex then "qdimacs_true formula" else "qdimacs_false formula"),
      (if own = Ex then "qdimacs_skolem_correct listed formula names" else "qdimacs_herbrand_correct listed formula names")
    | Dqbf (us, q, ns) ->
      out "Definition formula : dqdimacs := Dqdimacs\n  ";
      list (fun (x, d) -> out "("; num x; out ", "; names d; out ")") q.deps; out "\n  ";
      list (fun c -> out "\n  "; lits c) q.dclauses; out ".\nDefinition names := "; names ns;
      out ".\nDefinition others := "; names us; out ".\n";
      "dqdimacs_true formula", "dqdimacs_correct listed others formula names"
    | Board p ->
      out "Definition rules : positional := {|\n  board := "; names p.board;
      out ";\n  order := "; list player p.order;
      out ";\n  black_stones := "; names p.black_stones; out ";\n  white_stones := "; names p.white_stones;
      out ";\n  black_sets := "; list names p.black_sets; out ";\n  white_sets := "; list names p.white_sets;
      out ";\n  hex := ";
      (match p.hex with
       | None -> out "None"
       | Some n ->
         out "Some {| cells := "; list (fun (x, ns) -> out "("; num x; out ", "; names ns; out ")") n.cells;
         out ";\n    source := "; names n.source; out "; target := "; names n.target;
         out "; joined := %b; cut := %b |}" n.joined n.cut);
      out " |}.\nDefinition the_game : game := positional_game rules.\n";
      Printf.sprintf "black_wins the_game = %b" (own = Ex),
      (if own = Ex then "black_correct listed the_game" else "white_correct listed the_game")
    | Grid g ->
      out "Definition rules : bddl := {|\n  width := "; z g.width; out "; height := "; z g.height;
      out ";\n  init := "; list (fun ((c, x), y) -> out "("; content c; out ", "; z x; out ", "; z y; out ")") g.init;
      let rec nat = function O -> 0 | S n -> 1 + nat n in
      out ";\n  depth := %d%%nat; black_first := %b" (nat g.depth) g.black_first;
      out ";\n  black_actions := "; list action g.black_actions; out ";\n  white_actions := "; list action g.white_actions;
      out ";\n  black_conditions := "; list parts g.black_conditions;
      out ";\n  white_conditions := "; list parts g.white_conditions;
      out " |}.\nDefinition the_game : game := bddl_game rules.\n";
      Printf.sprintf "black_wins the_game = %b" (own = Ex),
      (if own = Ex then "black_correct listed the_game" else "white_correct listed the_game") in
  out "\n(* The certificate and the proof: nothing that has to be read. *)\n";
  out "Definition functions : certificate := Cert\n  "; gates c.cgates; out "\n  ";
  list (fun (x, f) ->
      out "("; num x; out ", "; (match f with None -> out "None" | Some l -> out "Some ("; lit l; out ")"); out ")")
    c.cfuns;
  out ".\n";
  (* The checker runs here, and what its supply tells it is written down. *)
  let places = ref [] and steps = ref [] in
  let ok = run (fun (from : unit supply) ->
      { place_of = (fun v c () -> let k, () = from.place_of v c () in places := k :: !places; k, ());
        next_step = (fun () -> match from.next_step () with
            | Some (s, ()) -> steps := s :: !steps; Some (s, ())
            | None -> None) }) in
  if ok then begin
    out "Definition places : list (option name) := ";
    list (function None -> out "None" | Some k -> out "Some "; num k) (List.rev !places);
    out ".\nDefinition steps : list step :=\n  ";
    let rec nat = function O -> 0 | S n -> 1 + nat n in
    list (function
        | Step (k, c, hs) -> out "\n  Step "; num k; out " "; lits c; out " "; names hs
        | Take (k, v, i) -> out "\n  Take "; num k; out " "; num v; out " %d%%nat" (nat i)) (List.rev !steps);
    out ".\n\nTheorem %s : %s.\nProof.\n  apply (%s functions (length steps) (places, steps)).\n" title statement lemma;
    out "  vm_cast_no_check (eq_refl true).\nQed.\nPrint Assumptions %s.\n" title;
    to_file file (fun oc -> Buffer.output_buffer oc b)
  end;
  ok

(* A name for a theorem, of the letters and digits of a text. *)
let title_of verb text =
  let stem = String.map (fun c -> match c with 'a'..'z' | 'A'..'Z' | '0'..'9' -> c | _ -> '_') text in
  if verb = "" then (if stem = "" || not (stem.[0] >= 'A' && stem.[0] <= 'z') then "theorem_" ^ stem else stem)
  else verb ^ "_" ^ stem
