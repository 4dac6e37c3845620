"""The public library: its names, its page, and what people would try first."""

from __future__ import annotations

import ast
import dataclasses
import doctest
import io
import re
from collections.abc import Callable
from pathlib import Path

import pytest

import qsage_validate as qs
from qsage_validate.api.values import as_paths
from qsage_validate.errors import install_line
from tests.conftest import REPOSITORY

PAGE = REPOSITORY / "docs" / "reference" / "library.md"
PACKAGE = REPOSITORY / "qsage_validate"


@pytest.fixture(scope="module")
def tic() -> qs.Strategy:
    return qs.certify(qs.game("httt", size=(4, 4), shape="tic", depth=5))


@pytest.mark.parametrize(
    ("page", "least"),
    [
        ("reference/library.md", 40),
        ("how-to/from-python-chess.md", 30),
        ("how-to/functions.md", 10),
        ("how-to/openspiel.md", 5),
    ],
)
def test_the_examples_of_a_page_hold(
    page: str, least: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    ran = doctest.testfile(
        str(REPOSITORY / "docs" / page),
        module_relative=False,
        optionflags=doctest.ELLIPSIS,
        encoding="utf-8",
    )
    assert ran.attempted >= least
    assert not ran.failed


def test_every_page_with_examples_in_python_is_run() -> None:
    """A page with ``>>>`` in a block for Python is one of those above."""
    found = {
        str(path.relative_to(REPOSITORY / "docs"))
        for path in (REPOSITORY / "docs").rglob("*.md")
        if "```python\n>>>" in re.sub(r"^ +", "", path.read_text("utf-8"), flags=re.MULTILINE)
    }
    marks = getattr(test_the_examples_of_a_page_hold, "pytestmark")  # noqa: B009
    assert found == {page for page, _ in marks[0].args[1]}


def test_every_public_name_is_on_the_page_and_has_a_docstring() -> None:
    text = PAGE.read_text()
    for name in qs.__all__:
        assert getattr(qs, name).__doc__, name
        assert re.search(rf"\bqs\.{name}\b", text), name


def members(value: type) -> list[str]:
    """The public names of a class: methods, properties and fields, inherited ones included."""
    fields = {f.name for f in dataclasses.fields(value)} if dataclasses.is_dataclass(value) else ()
    return sorted(name for name in {*dir(value), *fields} if not name.startswith("_"))


def test_a_saved_play_is_replayed_or_refused_with_its_line(tmp_path: Path) -> None:
    strategy = qs.load("sample:hex", "sample:hex.aig")
    match, other = strategy.play(), strategy.play()
    match.push(match.legal_moves()[0])
    for name in ("play.txt", "play.json"):
        match.save(tmp_path / name)
        other.undo()
        other.replay(tmp_path / name)
        assert other.moves == match.moves
    text = (tmp_path / "play.txt").read_text("utf-8")
    own = match.moves[1]
    (tmp_path / "wrong.txt").write_text(text.replace(own, "occupy(9,9)"))
    with pytest.raises(qs.InputError) as refused:
        other.replay(tmp_path / "wrong.txt")
    assert refused.value.line is not None
    assert other.moves == match.moves


def test_every_member_of_a_public_class_is_on_the_page() -> None:
    """The table has what each class has, no more and no less."""
    rows = dict(re.findall(r"^\| `(\w+)` \| (`.*`) \|$", PAGE.read_text(), re.MULTILINE))
    classes = {
        name: value
        for name in qs.__all__
        if isinstance(value := getattr(qs, name), type) and not issubclass(value, Exception)
    }
    assert len(classes) > 15
    assert rows.keys() == classes.keys()
    for name, value in classes.items():
        assert re.findall(r"`(\w+)`", rows[name]) == members(value), name


def test_every_public_method_has_a_docstring() -> None:
    for name in qs.__all__:
        value = getattr(qs, name)
        if not (isinstance(value, type) and value.__module__.startswith("qsage_validate.api")):
            continue
        for own in members(value):
            member = getattr(value, own, None)
            if callable(member) or isinstance(member, property):
                assert member.__doc__, f"{name}.{own}"


def test_type_checkers_see_the_same_names() -> None:
    stub = ast.parse((PACKAGE / "__init__.pyi").read_text())
    told = {
        alias.asname or alias.name: f"{node.module}.{alias.name}"
        for node in stub.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert sorted(told) == qs.__all__
    known = qs._MODULE_OF | qs._of_extensions()  # type: ignore[attr-defined]
    for name, where in told.items():
        module, _, own = where.rpartition(".")
        assert own == name
        assert known[name] == module
    assert set(qs.__all__) < set(dir(qs))


def test_another_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'sovle'"):
        qs.sovle  # type: ignore[attr-defined]  # noqa: B018


def test_each_repr_is_one_line(tic: qs.Strategy) -> None:
    game = qs.game("httt", size=(3, 3), shape="domino", depth=3)
    match = tic.play()
    for value in (game, game.board, qs.solve(game), qs.encode(game), tic, match, tic.tree(1)):
        assert "\n" not in repr(value)
        assert repr(value).startswith("<")
    assert "_repr_svg_" in dir(match)
    assert match.svg().startswith("<svg")
    assert game.board.svg().startswith("<svg")
    assert tic.tree(1)._repr_html_().count("<details") == 16


def test_a_strategy_reads_back_from_bytes_and_open_files(tic: qs.Strategy, tmp_path: Path) -> None:
    tic.save(tmp_path / "t.aig", formula=tmp_path / "t.qcir")
    formula, certificate = (tmp_path / "t.qcir").read_bytes(), (tmp_path / "t.aig").read_bytes()
    for pair in (
        (formula, certificate),
        (io.BytesIO(formula), io.BytesIO(certificate)),
        (tmp_path / "t.qcir", None),
    ):
        read = qs.load(*pair)
        assert read.replies() == tic.replies()
        assert read.gates == tic.gates


def test_a_wrong_strategy_is_read_and_refuted() -> None:
    lost = qs.encode(qs.game("httt", size=(4, 4), shape="tic", depth=3))
    report = qs.load(lost.qcir().encode(), _without_functions(lost)).validate(["formula"])
    assert report.verdict == "refuted"
    assert not report.ok
    assert report.findings[0].text


def _without_functions(formula: qs.Formula) -> bytes:
    """A Skolem certificate of constants: each of Black's variables is false."""
    own = [v for scope in formula.qbf.scopes[::2] for v in scope.variables]
    lines = [f"aag 0 0 0 {len(own) + 1} 0", *["0"] * len(own), "1"]
    symbols = [f"o{k} {formula.qbf.name(v)}" for k, v in enumerate([*own])]
    return "\n".join([*lines, *symbols, f"o{len(own)} result", ""]).encode()


def test_a_file_that_is_wrong_is_named_as_it_was_given(tmp_path: Path) -> None:
    path = tmp_path / "bad.qcir"
    path.write_text("#QCIR-G14\nforall(x")
    stream = io.BytesIO(path.read_bytes())
    named = (path, str(path)), (path.read_bytes(), "<formula>"), (stream, "<formula>")
    for source, name in named:
        with pytest.raises(qs.InputError) as error:
            qs.read_formula(source)
        assert (error.value.file, error.value.line) == (name, 2)
    with pytest.raises(qs.UsageError, match="found int for a file"):
        qs.read_formula(3)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "parameters", "message"),
    [
        ("chess", {}, "found the unknown game 'chess'"),
        ("httt", {"colour": 3}, "found colour= for httt, expected one of size=, shape=, "),
        ("httt", {"size": "4 by 4"}, "found '4 by 4' for size=, expected WIDTHxHEIGHT"),
    ],
)
def test_a_wrong_game_says_what_there_is(
    name: str, parameters: dict[str, object], message: str
) -> None:
    with pytest.raises(qs.UsageError, match=re.escape(message)):
        qs.game(name, **parameters)


