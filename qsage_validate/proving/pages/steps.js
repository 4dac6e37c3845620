"use strict";
// The steps of a play, in every page: buttons and keys that go through them.

// Elements with a name, a text and attributes, at the end of `parent`.
function element(name, text, parent, attributes = {}) {
  const made = document.createElement(name);
  made.textContent = text;
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  parent.append(made);
  return made;
}

// A button that cannot be used now keeps the focus: "disabled" would drop it to the page's start.
function usable(button, can) {
  button.setAttribute("aria-disabled", String(!can));
}

// Buttons in `place` for the steps of a play. `show(k)` is called when step k is asked for; the
// page calls `set(k, last)` with the step that is shown and the number of the last one. The arrow
// keys, Home and End go through the steps where `keys`, an element around the board, has the focus.
function stepper(place, keys, show) {
  let at = 0, last = 0;
  const group = element("div", "", place,
    { role: "group", "aria-label": "Steps of the play", class: "steps" });
  const goals = {
    First: () => 0, Back: () => at - 1, Next: () => at + 1, Last: () => last,
  };
  const named = { Home: "First", ArrowLeft: "Back", ArrowRight: "Next", End: "Last" };
  const go = (name) => {
    const step = goals[name]();
    if (step >= 0 && step <= last && step !== at) show(step);
  };
  const buttons = Object.keys(goals).map((name) => {
    const button = element("button", name, group, { type: "button" });
    button.addEventListener("click", () => go(name));
    return button;
  });
  keys.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || !named[event.key]) return;
    event.preventDefault();
    go(named[event.key]);
  });
  return {
    set(step, end) {
      [at, last] = [step, end];
      buttons.forEach((button, k) => usable(button, k < 2 ? at > 0 : at < last));
    },
  };
}
