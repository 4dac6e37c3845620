// A widget's module in node: a document that is just large enough, a model, and clicks.
// node widget_plays.mjs ESM MODEL.json CLICK...   ("undo", "again", or a move's text; "set:a,b" sets moves)

import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

class Small {
  constructor(root) {
    Object.assign(this, { root, children: [], heard: {}, dataset: {}, attributes: {}, textContent: "", hidden: false });
    this.classList = { toggle() {} };
  }
  setAttribute(name, value) { this.attributes[name] = value; }
  append(...made) { this.children.push(...made); }
  replaceChildren(...made) { this.children = made; }
  get firstChild() { return this.children[0]; }
  addEventListener(name, hears) { (this.heard[name] ||= []).push(hears); }
  fire(name, event = {}) { for (const hears of this.heard[name] || []) hears({ target: this, ...event }); }
  contains(other) { return this.children.some((each) => each === other || each.contains(other)); }
  querySelectorAll(name) {
    return this.children.flatMap((each) => [...(each.name === name ? [each] : []), ...each.querySelectorAll(name)]);
  }
  querySelector(name) { return this.querySelectorAll(name)[0] || null; }
  getRootNode() { return this.root; }
  focus() { this.root.activeElement = this; }
}

const root = new Small(null);
const known = {};
Object.assign(root, { activeElement: null, getElementById: (id) => (known[id] ||= new Small(root)) });
const create = (name) => Object.assign(new Small(root), { name });
// Nothing may be looked up in the notebook's own document.
globalThis.document = { createElement: create, createElementNS: (_, name) => create(name) };

const [esm, file, ...clicks] = process.argv.slice(2);
const values = JSON.parse(readFileSync(file, "utf-8"));
let changed = () => {};
const model = {
  get: (name) => values[name],
  set: (name, value) => { values[name] = value; },
  save_changes: () => changed(),
  on: (_, hears) => { changed = hears; },
};
const { default: widget } = await import(pathToFileURL(esm));
await widget.render({ model, el: { attachShadow: () => root } });
const told = [];
const tell = () => told.push({
  moves: values.moves, status: known.status.textContent,
  history: known.history.children.map((each) => each.textContent),
});
tell();
for (const click of clicks) {
  if (click.startsWith("set:")) {
    values.moves = click.slice(4).split(" ").filter(Boolean);
    changed();
  } else if (known[click]) known[click].fire("click");
  else {
    const buttons = ["moves", "illegal"].flatMap((id) => known[id].querySelectorAll("button"));
    buttons.find((each) => each.textContent === click).fire("click");
  }
  tell();
}
console.log(JSON.stringify(told));