def test_a_formula_and_a_strategy_are_tables_in_a_notebook(tic: qs.Strategy) -> None:
    assert tic.formula is not None
    formula, strategy = tic.formula._repr_html_(), tic._repr_html_()
    assert "<th>httt 4x4 tic</th>" in formula
    assert "<td>gates</td><td>216</td>" in formula
    assert "<th>httt 4x4 tic: Skolem certificate for Black</th>" in strategy
    assert f"<td>AND gates</td><td>{tic.gates}</td>" in strategy
    unnamed = qs.read_formula(b"#QCIR-G14\nexists(1)\noutput(1)\n")
    assert "<th>&lt;formula&gt;</th>" in unnamed._repr_html_()


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda s: s.save("f.aig", dialect="foo"), "found 'foo' for dialect=, expected"),
        (lambda s: qs.load(b"", b"", dialect="foo"), "found 'foo' for dialect=, expected"),
        (lambda s: s.validate(["rule"]), "found levels= rule (did you mean 'rules'?)"),
        (
            lambda s: qs.certify(qs.game("httt"), route="search", solver="depqbf"),
            "found solver= with route= search",
        ),
        (lambda s: qs.certify(_bare(), route="search"), "found route= search for a formula"),
        (lambda s: qs.compare(_bare(), _bare("a")), "the variables in a file (shared=)"),
    ],
)
def test_errors_call_parameters_as_python_does(
    call: Callable[[qs.Strategy], object], said: str, tic: qs.Strategy
) -> None:
    with pytest.raises((qs.UsageError, qs.UndecidedError)) as error:
        call(tic)
    assert said in str(error.value)
    assert "--" not in str(error.value)


