"use strict";
// Plays the plays of standard input (JSON: lists of the opponent's moves) in the page's script and
// prints what the page says of each step, of the formula's value, and against the play.
const { readFileSync } = require("node:fs");
const { Strategy, inflated } = require(process.argv[2]);
const { Rules } = require(process.argv[3]);

async function main() {
  const { data, plays } = JSON.parse(readFileSync(0, "utf8"));
  const strategy = await Strategy.load(data);
  const rules = await Rules.load(data, inflated);
  const told = plays.map((moves) => {
    const steps = [], states = [];
    let state = strategy.start();
    const left = [...moves];
    for (;;) {
      state = strategy.settled(state, (each) => strategy.legality(each));
      states.push(state);
      const verdicts = strategy.mine(state) || state.ending ? null : strategy.legality(state);
      const legal = verdicts && data.plies[state.plies].moves.filter((_, k) => verdicts[k].legal);
      steps.push([state.moves, state.squares, [...state.atoms].sort(), legal]);
      if (state.ending) {
        const against = rules && rules.follow(
          states, (each) => strategy.legality(each), (each) => strategy.verdict(each));
        return [steps, strategy.verdict(state).value, against];
      }
      if (strategy.mine(state)) state = strategy.answer(state);
      else state = strategy.play(state, data.plies[state.plies].moves.indexOf(left.shift()));
    }
  });
  process.stdout.write(JSON.stringify(told));
}

main();
