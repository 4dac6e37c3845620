"""Pages in which a certificate plays: what the script says is what the play engine says."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from qsage_validate.api.games import game, game_from_files, game_from_text
from qsage_validate.api.strategies import Strategy, certify, load
from qsage_validate.arena.strategy_tree import tree_of
from qsage_validate.errors import Exit, UndecidedError, UsageError
from qsage_validate.formats.source import sample_path
from qsage_validate.games.protocol import Player
from qsage_validate.kernel.certificate import CircuitCertificate
from qsage_validate.proving import play_page
from tests.support.commands import run_qsage
from tests.support.page_plays import accused, conducted, page_table, refereed

_PAGES = Path(play_page.__file__).with_name("pages")
_SCRIPTS = [str(_PAGES / name) for name in ("play.js", "rules.js")]
_PLAYS = Path(__file__).parent.parent / "support" / "page_plays.js"


def _strategy(name: str) -> Strategy:
    return load(sample_path(f"sample:{name}"), sample_path(f"sample:{name}.aig"))


@pytest.mark.skipif(shutil.which("node") is None, reason="there is no node to run the script")
@pytest.mark.parametrize(("name", "games"), [("tic", 200), ("hex", 200), ("breakthrough", 60)])
def test_the_script_plays_as_the_play_engine_does(tmp_path: Path, name: str, games: int) -> None:
    _compare(tmp_path, _strategy(name), games)


@pytest.mark.skipif(shutil.which("node") is None, reason="there is no node to run the script")
@pytest.mark.parametrize("encoding", ["cor", "cor-lean"])
def test_so_it_does_where_moves_are_a_list(tmp_path: Path, encoding: str) -> None:
    strategy = certify(game("hex-network", size=(3, 3), depth=5), encoding=encoding)
    _compare(tmp_path, strategy, 200)


@pytest.mark.skipif(shutil.which("node") is None, reason="there is no node to run the script")
def test_a_play_is_over_where_the_opponent_cannot_move(tmp_path: Path) -> None:
    """In Domineering this is how Black wins."""
    _compare(tmp_path, certify(game("domineering", size=(3, 3))), 200)


@pytest.mark.skipif(shutil.which("node") is None, reason="there is no node to run the script")
@pytest.mark.parametrize("name", ["hex", "hex-network"])
def test_faults_of_a_certificate_are_found_against_the_rules(name: str) -> None:
    """At the steps at which the play engine finds them, which has the rules themselves."""
    listed = name == "hex-network"
    hexes = game("hex-network", size=(3, 3), depth=5)
    strategy = certify(hexes, encoding="cor") if listed else _strategy(name)
    report = strategy.validate(timeout=5).whole
    certificate = strategy.problem.answering
    assert isinstance(certificate, CircuitCertificate)
    steps = set[int]()
    variables = list(certificate.functions)
    for variable in variables[:: len(variables) // 7]:
        functions = {**certificate.functions, variable: certificate.functions[variable] ^ 1}
        faulty = replace(certificate, functions=functions)
        wrong = replace(strategy, problem=replace(strategy.problem, certificate=faulty))
        plays, _ = conducted(wrong, 4, seed=5)
        page = play_page.play_page(wrong.problem.with_checked_dependencies(), report)
        told = [told["findings"] for _, _, told, *_ in _in_the_page(page_table(page), plays)]
        expected = accused(wrong, plays)
        assert [sorted({each["plies"] for each in found}) for found in told] == expected
        steps.update(*expected)
    assert len(steps) > 2


def test_rules_that_are_too_large_stay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(play_page, "MOST_POSITIONS", 2349)
    _strategy("hex").save_page(tmp_path / "play.html", timeout=5)
    page = (tmp_path / "play.html").read_text("utf-8")
    assert page_table(page)["rules"] is None
    assert "with more than 2,349 positions, are too large to travel." in page
    monkeypatch.setattr(play_page, "MOST_POSITIONS", 2350)
    _strategy("hex").save_page(tmp_path / "play.html", timeout=5)
    page = (tmp_path / "play.html").read_text("utf-8")
    assert page_table(page)["rules"]["positions"] == 2350
    assert "compared with the rules of the game, which have 2,350 positions." in page


def _compare(tmp_path: Path, strategy: Strategy, games: int) -> None:
    strategy.save_page(tmp_path / "play.html", timeout=5)
    data = page_table((tmp_path / "play.html").read_text("utf-8"))
    plays, expected = conducted(strategy, games, seed=7)
    ruled = refereed(strategy, plays)
    told = _in_the_page(data, plays)
    for moves, own, rules, page in zip(plays, expected, ruled, told, strict=True):
        steps, verdict, against, spoken, wrong = page
        assert [steps, verdict] == own, moves
        _speaks(strategy, steps[-1][0], spoken, wrong)
        assert [[made, legal] for made, _, _, legal in steps[: len(rules)]] == rules, moves
        assert against["findings"] == [], moves
        assert against["ending"].startswith("By the rules Black has won"), moves


def _speaks(strategy: Strategy, moves: list[str], spoken: list[str], wrong: list[Any]) -> None:
    """The page says moves, and why others are illegal, as the rules' game does in each position."""
    rules = strategy.problem.game
    assert rules is not None
    position, positions = rules.initial, [rules.initial]
    for move, said in zip(moves, spoken, strict=True):
        if position.outcome is not None:
            break  # the formula goes on
        known = rules.parse_move(move, position.to_move)
        assert said == rules.say(known, position.to_move, position.board)
        position = position.play(known)
        positions.append(position)
    for made, move, _, why in wrong:
        before = positions[len(made)]
        found = before.illegality(rules.parse_move(move, before.to_move))
        assert found is not None
        expected = found.sentence or found.rule
        assert expected.startswith(why[0])
        assert why[1:] in ([], [found.text.removeprefix(f"{move}: ")])


