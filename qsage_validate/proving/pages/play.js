// Plays a Skolem certificate by its own gates and those of its formula; needs nothing else.
// The page carries the graph and the meaning of its literals (play_page.py); under node the
// class below is loaded alone.

// The numbers of 32 bits behind a deflated text in base64.
async function inflated(text) {
  const packed = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  const bytes = new DataView(await new Response(stream).arrayBuffer());
  const numbers = new Int32Array(bytes.byteLength / 4);
  // Little endian, whatever the machine is.
  for (let k = 0; k < numbers.length; k++) numbers[k] = bytes.getInt32(4 * k, true);
  return numbers;
}

class Strategy {
  // `data` is the page's table; `columns` are the two fan-ins of each gate, one after the other.
  // `rules` are those of the game (rules.js), where they travel.
  constructor(data, columns, rules) {
    this.data = data;
    this.rules = rules;
    this.columns = columns;
    // One word for each variable: bit k belongs to play k of up to 32.
    this.words = new Int32Array(1 + data.inputs + data.gates);
  }

  static async load(data, rules) {
    return new Strategy(data, await inflated(data.circuit), rules);
  }

  // The values of `literals` in each of `choices`, which are lists of [input, value].
  ask(choices, literals) {
    const { words, columns, data } = this;
    const rows = [];
    for (let first = 0; first < choices.length; first += 32) {
      const part = choices.slice(first, first + 32);
      words.fill(0, 0, data.inputs + 1);
      part.forEach((choice, k) => {
        for (const [input, value] of choice) {
          if (value) words[input] |= 1 << k;
          else words[input] &= ~(1 << k);
        }
      });
      for (let k = 0, out = data.inputs + 1; k < columns.length; k += 2, out++) {
        const a = columns[k], b = columns[k + 1];
        words[out] = (words[a >> 1] ^ -(a & 1)) & (words[b >> 1] ^ -(b & 1));
      }
      part.forEach((_, k) => {
        // An output is named by its place; the graph's literal may be negated once more.
        rows.push(literals.map((name) => {
          const x = data.outputs[name >> 1] ^ (name & 1);
          return (((words[x >> 1] ^ -(x & 1)) >>> k) & 1) === 1;
        }));
      });
    }
    return rows;
  }

  start() {
    return this.read({ plies: 0, choice: [], moves: [], spoken: [], pieces: [], told: [], said: null, named: null,
      ending: "", problem: "", claims: false,
      position: this.rules ? this.rules.positions[0] : null });
  }

  // The state with the position that the formula has: stones, or the numbers of its true atoms.
  read(state) {
    const { at, code, states } = this.data;
    const kinds = states[state.plies] || [];
    const rows = this.ask(at.map((own) => [...state.choice, ...own]), kinds.map((k) => k[1]));
    const atoms = [];
    let squares = null;
    if (code) {
      squares = kinds.length ? rows.map(([one, two]) =>
        (code === "open") === one ? "." : two ? "W" : "B").join("") : null;
    } else {
      rows.forEach((row, place) => row.forEach((value, k) => {
        if (value) atoms.push(this.data.atoms[kinds[k][0]][place]);
      }));
    }
    const over = state.ending || (state.plies >= this.data.plies.length ? "all plies are played" : "");
    return { ...state, squares, atoms, known: kinds.length > 0, ending: over };
  }

  mine(state) {
    return !state.ending && this.data.plies[state.plies].mine;
  }

