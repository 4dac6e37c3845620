"use strict";
// Plays a Skolem certificate by its own gates and those of its formula; needs nothing else.
// The page carries the graph and the meaning of its literals (play_page.py); under node the
// class below is loaded alone.

class Strategy {
  // `data` is the page's table; `columns` are the two fan-ins of each gate, one after the other.
  constructor(data, columns) {
    this.data = data;
    this.columns = columns;
    // One word for each variable: bit k belongs to play k of up to 32.
    this.words = new Int32Array(1 + data.inputs + data.gates);
  }

  static async load(data) {
    const packed = Uint8Array.from(atob(data.circuit), (c) => c.charCodeAt(0));
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
    const bytes = new DataView(await new Response(stream).arrayBuffer());
    const columns = new Int32Array(bytes.byteLength / 4);
    // Little endian, whatever the machine is.
    for (let k = 0; k < columns.length; k++) columns[k] = bytes.getInt32(4 * k, true);
    return new Strategy(data, columns);
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
    return this.read({ plies: 0, choice: [], moves: [], told: [], ending: "", problem: "" });
  }

  // The state with the position that the formula has.
  read(state) {
    const { at, places, code, states } = this.data;
    const kinds = states[state.plies] || [];
    const rows = this.ask(at.map((own) => [...state.choice, ...own]), kinds.map((k) => k[1]));
    const atoms = [];
    let squares = null;
    if (code) {
      squares = kinds.length ? rows.map(([one, two]) =>
        (code === "open") === one ? "." : two ? "W" : "B").join("") : null;
    } else {
      rows.forEach((row, place) => row.forEach((value, k) => {
        if (value) atoms.push(places.length ? `${kinds[k][0]} ${places[place]}` : kinds[k][0]);
      }));
    }
    const over = state.ending || (state.plies >= this.data.plies.length ? "all plies are played" : "");
    return { ...state, squares, atoms, known: kinds.length > 0, ending: over };
  }

  mine(state) {
    return !state.ending && this.data.plies[state.plies].mine;
  }

