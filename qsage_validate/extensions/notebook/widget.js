// The page's play as a widget of anywidget (widget.py); the scripts of the page stand before this.

export default {
  async render({ model, el }) {
    // Behind a shadow root the notebook's style does not reach the board, nor the board's the notebook.
    const root = el.attachShadow({ mode: "open" });
    root.innerHTML = model.get("html");
    const same = (moves) => JSON.stringify(moves) === JSON.stringify(model.get("moves"));
    const asked = [...model.get("moves")];
    let ready = false;
    try {
      const play = await begin(JSON.parse(model.get("table")), root, (moves) => {
        if (!ready || same(moves)) return;
        model.set("moves", moves);
        model.save_changes();
      });
      // The program's moves are shown and not told back: they may have names that only it can read.
      const follow = () => {
        ready = false;
        play.replay(model.get("moves"));
        ready = true;
      };
      if (asked.length) follow();
      ready = true;
      // A move of the program's own is shown; one that was clicked here is shown already.
      model.on("change:moves", () => { if (!same(play.moves())) follow(); });
    } catch (error) {
      root.getElementById("status").textContent = `The circuit could not be read: ${error}`;
    }
  },
};