  // The formula's word on each move of the opponent: whether it is legal, and the reasons if not.
  // Of a move that is `silent` the formula says nothing; legal is then what the rules say.
  legality(state) {
    const ply = this.data.plies[state.plies];
    const rules = ply.moves.map((_, k) => ply.rules[ply.rule[k]]);
    const choices = [], where = [];
    rules.forEach((rule, k) => rule.literals.forEach(([literal, at]) => {
      choices.push([...state.choice, ...ply.sets[k], ...at]);
      where.push(literal);
    }));
    const column = [...new Set(where)];
    const rows = this.ask(choices, column);
    const taken = new Set(ply.taken);
    let next = 0;
    return rules.map((rule, k) => {
      const wrong = rule.literals.filter(([literal]) => {
        const row = next++;
        return !rows[row][column.indexOf(literal)];
      });
      const reasons = wrong.map((each) => `${each[2]} is false`);
      const told = (legal, why) => ({ legal, silent: false, reasons: why });
      if (rule.mode === "never") return told(false, ["the formula takes no such move"]);
      if (rule.mode === "all") return told(wrong.length === 0, reasons);
      if (rule.mode === "claimed") {
        const earlier = state.told.indexOf(ply.moves[k]);
        if (earlier >= 0) return told(false, [`ply ${earlier + 1} has claimed it`, ...reasons]);
        // Other literals of a board that is bound from one side are evidence and decide nothing.
        if (wrong.some((each) => each[3])) return told(false, reasons);
      }
      const against = taken.has(k) ? ["a stone stands there from the start"]
        : state.position && !state.position.outcome
          && !this.rules.allows(state.position, state.plies, k)
          ? ["the rules forbid it, and the formula does not say"] : [];
      return { legal: against.length === 0, silent: true, reasons: against };
    });
  }

  // The state, whose play is over where the opponent has no legal move.
  settled(state, legality) {
    const stuck = !state.ending && !this.mine(state) && !legality(state).some((each) => each.legal);
    return stuck ? { ...state, ending: `${this.data.opponent} has no legal move` } : state;
  }

  // The places with a stone, and whose.
  stones(state) {
    const { data } = this;
    const found = { ...data.held }; // the formula may say nothing of the start's
    if (state.squares) [...state.squares].forEach((c, k) => c !== "." && (found[data.on[k]] = c));
    for (const atom of state.atoms) {
      if (data.drawn[atom]) found[data.drawn[atom][0]] = data.drawn[atom][1];
    }
    return found;
  }

  // Move number `k` of the next ply as people say it.
  word(state, k) {
    const { position } = state, ply = this.data.plies[state.plies];
    const said = position && this.rules.said(position, state.plies, k);
    return this.data.words[said === null || said === undefined ? ply.said[k] : said];
  }

  // What the rules say against move `k` where `stones` stand: a sentence, and the rule.
  against(state, k, stones) {
    const conditions = this.data.conditions[this.data.plies[state.plies].moves[k]] || [];
    for (const [square, rule, said] of conditions) {
      const sentence = said[square === null ? "." : stones[square] || "."];
      if (sentence) return rule ? [sentence, rule] : [sentence];
    }
    return [];
  }

  // The state after the opponent's move number `k`, which has to be legal.
  play(state, k) {
    const ply = this.data.plies[state.plies], move = ply.moves[k];
    return this.after(state, {
      ...state, plies: state.plies + 1, choice: [...state.choice, ...ply.sets[k]],
      moves: [...state.moves, this.data.words[move]], told: [...state.told, move], said: move,
      spoken: [...state.spoken, this.word(state, k)], named: ply.squares[k],
      pieces: ply.covers[k] ? [...state.pieces, ply.covers[k]] : state.pieces,
    });
  }

  // The state after the certificate's ply.
  answer(state) {
    const { data } = this;
    const ply = data.plies[state.plies];
    const row = this.ask([state.choice], ply.stop === null ? ply.bits : [...ply.bits, ply.stop])[0];
    const stop = ply.stop !== null && row[ply.bits.length];
    const own = ply.patterns.findIndex((pattern) =>
      [...pattern].every((bit, k) => bit === "-" || (bit === "1") === row[k]));
    const move = own < 0 ? null : ply.moves[own];
    const shown = stop && ply.instead ? "stop" : move === null ? "?" : data.words[move];
    const spoken = shown === "stop" || own < 0 ? shown : this.word(state, own);
    const pieces = ply.covers[own] ? [...state.pieces, ply.covers[own]] : state.pieces;
    const after = { ...state, pieces, spoken: [...state.spoken, spoken],
      plies: state.plies + 1, named: own < 0 ? null : ply.squares[own],
      moves: [...state.moves, shown], told: [...state.told, stop ? null : move], said: move,
      claims: stop };
    if (stop) after.ending = `${data.player} claims the goal`;
    else if (move === null && !data.passes) {
      after.ending = `the certificate's reply is no move`;
      after.problem = `the bits of ply ${state.plies + 1} name no move: ${data.player} loses`;
    }
    return this.after(state, after);
  }

