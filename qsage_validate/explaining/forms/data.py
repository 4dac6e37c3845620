"""An explanation as JSON and as a graph for Graphviz."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from qsage_validate.explaining.explanation import Explanation
from qsage_validate.explaining.shown import Shown, ShownNode


def explanation_data(explanation: Explanation) -> dict[str, object]:
    """The fields of ``--json``: the game, the measures, and the tree."""
    found = explanation.found
    return {
        "game": explanation.game.name,
        "player": explanation.hero.value,
        "nodes": found.nodes,
        "depth": found.depth,
        "questions": list(explanation.predicates),
        "smallest": found.smallest,
        "lower_bound": found.lower_bound,
        "lookahead": explanation.lookahead,
        "positions": len(found.situations),
        "all_positions": found.whole,
        "samples": found.samples,
        "rounds": found.rounds,
        "seconds": round(explanation.seconds, 3),
        "shown": found.nodes - explanation.cut[0],
        "tree": node_data(explanation.root),
    }


def node_data(node: ShownNode) -> Mapping[str, object]:
    """A node and those below as an object of JSON."""
    data: dict[str, object] = {"node": node.number, **node.data}
    if node.cut:
        return {**data, "not_shown": node.cut}
    if node.question is None:
        assert node.answer is not None, "a leaf has an answer"
        return {**data, "answer": str(node.answer), "formal": node.answer.formal}
    yes, no = map(node_data, node.children)
    asked = {"question": str(node.question), "formal": node.question.formal}
    return {**data, **asked, "yes": yes, "no": no}


def dot(explanation: Shown) -> str:
    """The tree in the language of Graphviz."""
    return "".join(f"{line}\n" for line in _dot(explanation))


def _dot(explanation: Shown) -> Iterator[str]:
    yield "digraph explanation {"
    yield f"  label={_quoted(explanation.title)};"
    yield '  node [fontname="Helvetica"];'
    for node in explanation.root.walk():
        shape = "ellipse" if node.question is not None else "box"
        style = ', style="dashed"' if node.cut else ""
        yield f"  n{node.number} [shape={shape}{style}, label={_quoted(_label(node))}];"
        for child, word in zip(node.children, ("yes", "no"), strict=False):
            yield f'  n{node.number} -> n{child.number} [label="{word}"];'
    yield "}"


def _label(node: ShownNode) -> str:
    if node.cut:
        return f"{node.cut} nodes more"
    return f"{node.question}?" if node.question is not None else str(node.answer)


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
