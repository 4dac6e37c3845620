(** The rules of games: to be read, as [Qbf.v] is.

    Two players move in turns of which the order is given; Black wants to reach a goal
    in that many moves, White wants to hold out.  A position says of each atom ("this
    cell is black") whether it holds.  Atoms are names, conditions are literals. *)
From Coq Require Import List Bool ZArith.
From Verified Require Import Qbf.
Import ListNotations.

Inductive player := Black | White.
Definition position := assign.
Definition condition := list lit.
Definition holds (s : position) (c : condition) : bool := forallb (leval s) c.

(** A move is legal where all that it needs holds.  After it, an atom holds that the
    move sets, and one that held before and that the move does not unset. *)
Record move := Move { needs : condition; effects : list lit }.
Definition same (a b : lit) : bool :=
  match a, b with P x, P y | N x, N y => name_eqb x y | _, _ => false end.
Definition puts (l : lit) (m : move) : bool := existsb (same l) (effects m).
Definition after (s : position) (m : move) : position :=
  fun x => puts (P x) m || s x && negb (puts (N x) m).

(** A network: cells, each with its neighbours; [source] and [target] are the cells next
    to two borders.  The borders are connected if there is a way from one to the other
    through passable cells: those that are Black's, or, if Black is to [cut], those that
    are not.  [joined] says that the borders touch. *)
Record network := Network {
  cells : list (name * list name);
  source : list name; target : list name; joined : bool; cut : bool }.
Definition is_in (x : name) (xs : list name) : bool := existsb (name_eqb x) xs.
Fixpoint neighbours (cs : list (name * list name)) (x : name) : list name :=
  match cs with
  | [] => []
  | (y, ns) :: cs => if name_eqb x y then ns else neighbours cs x
  end.
Definition passable (n : network) (s : position) (x : name) : bool :=
  is_in x (map fst (cells n)) && xorb (cut n) (s x).
(** [x] is connected with the source by at most [k] steps. *)
Fixpoint within_steps (n : network) (s : position) (k : nat) (x : name) : bool :=
  passable n s x &&
  match k with
  | 0 => is_in x (source n)
  | S k => within_steps n s k x || existsb (within_steps n s k) (neighbours (cells n) x)
  end.
Definition connected (n : network) (s : position) : bool :=
  joined n || existsb (within_steps n s (length (cells n))) (target n).

(** A game.  At first the atoms [start] hold and no others.  Black has reached a goal if
    one of Black's goals holds, or the network is connected (or cut); White likewise. *)
Record game := Game {
  start : list name;
  turns : list player;
  black_moves : list move;  white_moves : list move;
  black_goals : list condition;  white_goals : list condition;
  black_network : option network;
  goals_at_start : bool;
  stuck_loses : bool }.
Definition moves (g : game) (p : player) : list move :=
  match p with Black => black_moves g | White => white_moves g end.
Definition reached (g : game) (p : player) (s : position) : bool :=
  match p, black_network g with
  | Black, Some n => xorb (cut n) (connected n s)
  | Black, None => existsb (holds s) (black_goals g)
  | White, _ => existsb (holds s) (white_goals g)
  end.

(** Black, with the players [ps] to move one after the other, wins from [s]: a player's
    goals count after the player's own moves.  White without a legal move has lost if
    [stuck_loses], and else has held out; Black without one has not won. *)
Fixpoint wins (g : game) (ps : list player) (s : position) : bool :=
  match ps with
  | [] => false
  | Black :: ps =>
      existsb (fun m => holds s (needs m) &&
                        (reached g Black (after s m) || wins g ps (after s m)))
              (black_moves g)
  | White :: ps =>
      if existsb (fun m => holds s (needs m)) (white_moves g)
      then forallb (fun m => implb (holds s (needs m))
                               (negb (reached g White (after s m)) && wins g ps (after s m)))
                   (white_moves g)
      else stuck_loses g
  end.

Definition first (g : game) : position := fun x => is_in x (start g).
Definition black_wins (g : game) : bool :=
  if goals_at_start g && reached g Black (first g) then true
  else if goals_at_start g && reached g White (first g) then false
  else wins g (turns g) (first g).

(** ** Positional games

    Tic-Tac-Toe, Hex and their like: a move claims a cell that nobody has.  A player
    wins by having all cells of one of the player's sets, Black also by a network.
    [D1 c] is "c is black", [D2 c] is "c is white". *)
Record positional := Positional {
  board : list name;
  order : list player;
  black_stones : list name;  white_stones : list name;
  black_sets : list (list name);  white_sets : list (list name);
  hex : option network }.
Definition claims (own : name -> name) (cs : list name) : list move :=
  map (fun c => Move [N (D1 c); N (D2 c)] [P (own c)]) cs.
Definition sets_of (own : name -> name) : list (list name) -> list condition :=
  map (map (fun c => P (own c))).
(** The same network, on the atoms "this cell is black". *)
Definition of_black (n : network) : network :=
  Network (map (fun cn => (D1 (fst cn), map D1 (snd cn))) (cells n))
          (map D1 (source n)) (map D1 (target n)) (joined n) (cut n).
Definition positional_game (p : positional) : game := {|
  start := map D1 (black_stones p) ++ map D2 (white_stones p);
  turns := order p;
  black_moves := claims D1 (board p);  white_moves := claims D2 (board p);
  black_goals := sets_of D1 (black_sets p);  white_goals := sets_of D2 (white_sets p);
  black_network := option_map of_black (hex p);
  goals_at_start := true;
  stuck_loses := false |}.

(** ** BDDL: games on a grid

    Shaik and van de Pol, "Concise QBF Encodings for Games on a Grid", section 3.3.  A
    coordinate is [?x + k], [xmin], [xmax] or a number; squares are (1,1) to
    (width,height). *)
Local Open Scope Z_scope.
Inductive coordinate := Offset (k : Z) | Minimum | Maximum | Absolute (value : Z).
Definition at_ (c : coordinate) (parameter size : Z) : Z :=
  match c with
  | Offset k => parameter + k
  | Minimum => 1
  | Maximum => size
  | Absolute value => value
  end.
Inductive content := Open | IsBlack | IsWhite.
Record part := Part { negated : bool; what : content; px : coordinate; py : coordinate }.
Record action := Action { precondition : list part; effect : list part }.
Record bddl := Bddl {
  width : Z;  height : Z;
  init : list (content * Z * Z);
  depth : nat;  black_first : bool;
  black_actions : list action;  white_actions : list action;
  black_conditions : list (list part);  white_conditions : list (list part) }.

(** The name of a square: both coordinates in binary, each ended by the digit 2. *)
Fixpoint binary (p : positive) (rest : name) : name :=
  match p with xH => D2 rest | xO p => D0 (binary p rest) | xI p => D1 (binary p rest) end.
Definition square (x y : Z) : name := binary (Z.to_pos x) (binary (Z.to_pos y) End).
Definition atom (c : content) (x y : Z) : name :=
  match c with
  | Open => D0 (square x y) | IsBlack => D1 (square x y) | IsWhite => D2 (square x y)
  end.

Fixpoint count_up (n : nat) (k : Z) : list Z :=
  match n with O => [] | S n => k :: count_up n (k + 1) end.
Definition axis (size : Z) : list Z := count_up (Z.to_nat size) 1.

(** Actions and goals stand at all positions of their parameters at which each of their
    coordinates is on the board. *)
Definition on_axis (size v : Z) : bool := (1 <=? v) && (v <=? size).
Definition positions (b : bddl) (ps : list part) : list (Z * Z) :=
  filter (fun xy => forallb (fun p => on_axis (width b) (at_ (px p) (fst xy) (width b)) &&
                                      on_axis (height b) (at_ (py p) (snd xy) (height b))) ps)
         (flat_map (fun x => map (pair x) (axis (height b))) (axis (width b))).
Definition atom_of (b : bddl) (xy : Z * Z) (p : part) : name :=
  atom (what p) (at_ (px p) (fst xy) (width b)) (at_ (py p) (snd xy) (height b)).
Definition literal (b : bddl) (xy : Z * Z) (p : part) : lit :=
  if negated p then N (atom_of b xy p) else P (atom_of b xy p).

(** An effect puts its content on a square, and takes away the two others. *)
Definition put (b : bddl) (xy : Z * Z) (p : part) : list lit :=
  let x := at_ (px p) (fst xy) (width b) in
  let y := at_ (py p) (snd xy) (height b) in
  match what p with
  | Open => [P (atom Open x y); N (atom IsBlack x y); N (atom IsWhite x y)]
  | IsBlack => [N (atom Open x y); P (atom IsBlack x y); N (atom IsWhite x y)]
  | IsWhite => [N (atom Open x y); N (atom IsBlack x y); P (atom IsWhite x y)]
  end.
(** There is no move that would put two contents on one square, or only say what is not
    there. *)
Definition possible (ls : list lit) : bool :=
  forallb (fun l => negb (existsb (same (neg l)) ls)) ls.
Definition moves_of (b : bddl) (a : action) : list move :=
  if existsb negated (effect a) then [] else
  flat_map (fun xy =>
      let ls := flat_map (put b xy) (effect a) in
      if possible ls then [Move (map (literal b xy) (precondition a)) ls] else [])
    (positions b (precondition a ++ effect a)).
Definition conditions_of (b : bddl) (c : list part) : list condition :=
  map (fun xy => map (literal b xy) c) (positions b c).

Fixpoint content_of (ps : list (content * Z * Z)) (x y : Z) : content :=
  match ps with
  | [] => Open
  | (c, x', y') :: ps => if (x =? x') && (y =? y') then c else content_of ps x y
  end.
Fixpoint alternate (p : player) (n : nat) : list player :=
  match n with
  | O => []
  | S n => p :: alternate (match p with Black => White | White => Black end) n
  end.

(** With Black second, the first of the [depth] moves is left out. *)
Definition bddl_game (b : bddl) : game := {|
  start := flat_map (fun x => map (fun y => atom (content_of (init b) x y) x y)
                                  (axis (height b))) (axis (width b));
  turns := if black_first b then alternate Black (depth b) else alternate White (pred (depth b));
  black_moves := flat_map (moves_of b) (black_actions b);
  white_moves := flat_map (moves_of b) (white_actions b);
  black_goals := flat_map (conditions_of b) (black_conditions b);
  white_goals := flat_map (conditions_of b) (white_conditions b);
  black_network := None;
  goals_at_start := false;
  stuck_loses := true |}.