def _bare(name: str = "1") -> qs.Formula:
    text = f"#QCIR-G14\nexists({name})\noutput({name})\n"
    return qs.read_formula(text.encode())


def test_a_report_of_a_game_begins_with_its_name(tic: qs.Strategy) -> None:
    report = tic.validate(["rules"])
    assert report.summary.startswith("httt 4x4 tic: ")
    assert "--" not in report.summary


def test_replays_of_a_game_that_is_in_no_file_name_the_game(tic: qs.Strategy) -> None:
    report = tic.validate(["rules"])
    facts = report.to_dict()["facts"]
    assert isinstance(facts, dict)
    expected = "qsage validate --model 'httt --size 4x4 --shape tic --depth 5'"
    assert expected in facts["command"]


def test_limits_end_undecided() -> None:
    result = qs.solve(qs.game("httt", size=(6, 6), shape="skinny", depth=35), timeout=0.05)
    assert (result.truth, result.winner) == (None, None)
    with pytest.raises(qs.UndecidedError):
        qs.certify(
            qs.game("httt", size=(6, 6), shape="skinny", depth=35), route="search", timeout=0.05
        )


def test_a_certificate_that_peeks_is_validated_and_not_played() -> None:
    formula = b"#QCIR-G14\nexists(1)\nforall(2)\noutput(5)\n"
    formula += b"3 = and(1, 2)\n4 = and(-1, -2)\n5 = or(3, 4)\n"
    peeking = b"aag 1 1 0 2 0\n2\n2\n1\ni0 2\no0 1\no1 result\n"
    strategy = qs.load(formula, peeking)
    assert strategy.validate(["dependencies"]).verdict == "refuted"
    with pytest.raises(qs.UsageError, match="cannot be played"):
        strategy.play()


def test_frames_and_graphs(tic: qs.Strategy) -> None:
    pytest.importorskip("pandas", reason="the extra 'frame' is not installed")
    frame = tic.validate(["dependencies", "formula"]).to_frame()
    assert list(frame["level"]) == ["dependencies", "formula"]
    assert len(qs.game_names().to_frame()) == len(qs.game_names())
    graph = tic.tree(1).to_networkx()
    assert graph.number_of_nodes() == 16
    assert graph.nodes[1]["move"] == "occupy(1,1)"
    assert set(graph.predecessors(15)) == {0}