@pytest.mark.skipif(shutil.which("node") is None, reason="there is no node to run the script")
@pytest.mark.parametrize(
    "words",
    [("domineering", (4, 4), 5), ("hex-network", (2, 3), 5)],
    ids=["no moves left", "a list of moves"],
)
def test_white_answers_in_a_page_as_in_a_play(words: tuple[str, Any, int]) -> None:
    name, size, depth = words
    strategy = certify(game(name, size=size, depth=depth))
    assert strategy.player is Player.WHITE
    problem = strategy.problem.on_board
    page = play_page.play_page(problem, strategy.validate(timeout=5).whole)
    tree = tree_of(problem)
    ended = [node for node in tree.explore(tree.root).nodes if node.ended][::3]
    plays = [[str(node.move) for node in end.path[1:]] for end in ended]
    assert len(plays) > 5
    for end, told in zip(ended, _in_the_page(page_table(page), plays), strict=True):
        steps, verdict, against, spoken, wrong = told
        assert steps[-1][0] == list(end.state.moves)
        assert verdict == [None, "as the certificate promised"]
        assert against["findings"] == []
        _speaks(strategy, steps[-1][0], spoken, wrong)
        asked = [step for step in steps if step[3]]
        for step, node in zip(asked, end.path, strict=False):
            assert step[3] == [str(child.move) for child in tree.children(node)]