  // The formula's word on each move of the opponent: whether it is legal, and the reasons if not.
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
    let next = 0;
    return rules.map((rule, k) => {
      const wrong = rule.literals.filter(([literal]) => {
        const row = next++;
        return !rows[row][column.indexOf(literal)];
      });
      const reasons = wrong.map((each) => `${each[2]} is false`);
      if (rule.mode === "never") return { legal: false, reasons: ["the formula takes no such move"] };
      if (rule.mode === "all") return { legal: wrong.length === 0, reasons };
      const earlier = this.data.claims ? state.told.indexOf(ply.moves[k]) : -1;
      if (earlier >= 0) reasons.unshift(`ply ${earlier + 1} has claimed it`);
      // Other literals of a board that is bound from one side are evidence and decide nothing.
      return { legal: earlier < 0 && !wrong.some((each) => each[3]), reasons };
    });
  }

  // The state after the opponent's move number `k`, which has to be legal.
  play(state, k) {
    const ply = this.data.plies[state.plies];
    return this.read({
      ...state, plies: state.plies + 1, choice: [...state.choice, ...ply.sets[k]],
      moves: [...state.moves, ply.moves[k]], told: [...state.told, ply.moves[k]],
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
    const after = { ...state, plies: state.plies + 1,
      moves: [...state.moves, stop && ply.instead ? "stop" : move === null ? "?" : move],
      told: [...state.told, stop ? null : move] };
    if (stop) after.ending = `${data.player} claims the goal`;
    else if (move === null && !data.passes) {
      after.ending = `the certificate's reply is no move`;
      after.problem = `the bits of ply ${state.plies + 1} name no move: ${data.player} loses`;
    }
    return this.read(after);
  }

  // The verdict of a finished play: for all values of what the opponent has not chosen.
  verdict(state) {
    const { verdict, rest, most } = this.data;
    if (verdict === null) return { value: null, count: 0, exact: false };
    const chosen = new Set(state.choice.map(([input]) => input));
    const free = rest.filter((input) => !chosen.has(input));
    const count = Math.min(most, 2 ** free.length);
    for (let first = 0; first < count; first += 32) {
      const choices = [];
      for (let n = first; n < Math.min(count, first + 32); n++) {
        choices.push([...state.choice,
          ...free.map((input, k) => [input, Math.floor(n / 2 ** k) % 2 === 1])]);
      }
      if (this.ask(choices, [verdict]).some(([value]) => !value)) {
        return { value: false, count, exact: count === 2 ** free.length };
      }
    }
    return { value: true, count, exact: count === 2 ** free.length };
  }
}

if (typeof module !== "undefined") module.exports = { Strategy };

// -- the page -------------------------------------------------------------------------------

function show(strategy) {
  const { data } = strategy;
  const find = (id) => document.getElementById(id);
  const make = (name, text, parent) => {
    const made = document.createElement(name);
    made.textContent = text;
    parent.append(made);
    return made;
  };
  let history = [];
  let note = "";

  const replied = (state) => {
    while (strategy.mine(state)) state = strategy.answer(state);
    return state;
  };
  const outcome = (state) => {
    if (!state.ending) return "";
    const { value, count, exact } = strategy.verdict(state);
    const values = `under ${exact ? "all " : ""}${count.toLocaleString("en")} values of the rest`;
    const verdict = value === null ? "the layout names no verdict"
      : `the formula is ${value} for this play, ${values}`;
    return `The play is over: ${state.ending}; ${verdict}.`;
  };

  function stones(state) {
    const group = find("stones");
    if (!group) return;
    group.replaceChildren();
    const shape = (place, name, radius, paint) => {
      const made = document.createElementNS("http://www.w3.org/2000/svg", "circle");
      const [x, y] = data.centres[place];
      for (const [key, value] of Object.entries({ cx: x, cy: y, r: radius, class: name, ...paint })) {
        made.setAttribute(key, value);
      }
      group.append(made);
      return made;
    };
    const said = { B: [], W: [] };
    const lay = (place, who) => {
      said[who].push(place);
      const fill = who === "B" ? "#1d1e20" : "#fff";
      shape(place, who === "B" ? "qs-black" : "qs-white", 15, { fill, stroke: "#2b2b2b" });
    };
    if (state.squares) [...state.squares].forEach((c, k) => c !== "." && lay(data.on[k], c));
    for (const atom of state.atoms) if (data.drawn[atom]) lay(...data.drawn[atom]);
    const unknown = state.known ? "" : " The formula does not say the position here.";
    find("board-words").textContent =
      `Black: ${said.B.join(" ") || "none"}. White: ${said.W.join(" ") || "none"}.${unknown}`;
    if (state.ending) return;
    // A click plays the move of a square that has one move; the list has all of them.
    const ply = data.plies[state.plies];
    const at = {};
    ply.squares.forEach((place, k) => place && (at[place] = [...(at[place] || []), k]));
    for (const [place, own] of Object.entries(at)) {
      const legal = own.filter((k) => state.legality[k].legal);
      const one = legal.length === 1 ? legal[0] : own.length === 1 ? own[0] : -1;
      const target = shape(place, "target", 18, { fill: "transparent" });
      if (one >= 0) target.addEventListener("click", () => choose(one));
    }
  }

  function choose(k) {
    const state = history.at(-1);
    const verdict = state.legality[k];
    const move = data.plies[state.plies].moves[k];
    if (!verdict.legal) {
      note = `${move} is illegal: ${verdict.reasons.join("; ")}.`;
      render();
      return;
    }
    const after = replied(strategy.play(state, k));
    const replies = after.moves.slice(state.plies + 1);
    note = replies.length ? `You: ${move}. ${data.player}: ${replies.join(", ")}.` : `You: ${move}.`;
    history.push(after);
    render();
    const first = document.querySelector("#moves button");
    (first || find("undo")).focus();
  }

  // The opponent's legal moves with the reply to each, made when they are opened.
  function branch(state, parent) {
    if (state.ending) return;
    const verdicts = strategy.legality(state);
    data.plies[state.plies].moves.forEach((move, k) => {
      if (!verdicts[k].legal) return;
      const after = replied(strategy.play(state, k));
      const replies = after.moves.slice(state.plies + 1).join(", ") || "the end";
      const item = make("details", "", parent);
      make("summary", `${move} → ${replies}`, item);
      if (after.ending) make("p", outcome(after), item);
      else item.addEventListener("toggle", () => branch(after, item), { once: true });
    });
  }

  function render() {
    const state = history.at(-1);
    if (!state.ending && !state.legality) state.legality = strategy.legality(state);
    find("status").textContent = [note, state.problem, outcome(state)].filter(Boolean).join(" ");
    find("undo").disabled = history.length < 2;
    find("atoms").textContent = state.squares || find("stones") && Object.keys(data.drawn).length
      ? "" : state.atoms.join(", ");
    const list = find("history");
    list.replaceChildren();
    state.moves.forEach((move, k) =>
      make("li", `${data.plies[k].mine ? data.player : data.opponent}: ${move}`, list));
    const moves = find("moves"), illegal = find("illegal");
    moves.replaceChildren();
    illegal.replaceChildren();
    if (!state.ending) {
      data.plies[state.plies].moves.forEach((move, k) => {
        const button = make("button", move, state.legality[k].legal ? moves : illegal);
        button.type = "button";
        button.addEventListener("click", () => choose(k));
      });
    }
    stones(state);
    const tree = find("tree");
    tree.replaceChildren();
    if (find("replies").open) branch(state, tree);
  }

  const restart = () => {
    const state = replied(strategy.start());
    history = [state];
    note = state.moves.length
      ? `${data.player}: ${state.moves.join(", ")}. Your move.` : "Your move.";
    render();
  };
  find("undo").addEventListener("click", () => {
    history.pop();
    note = "The move is taken back.";
    render();
  });
  find("again").addEventListener("click", restart);
  find("replies").addEventListener("toggle", () => render());
  restart();
}

if (typeof document !== "undefined") {
  Strategy.load(JSON.parse(document.getElementById("data").textContent)).then(show, (error) => {
    document.getElementById("status").textContent = `The circuit could not be read: ${error}`;
  });
}