  // The state `next` behind `state`, with the positions that formula and rules have.
  after(state, next) {
    return this.read({ ...next, position: this.rules ? this.rules.next(state.position, next) : null });
  }

  // The verdict of a finished play: for all values of what the opponent has not chosen.  `note`
  // says which values these are, or at which of them it is false.
  verdict(state) {
    const { verdict, rest, most, symbolic } = this.data;
    if (verdict === null) return { value: null, note: "the layout names no verdict" };
    const chosen = new Set(state.choice.map(([input]) => input));
    const free = rest.filter((input) => !chosen.has(input));
    const every = 2 ** free.length, count = Math.min(most, every);
    for (let first = 0; first < count; first += 32) {
      const choices = [];
      for (let n = first; n < Math.min(count, first + 32); n++) {
        choices.push([...state.choice,
          ...free.map((input, k) => [input, Math.floor(n / 2 ** k) % 2 === 1])]);
      }
      const wrong = this.ask(choices, [verdict]).findIndex(([value]) => !value);
      if (wrong >= 0) return { value: false, note: this.place(choices[wrong]) };
    }
    if (every === 1) return { value: true, note: "" };
    const parts = symbolic.length ? ["the symbolic position"] : [];
    if (free.some((input) => !symbolic.includes(input))) parts.push(`${this.data.opponent}'s other variables`);
    const number = `${count === every ? "all " : ""}${count.toLocaleString("en")}`;
    return { value: true, note: `under ${number} values of ${parts.join(" and ")}` };
  }

  // The symbolic position of a choice of the opponent's, in words.
  place(choice) {
    const { at, axes, code, places } = this.data;
    const values = new Map(choice.map(([input, value]) => [input, Boolean(value)]));
    if (code) {
      const square = axes.map((bits) => 1 + bits.reduce((sum, [input, negated]) =>
        2 * sum + (input > 0 && Boolean(values.get(input)) !== Boolean(negated)), 0));
      return `at the symbolic square (${square.join(",")})`;
    }
    const found = places.findIndex((_, k) => at[k].length &&
      at[k].every(([input, value]) => values.get(input) === Boolean(value)));
    return found < 0 ? "" : `at the symbolic position ${places[found]}`;
  }
}

// A certificate whose answers to every play of legal moves travel (play_page.py); the positions are
// those of the rules, and legal is what these allow.
class Told extends Strategy {
  static async load(data, rules) {
    return new Told(data, null, rules);
  }

  start() {
    return this.ended({ ...super.start(), node: 0, queue: this.data.nodes[0].answers });
  }

  // The state, whose play is over where its node says so, or all plies are played.
  ended(state) {
    const all = state.plies >= this.data.plies.length ? "all plies are played" : "";
    return { ...state,
      ending: state.queue.length ? "" : this.data.nodes[state.node].ending || all };
  }

  read(state) {
    return { ...state, squares: null, known: true,
      atoms: state.position ? [...state.position.atoms] : state.atoms || [] };
  }

  legality(state) {
    const next = new Map(this.data.nodes[state.node].next);
    return this.data.plies[state.plies].moves.map((move, k) => ({ legal: next.has(move), silent: true,
      reasons: next.has(move) || (this.data.conditions[move] || []).length
        ? [] : ["the rules forbid it"] }));
  }

  play(state, k) {
    const ply = this.data.plies[state.plies];
    const node = new Map(this.data.nodes[state.node].next).get(ply.moves[k]);
    return this.ended({ ...super.play(state, k), node, queue: this.data.nodes[node].answers });
  }