def _in_the_page(data: dict[str, Any], plays: list[list[str]]) -> list[Any]:
    run = subprocess.run(
        ["node", str(_PLAYS), *_SCRIPTS],
        input=json.dumps({"data": data, "plays": plays}),
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert run.returncode == 0, run.stderr
    told: list[Any] = json.loads(run.stdout)
    for _, verdict, *_ in told:
        verdict[1] = verdict[1].replace(",", "") if verdict[0] else verdict[1]  # 1,024: in words
    return told


def test_the_page_forbids_the_network_and_bears_verdict_and_hashes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = tmp_path / "play.html"
    formula, cert = sample_path("sample:hex"), sample_path("sample:hex.aig")
    # The certificate is the one beside the formula.
    words = ["export", "page", formula, "-o", str(output), "--json"]
    assert run_qsage(words) == Exit.FINE
    page = output.read_text("utf-8")
    assert "default-src 'none'" in page
    assert not re.search(r"(?:src|href)=|@import|url\(|fetch\(", page.partition("<main>")[2])
    for path in (formula, cert):
        assert hashlib.sha256(Path(path).read_bytes()).hexdigest() in page
    told = json.loads(capsys.readouterr().out)
    assert told["verdict"] == "valid"
    assert told["summary"].partition(": ")[2][:40] in page


def test_hostile_names_end_no_script(tmp_path: Path) -> None:
    formula = tmp_path / "<\u202eb>&\"'.qcir"
    shutil.copy(sample_path("sample:hex"), formula)
    load(str(formula), sample_path("sample:hex.aig")).save_page(tmp_path / "play.html")
    page = (tmp_path / "play.html").read_text("utf-8")
    assert "<\u202e" not in page
    assert "\u202e" not in page
    assert page.count("</script>") == 2
    assert "<b>" not in page


def test_what_cannot_travel_is_refused_and_nothing_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    strategy = _strategy("hex")
    monkeypatch.setattr(play_page, "MOST_GATES", 10)
    with pytest.raises(UsageError, match="expected at most 10 for a page"):
        strategy.save_page(tmp_path / "play.html")
    assert not (tmp_path / "play.html").exists()
    monkeypatch.setattr(play_page, "MOST_NODES", 3)
    white = certify(game("hex-network", size=(2, 3), depth=5))
    with pytest.raises(UsageError, match="more than 3 plays against White's certificate"):
        white.save_page(tmp_path / "play.html")
    assert not (tmp_path / "play.html").exists()


_STONES = re.compile(rb"#(?:black|white)initials\s*\n[^#\s]")


def _boards(shared_data: Path) -> list[tuple[Path, ...]]:
    """The games of PG and BDDL files, small ones first; equal files once."""
    seen, found = set[bytes](), list[tuple[int, tuple[Path, ...]]]()
    for path in sorted([*shared_data.glob("pg/**/*.pg"), *shared_data.glob("bddl/*/*")]):
        own = path.read_bytes()
        domain = path.with_name("domain.ig")
        if path == domain or own in seen:
            continue
        seen.add(own)
        found.append((len(own), (domain, path) if domain.exists() else (path,)))
    return [paths for _, paths in sorted(found)]


@pytest.mark.skipif(shutil.which("node") is None, reason="there is no node to run the script")
def test_page_and_play_engine_are_one_meaning_on_the_files_of_the_data(
    shared_data: Path, tmp_path: Path
) -> None:
    """Plays of every game that is won by Black and solved in time.

    Five small ones without stones at the start and five with; ``QSAGE_PAGES=N`` takes every Nth
    of all that there are.
    """
    every = os.environ.get("QSAGE_PAGES")
    boards = _boards(shared_data)
    with_stones = [b for b in boards if _STONES.search(b[-1].read_bytes())]
    others = [b for b in boards if b not in with_stones]
    chosen = boards[:: int(every)] if every else [*with_stones[:10:2], *others[20:120:20]]
    held = dict.fromkeys((True, False), 0)
    for paths in chosen:
        try:
            strategy = certify(game_from_files(*paths), timeout=1)
            if strategy.kind != "Skolem":
                continue  # White's page shows nothing of the formula
            strategy.save_page(tmp_path / "play.html", timeout=0.5)
        except (UsageError, UndecidedError):
            continue  # it is too large
        _hold(strategy, (tmp_path / "play.html").read_text("utf-8"), 8, str(paths[-1]))
        held[paths in with_stones] += 1
    assert all(held.values()), held


@pytest.mark.skipif(shutil.which("node") is None, reason="there is no node to run the script")
@pytest.mark.parametrize("encoding", ["ea", "en", "sn", "cor", "cor-lean", "la"])
@pytest.mark.parametrize("large", [True, False])
def test_stones_of_the_start_are_not_offered_and_nothing_is_accused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, encoding: str, large: bool
) -> None:
    """Whether or not the rules travel with the page: some encodings have no word of such stones."""
    if large:
        monkeypatch.setattr(play_page, "MOST_POSITIONS", 1)
    strategy = certify(game_from_text(_NETWORK), encoding=encoding)
    strategy.save_page(tmp_path / "play.html", timeout=5)
    for steps, _, against, *_ in _hold(
        strategy, (tmp_path / "play.html").read_text(), 60, encoding
    ):
        for _, _, _, legal in steps:
            assert "v0" not in (legal or ())
        assert (against is None) is large
    assert list(page_table((tmp_path / "play.html").read_text())["held"].values()) == ["W"]