def test_a_frame_without_pandas_names_the_extra(
    tic: qs.Strategy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pandas", None)
    with pytest.raises(qs.MissingExtraError, match=re.escape(install_line("frame"))):
        qs.game_names().to_frame()


def test_results_of_experiments(tmp_path: Path) -> None:
    found = qs.read_results(REPOSITORY / "research" / "experiments" / "httt-5x5.jsonl")
    assert len(found) > 10
    row = next(iter(found))
    assert {"instance", "status", "seconds", "limit_seconds", "machine", "when"} <= set(row)
    assert "<table>" in found._repr_html_()
    with pytest.raises(qs.InputError):
        qs.read_results(b"{}\n")


@pytest.mark.parametrize("encoding", ["lifted", "cor-lean", "et"])
def test_a_game_is_validated_in_the_language_of_its_encoding(encoding: str, tmp_path: Path) -> None:
    game = qs.game("hex", size=(3, 3), depth=5)
    strategy = qs.certify(game, encoding=encoding)
    assert strategy.validate(games=10).ok
    formula, certificate = tmp_path / "hex.qcir", tmp_path / "hex.aig"
    assert strategy.formula is not None
    strategy.formula.save(formula)
    strategy.save(certificate)
    assert qs.load(formula, certificate, game=game).validate(games=10).ok
    with pytest.raises(qs.UsageError, match="does not fit"):
        qs.load(formula, certificate, game=qs.game("breakthrough", size=(2, 4)))


def test_a_file_without_a_path_lies_in_a_folder_whose_name_is_no_accident() -> None:
    """Games in BDDL are named after their folder."""
    with as_paths(domain=b"", problem=b"") as paths:
        assert {Path(path or "").parent.name for path in paths.values()} == {"game"}


ADDER = b"""#QCIR-G14
forall(a, b)
exists(x, y)
output(out)
sum = xor(a, b)
same = xor(x, sum)
both = and(a, b)
carry = xor(y, both)
out = and(-same, -carry)
"""


def test_functions_of_a_formula_are_evaluated() -> None:
    strategy = qs.certify(qs.read_formula(ADDER))
    assert strategy.functions == ("x", "y")
    for a in (False, True):
        for b in (False, True):
            assert strategy.values({"a": a, "b": b}) == {"x": a ^ b, "y": a and b}
    with pytest.raises(qs.UsageError, match="found no value for b, expected one for a b"):
        strategy.values({"a": True})
    with pytest.raises(qs.UsageError, match="found a value for x, expected the opponent's: a b"):
        strategy.values({"a": True, "b": True, "x": True})


def test_herbrand_functions_of_a_false_formula_refute_every_choice() -> None:
    formula = b"#QCIR-G14\nexists(p)\nforall(u)\noutput(o)\no = xnor(p, u)\n"
    formula = formula.replace(b"o = xnor(p, u)", b"d = xor(p, u)\no = and(-d)")
    strategy = qs.certify(qs.read_formula(formula))
    assert (strategy.kind, strategy.functions) == ("Herbrand", ("u",))
    assert [strategy.values({"p": p})["u"] for p in (False, True)] == [True, False]


def test_a_named_game_is_certified_as_by_the_command() -> None:
    """The command took the critical depth, the library the depth of a full board."""

    def depth(strategy: qs.Strategy) -> int:
        assert strategy.formula is not None
        assert strategy.formula.game is not None
        return strategy.formula.game.depth

    strategy = qs.certify("hex", size=3)
    assert depth(strategy) == 5
    assert "--depth 5" in repr(strategy.problem)
    assert depth(qs.certify("hex", size=3, depth=7)) == 7
    # A game that is there already is taken as it is.
    assert depth(qs.certify(qs.game("httt", size=2, shape="domino"))) == 3