  answer(state) {
    const [move, ...queue] = state.queue, ply = this.data.plies[state.plies];
    const own = ply.moves.indexOf(move), known = own >= 0;
    return this.after(state, this.ended({ ...state, queue, plies: state.plies + 1, claims: false,
      said: move, named: known ? ply.squares[own] : null, told: [...state.told, move],
      moves: [...state.moves, known ? this.data.words[move] : "?"],
      spoken: [...state.spoken, known ? this.word(state, own) : "?"],
      pieces: ply.covers[own] ? [...state.pieces, ply.covers[own]] : state.pieces,
    }));
  }

  mine(state) {
    return !state.ending && state.queue.length > 0;
  }

  verdict(state) {
    const { kept } = this.data.nodes[state.node];
    return { value: null, note: `${kept ? "" : "NOT "}as the certificate promised` };
  }
}

if (typeof module !== "undefined") module.exports = { Strategy, Told, inflated };

// -- the page -------------------------------------------------------------------------------

// One stop of the tab key for all buttons of `box`; the arrow keys go from one to the next.
function toolbar(box) {
  const buttons = () => [...box.querySelectorAll("button")];
  const hold = (button) => {
    for (const each of buttons()) each.tabIndex = each === button ? 0 : -1;
  };
  box.addEventListener("focusin", (event) => hold(event.target));
  box.addEventListener("keydown", (event) => {
    const all = buttons(), now = all.indexOf(box.getRootNode().activeElement);
    const next = { ArrowRight: now + 1, ArrowDown: now + 1, ArrowLeft: now - 1, ArrowUp: now - 1,
      Home: 0, End: all.length - 1 }[event.key];
    if (next === undefined || now < 0) return;
    event.preventDefault();
    all[(next + all.length) % all.length].focus();
  });
  return { renew: () => hold(buttons()[0]) };
}

