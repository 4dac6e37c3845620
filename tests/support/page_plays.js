"use strict";
// Plays the plays of standard input (JSON: lists of the opponent's moves) in the page's script and
// prints what the page says of each step, of the formula's value, and against the play.
const { readFileSync } = require("node:fs");
const { Strategy, Told, inflated } = require(process.argv[2]);
const { Rules } = require(process.argv[3]);

async function main() {
  const { data, plays } = JSON.parse(readFileSync(0, "utf8"));
  const rules = await Rules.load(data, inflated);
  const strategy = await (data.nodes ? Told : Strategy).load(data, rules);
  const said = (number) => data.words[number];
  const told = plays.map((moves) => {
    const steps = [], states = [], wrong = [];
    let state = strategy.start();
    const left = [...moves];
    for (;;) {
      state = strategy.settled(state, (each) => strategy.legality(each));
      states.push(state);
      const verdicts = strategy.mine(state) || state.ending ? null : strategy.legality(state);
      const moves = verdicts && data.plies[state.plies].moves;
      const legal = moves && moves.filter((_, k) => verdicts[k].legal).map(said);
      const bad = rules && moves && state.position && !state.position.outcome
        ? moves.findIndex((_, k) => !rules.allows(state.position, state.plies, k)) : -1;
      if (bad >= 0) {
        const why = strategy.against(state, bad, strategy.stones(state));
        wrong.push([state.moves, said(moves[bad]), strategy.word(state, bad), why]);
      }
      steps.push([state.moves, state.squares, state.atoms.map(said).sort(), legal]);
      if (state.ending) {
        const against = rules && rules.follow(
          states, (each) => strategy.legality(each), (each) => strategy.verdict(each));
        const { value, note } = strategy.verdict(state);
        return [steps, [value, note], against, state.spoken, wrong];
      }
      if (strategy.mine(state)) state = strategy.answer(state);
      else state = strategy.play(state, data.plies[state.plies].moves.map(said).indexOf(left.shift()));
    }
  });
  process.stdout.write(JSON.stringify(told));
}

main();
