// The plays of a report one step at a time, on a board as large as that of the page that plays.
// Without this all steps stand side by side, and so they are printed.

for (const box of document.querySelectorAll(".stepped")) {
  const figures = [...box.querySelectorAll("figure")];
  if (figures.length < 2) continue;
  const bar = document.createElement("div");
  const said = element("p", "", box, { role: "status", "aria-live": "polite", class: "unseen" });
  box.prepend(bar);
  const show = (at) => {
    figures.forEach((figure, k) => (figure.hidden = k !== at));
    steps.set(at, figures.length - 1);
    count.textContent = `step ${at} of ${figures.length - 1}`;
    said.textContent = figures[at].querySelector("figcaption").textContent.replace(/\s+/g, " ");
    together(false);
  };
  const together = (on) => {
    box.classList.toggle("one", !on);
    all.setAttribute("aria-pressed", String(on));
  };
  const steps = stepper(bar, bar, show);
  const count = element("span", "", bar.firstChild, { class: "note" });
  const all = element("button", "All steps", bar.firstChild, { type: "button" });
  all.addEventListener("click", () => together(box.classList.contains("one")));
  // What is wrong is seen first; the way there is a step back.
  show(Math.max(0, figures.findIndex((figure) => figure.classList.contains("first"))));
}