// The play in the elements of `root`, which is a document or a shadow root. `told` hears the moves of
// the opponent up to the state that is looked at. What is returned plays such moves from the start.
function show(strategy, root, told = () => {}) {
  const { data, rules } = strategy;
  const find = (id) => root.getElementById(id);
  let line = []; // the states of the play so far, one for each ply
  let at = 0; // the one that is looked at
  let note = "";

  // The legality of each state's moves; not in the state, from which the next one is made.
  const known = new WeakMap();
  const legality = (state) => {
    if (!known.has(state)) known.set(state, strategy.legality(state));
    return known.get(state);
  };
  const values = new WeakMap();
  const verdict = (state) => {
    if (!values.has(state)) values.set(state, strategy.verdict(state));
    return values.get(state);
  };
  // The states behind `state` until the opponent is to move.
  const replied = (state) => {
    const states = [state];
    while (strategy.mine(states.at(-1))) states.push(strategy.answer(states.at(-1)));
    return [...states.slice(0, -1), strategy.settled(states.at(-1), legality)];
  };
  const waits = (state) => !state.ending && !strategy.mine(state);
  const said = (states) => states.slice(1).map((state) => state.spoken.at(-1)).join(", ");
  const outcome = (state) => {
    if (!state.ending) return "";
    const { value, note } = verdict(state);
    const words = value === null ? note
      : `the formula is ${value} for this play${note && (value ? `, ${note}` : ` ${note}`)}`;
    return `The play is over: ${state.ending}; ${words}.`;
  };

  const stones = (state) => strategy.stones(state);

  function draw(state, before) {
    const group = find("stones");
    if (!group) return;
    group.replaceChildren();
    const shape = (place, radius, paint, corners = []) => {
      const name = corners.length ? "path" : "circle";
      const made = document.createElementNS("http://www.w3.org/2000/svg", name);
      const [x, y] = data.centres[place];
      const points = corners.map(([dx, dy]) => `${x + radius * dx} ${y + radius * dy}`);
      const form = corners.length ? { d: `M${points.join("L")}Z` } : { cx: x, cy: y, r: radius };
      for (const [key, value] of Object.entries({ ...form, ...paint })) {
        made.setAttribute(key, value);
      }
      group.append(made);
      return made;
    };
    const now = stones(state), past = before ? stones(before) : now;
    const called = (place) => data.names[place] || place;
    // A piece of several squares is a line with round ends: Black's is solid, White's has an edge.
    for (const [first, ...rest] of state.pieces) {
      const [x1, y1] = data.centres[first];
      for (const [place, wide] of rest.flatMap((each) => [[each, 1.5], [each, -1.5]])) {
        const paint = data.paint[`piece-${now[first]}${wide < 0 ? "-in" : ""}`];
        if (!paint) continue;
        const made = document.createElementNS("http://www.w3.org/2000/svg", "path");
        const [x2, y2] = data.centres[place];
        const look = { d: `M${x1} ${y1}L${x2} ${y2}`, "stroke-linecap": "round",
          "stroke-width": 30 + wide, ...paint };
        for (const [key, value] of Object.entries(look)) made.setAttribute(key, value);
        group.append(made);
      }
    }
    const covered = new Set(state.pieces.flat());
    const own = { B: [], W: [] };
    for (const [place, who] of Object.entries(now)) {
      own[who].push(called(place));
      if (!covered.has(place)) shape(place, 15, data.paint[who], data.forms[who]);
    }
    // A move may name another square than it changes: a column, in which a stone falls.
    const changed = Object.keys(data.centres).filter((place) => now[place] !== past[place]);
    const last = changed.includes(state.named) ? state.named
      : changed.length === 1 ? changed[0] : null;
    if (last) {
      const who = now[last];
      shape(last, who ? 7 : 9, { ...data.paint[who ? `last-${who}` : "left"], "stroke-width": 2 });
    }
    const unknown = state.known ? "" : " The formula does not say the position here.";
    const words = `Black: ${own.B.join(" ") || "none"}. White: ${own.W.join(" ") || "none"}.` +
      `${last ? ` Last move: ${called(last)}.` : ""}${unknown}`;
    find("board-words").textContent = words;
    find("play-d").textContent = words;
    if (!waits(state)) return;
    // A click plays the move of a square that has one move; the list has all of them.
    const ply = data.plies[state.plies];
    const there = {};
    ply.squares.forEach((place, k) => place && (there[place] = [...(there[place] || []), k]));
    for (const [place, moves] of Object.entries(there)) {
      const legal = moves.filter((k) => legality(state)[k].legal);
      const target = shape(place, 18, { class: "target", fill: "transparent" });
      target.addEventListener("click", () => {
        if (legal.length === 1) choose(legal[0]);
        else if (moves.length === 1) choose(moves[0]);
        else if (legal.length) {
          say(`${called(place)} has several moves: ${legal.map((k) => strategy.word(state, k)).join(", ")}. ` +
            "Choose among your legal moves.");
        } else say(`${called(place)} has no legal move.`);
      });
    }
  }

  function say(text) {
    note = text;
    const state = line[at];
    find("status").textContent = [note, state.problem, outcome(state)].filter(Boolean).join(" ");
  }

  // What the rules say against the play up to the state that is looked at.
  function accuse() {
    const box = find("found");
    const { findings, ending } = rules ? rules.follow(line.slice(0, at + 1), legality, verdict)
      : { findings: [], ending: "" };
    const told = JSON.stringify([findings, ending]);
    if (box.dataset.told === told) return; // A list that is made anew would be read anew.
    box.dataset.told = told;
    box.replaceChildren();
    if (ending) element("p", ending, box, { class: "note" });
    if (!findings.length) return;
    element("h2", "Findings against the rules", box);
    const list = element("ul", "", box);
    for (const each of findings) element("li", `After ply ${each.plies}: ${each.text}.`, list);
  }

  // A move from an earlier position replaces what followed.
  function choose(k) {
    const state = line[at];
    const verdict = legality(state)[k];
    const move = strategy.word(state, k);
    if (!verdict.legal) {
      const why = [...strategy.against(state, k, stones(state)), ...verdict.reasons];
      say(`${move} is illegal: ${why.join("; ")}.`);
      return;
    }
    const states = replied(strategy.play(state, k));
    line = [...line.slice(0, at + 1), ...states];
    at = line.length - 1;
    const replies = said(states);
    note = replies ? `You: ${move}. ${data.player}: ${replies}.` : `You: ${move}.`;
    render();
  }

  // The opponent's legal moves with the reply to each, made when they are opened.
  function branch(state, parent) {
    if (!waits(state)) return;
    const verdicts = legality(state);
    data.plies[state.plies].moves.forEach((move, k) => {
      if (!verdicts[k].legal) return;
      const states = replied(strategy.play(state, k)), after = states.at(-1);
      const item = element("details", "", parent);
      element("summary", `${strategy.word(state, k)} → ${said(states) || "the end"}`, item);
      if (after.ending) element("p", outcome(after), item);
      else item.addEventListener("toggle", () => branch(after, item), { once: true });
    });
  }

  // The number of the state to which the last move is taken back; -1 at the start.
  const earlier = () => line.slice(0, -1).findLastIndex(waits);

  function render() {
    const state = line[at];
    const moves = find("moves"), illegal = find("illegal");
    const chose = moves.contains(root.activeElement);
    say(note);
    usable(find("undo"), earlier() >= 0);
    steps.set(at, line.length - 1);
    find("atoms").textContent = state.squares || find("stones") && Object.keys(data.drawn).length
      ? "" : state.atoms.map((atom) => data.words[atom]).join(", ");
    const list = find("history");
    list.replaceChildren();
    line.at(-1).spoken.forEach((move, k) => {
      const who = data.plies[k].mine ? data.player : data.opponent;
      element("li", `${who}: ${move}`, list, k + 1 === at ? { "aria-current": "step" } : {});
    });
    moves.replaceChildren();
    illegal.replaceChildren();
    find("choices").hidden = !waits(state);
    if (waits(state)) {
      data.plies[state.plies].moves.forEach((move, k) => {
        const box = legality(state)[k].legal ? moves : illegal;
        element("button", strategy.word(state, k), box, { type: "button" }).addEventListener("click", () => choose(k));
      });
    }
    legalKeys.renew();
    illegalKeys.renew();
    // The button that was chosen is gone; without this the next Tab begins at the page's start.
    if (chose) (moves.querySelector("button") || find("again")).focus({ preventScroll: true });
    draw(state, line[at - 1]);
    accuse();
    const tree = find("tree");
    tree.replaceChildren();
    if (find("replies").open) branch(state, tree);
    told(made());
  }

  // The opponent's moves up to the state that is looked at.
  const made = () => line[at].moves.filter((_, k) => !data.plies[k].mine);

  // Play these moves of the opponent's, as far as they are legal.
  function replay(moves) {
    line = replied(strategy.start());
    for (const move of moves) {
      const state = line.at(-1);
      if (!waits(state)) break;
      const k = data.plies[state.plies].moves.findIndex((each) => data.words[each] === move);
      if (k < 0 || !legality(state)[k].legal) break;
      line = [...line, ...replied(strategy.play(state, k))];
    }
    at = line.length - 1;
    note = `The play stands after ply ${at}.`;
    render();
  }

  const restart = () => {
    line = replied(strategy.start());
    at = line.length - 1;
    const begun = said(line);
    note = begun ? `${data.player}: ${begun}. Your move.` : "Your move.";
    render();
  };
  const legalKeys = toolbar(find("moves")), illegalKeys = toolbar(find("illegal"));
  const steps = stepper(find("steps"), find("steps"), (step) => {
    at = step;
    const made = line[at].spoken.at(-1);
    const who = at && (data.plies[at - 1].mine ? data.player : data.opponent);
    note = `${at ? `Ply ${at} of ${line.length - 1}. ${who}: ${made}.` : "The start."}` +
      (waits(line[at]) && at < line.length - 1 ? " A move from here replaces what followed." : "");
    render();
  });
  find("undo").addEventListener("click", () => {
    const back = earlier();
    if (back < 0) return;
    line = line.slice(0, back + 1);
    at = back;
    note = "Your move is taken back.";
    render();
  });
  find("again").addEventListener("click", restart);
  find("replies").addEventListener("toggle", () => render());
  restart();
  return { moves: made, replay };
}

// The play of a table in the elements of `root`.
async function begin(data, root, told) {
  const rules = await Rules.load(data, inflated);
  return show(await (data.nodes ? Told : Strategy).load(data, rules), root, told);
}