def _hold(strategy: Strategy, page: str, games: int, what: str) -> list[Any]:
    """Compare random plays in the page with the play engine's; return what the page says."""
    plays, expected = conducted(strategy, games, seed=5)
    told = _in_the_page(page_table(page), plays)
    for moves, own, rules, (steps, verdict, against, *_) in zip(
        plays, expected, refereed(strategy, plays), told, strict=True
    ):
        assert [steps, verdict] == own, (what, moves)
        assert [[made, legal or None] for made, _, _, legal in steps[: len(rules)]] == [
            [made, legal or None] for made, legal in rules
        ], (what, moves)
        assert not (against and against["findings"]), (what, moves)
    return told


_NETWORK = """#blackinitials
#whiteinitials
v0
#times
t1 t2 t3 t4 t5 t6 t7
#blackturns
t1 t3 t5 t7
#positions
v0 v1 v2 v3 v4 v5
#neighbours
v0 v1 v3
v1 v0 v2 v3 v4
v2 v1 v4 v5
v3 v0 v1 v4
v4 v1 v2 v3 v5
v5 v2 v4
#startboarder
v0 v1 v2
#endboarder
v3 v4 v5
"""


@pytest.mark.skipif(shutil.which("node") is None, reason="there is no node to run the script")
def test_names_that_are_cut_stay_apart(tmp_path: Path) -> None:
    """Six positions whose names begin alike for 500 characters."""
    long = re.sub(r"\bv(\d)", lambda name: "v" * 500 + name[1], _NETWORK)
    strategy = certify(game_from_text(long), encoding="en")
    strategy.save_page(tmp_path / "play.html", timeout=5)
    page = (tmp_path / "play.html").read_text("utf-8")
    data = page_table(page)
    assert len(set(data["words"])) == len(data["words"])
    assert max(map(len, data["words"])) < 410
    plays, _ = conducted(strategy, 30, seed=5)
    shown = {"v" * 500 + str(k): data["words"][n] for k, n in _numbers(data)}
    told = _in_the_page(data, [[shown[move] for move in moves] for moves in plays])
    for (steps, _, against, *_), ruled in zip(told, refereed(strategy, plays), strict=True):
        assert against["findings"] == []
        for (made, _, _, legal), (own_made, own_legal) in zip(steps, ruled, strict=False):
            assert made == [shown[move] for move in own_made]
            assert legal == (own_legal and [shown[move] for move in own_legal])


def _numbers(data: dict[str, Any]) -> list[tuple[int, int]]:
    """The number of each position's last letter, and of its word."""
    own = sorted({move for ply in data["plies"] for move in ply["moves"]})
    assert len(own) == 6
    return list(enumerate(next(p["moves"] for p in data["plies"] if len(p["moves"]) == 6)))


@pytest.mark.skipif(shutil.which("node") is None, reason="there is no node to run the script")
def test_what_falsifies_a_formula_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """By the words of the reader."""
    monkeypatch.setattr(play_page, "MOST_POSITIONS", 1)
    strategy = _strategy("tic")
    report = strategy.validate(timeout=5).whole
    certificate = strategy.problem.answering
    assert isinstance(certificate, CircuitCertificate)
    words = set[str]()
    for variable in list(certificate.functions)[:: len(certificate.functions) // 6]:
        functions = {**certificate.functions, variable: certificate.functions[variable] ^ 1}
        faulty = replace(certificate, functions=functions)
        wrong = replace(strategy, problem=replace(strategy.problem, certificate=faulty))
        plays, expected = conducted(wrong, 4, seed=5)
        page = play_page.play_page(wrong.problem.with_checked_dependencies(), report)
        told = _in_the_page(page_table(page), plays)
        assert [verdict for _, verdict, *_ in told] == [verdict for _, verdict in expected]
        words |= {note for _, (_, note), *_ in told}
    assert any(word.startswith("at the symbolic square") for word in words)
