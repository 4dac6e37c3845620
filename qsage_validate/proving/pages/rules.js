// The rules of a small game as a table (rules_table.py), and what they say against a play.

// Moves and atoms are numbers; the page's words say them.

// At most six of a list, and how many more there are.
const named = (list) => list.slice(0, 6).join(", ") +
  (list.length > 6 ? ` and ${list.length - 6} more` : "");

class Rules {
  constructor(data, numbers) {
    this.data = data;
    this.positions = [];
    let next = 0, seen = 1;
    const place = (back) => (back ? seen - back : seen++);
    while (next < numbers.length) {
      const outcome = data.rules.outcomes[numbers[next++] - 1] || null;
      const atoms = new Set();
      for (let left = numbers[next++]; left; left--) atoms.add(numbers[next++]);
      const after = new Map(), said = new Map(); // where each legal move leads; its words
      for (let left = numbers[next++]; left; left--) {
        const move = numbers[next++];
        said.set(move, numbers[next++]);
        after.set(move, place(numbers[next++]));
      }
      const pass = numbers[next++];
      this.positions.push({ outcome, atoms, after, said, pass: pass ? place(pass - 1) : null });
    }
  }

  // `inflated` reads deflated numbers; null where no rules travel.
  static async load(data, inflated) {
    return data.rules ? new Rules(data, await inflated(data.rules.table)) : null;
  }

  // The rules' number of the move with the number `move` at a ply; -1 where they have none.
  name(ply, move) {
    return this.data.rules.names[ply][this.data.plies[ply].moves.indexOf(move)];
  }

  // The words of move `k` of a ply as people say it; undefined where the rules do not allow it.
  said(position, ply, k) {
    return position.said.get(this.data.rules.names[ply][k]);
  }

  // Whether the rules allow move `k` of a ply.
  allows(position, ply, k) {
    return position.after.has(this.data.rules.names[ply][k]);
  }

  // The position after the last move of `state`; null where the rules have none.
  next(position, state) {
    if (!position || position.outcome) return null; // The play is over; the formula may go on.
    const number = state.plies - 1, ply = this.data.plies[number];
    if (state.claims && ply.instead) return position; // the claim stands for the ply
    const next = position.after.get(this.name(number, state.said));
    if (next !== undefined) return this.positions[next];
    // Accepted against the rules, as was told before, or ignored.
    return ply.mine && position.pass !== null ? this.positions[position.pass] : null;
  }

  // The findings against a play, which are states from the start on, and its end by the rules.
  // `legality` is the formula's word on the opponent's moves in a state, `verdict` its value there.
  follow(states, legality, verdict) {
    const findings = [], { player } = this.data;
    let ending = "", winner = null, known = new Set();
    const found = (state, text) => findings.push({ plies: state.plies, text });
    states.forEach((state, k) => {
      const { position } = state, before = k ? states[k - 1].position : null;
      if (!position) {
        if (before && !before.outcome && this.data.plies[state.plies - 1].mine) {
          found(state, state.said === null ? `the bits of ${player}'s reply name no move`
            : `${player}'s reply ${state.moves.at(-1)} is illegal by the rules`);
        }
        return;
      }
      const differ = this.differences(position, state);
      const fresh = differ.filter(([atom]) => !known.has(atom));
      // A fault persists: it is told when it first occurs.
      if (fresh.length) found(state, named(fresh.map((each) => each[1])));
      known = new Set(differ.map(([atom]) => atom));
      const { outcome } = position;
      if (state.claims && (!outcome || outcome[0] !== player)) {
        found(state, `${player} claims the goal, which by the rules is not reached`);
      }
      if (outcome) {
        ending = `By the rules ${outcome[0]} has won after ply ${state.plies}: ${outcome[1]}.`;
        if (outcome[0] !== player) {
          found(state, `${outcome[0]} wins by the rules (${outcome[1]}), ` +
            `and the certificate promised ${player}`);
        }
        winner = outcome[0];
        return;
      }
      const ply = this.data.plies[state.plies];
      if (!state.claims && ply && !ply.mine) this.compare(position, state, legality(state), found);
    });
    const last = states.at(-1);
    if (last.ending && winner === player && verdict(last).value === false) {
      found(last, `the formula is false for this play, which ${player} has won by the rules`);
    }
    return { findings, ending };
  }

  // What formula and rules say differently of a position: atoms, with the words for it.
  differences(position, state) {
    const { atoms, stones, states, rules, words } = this.data;
    const told = new Map(); // what the formula says of each atom that it has
    if (state.squares) {
      [...state.squares].forEach((stone, k) => {
        told.set(stones[k][0], stone === "B");
        told.set(stones[k][1], stone === "W");
      });
    } else if (state.known && !this.data.code) {
      const own = new Set(state.atoms);
      for (const [kind] of states[state.plies]) {
        for (const atom of atoms[kind]) told.set(atom, own.has(atom));
      }
    }
    return [...told].filter(([atom, value]) => value !== position.atoms.has(atom) &&
      (!rules.oneSided || value === words[atom].startsWith("black ")))
      .map(([atom, value]) =>
        [atom, `'${words[atom]}' is ${value} in the formula and ${!value} by the rules`]);
  }

  // The formula's word on the opponent's moves against that of the rules.
  compare(position, state, verdicts, found) {
    const { plies, rules, words } = this.data;
    const { moves } = plies[state.plies], own = new Set();
    const accepted = [], forbidden = [];
    moves.forEach((move, k) => {
      const legal = this.allows(position, state.plies, k), { silent } = verdicts[k];
      own.add(rules.names[state.plies][k]);
      if (verdicts[k].legal && !legal && !silent) accepted.push(words[move]);
      if (!verdicts[k].legal && legal && !silent) forbidden.push(words[move]);
    });
    const but = state.plies ? [] : rules.exchanged;
    const unsaid = [...position.after.keys()].filter((each) => !own.has(each) && !but.includes(each))
      .map((each) => words[each]);
    if (accepted.length) found(state, `the formula accepts ${named(accepted)}, which the rules forbid`);
    if (forbidden.length) found(state, `the formula forbids ${named(forbidden)}, which the rules allow`);
    if (unsaid.length) found(state, `the rules allow ${named(unsaid)}, which the formula cannot say`);
  }
}

if (typeof module !== "undefined") module.exports = { Rules };
