"""Pages in which a certificate plays, opened in a Chromium: plays, keys, sizes, colours, names."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from qsage_validate.api.games import game
from qsage_validate.api.strategies import Strategy, certify, load
from qsage_validate.formats.source import sample_path
from qsage_validate.games.protocol import Player, TwoPlayerGame, said_move
from qsage_validate.kernel.certificate import CircuitCertificate
from qsage_validate.problems.load import Problem
from qsage_validate.proving.play_page import play_page
from tests.support.chromium import Chromium, chromium
from tests.support.opened import CONTRASTS, NEEDS_CHROMIUM, Opened
from tests.support.page_plays import conducted

pytestmark = NEEDS_CHROMIUM

Open = Callable[..., Opened]


@pytest.fixture(scope="module")
def browser() -> Iterator[Chromium]:
    with chromium() as running:
        yield running


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """The page of a sample, made once."""
    folder = tmp_path_factory.mktemp("pages")

    def page(name: str) -> Path:
        path = folder / f"{name}.html"
        if not path.exists():
            _strategy(name).save_page(path)
        return path

    return page


@pytest.fixture
def opened(browser: Chromium, pages: Callable[[str], Path]) -> Open:
    """Opens the page of a sample; the window has a size and colours."""

    def opens(name: str, width: int = 1280, height: int = 1000, colours: str = "light") -> Opened:
        page = Opened(browser, pages(name), width, height, colours)
        page.page.wait("!!document.querySelector('#history li, #moves button')")
        return page

    return opens


def _strategy(name: str) -> Strategy:
    if name == "hex-network":
        return certify(game(name, size=(3, 3), depth=5), encoding="cor")
    if name == "domineering":
        return certify(game(name, size=(3, 3)))
    return load(sample_path(f"sample:{name}"), sample_path(f"sample:{name}.aig"))


# -- plays ------------------------------------------------------------------------------------


def test_a_whole_game_by_the_mouse(opened: Open) -> None:
    played = opened("tic")
    assert played.texts("#history li") == ["Black: b2"]
    assert len(played.texts("#moves button")) == 15
    played.square(4, 1)
    assert played.texts("#history li")[1:] == ["White: d1", "Black: b3"]
    assert played.text("board-words") == "Black: b2 b3. White: d1. Last move: b3."
    legal = played.texts("#moves button")
    assert len(legal) == 13
    assert not {"b2", "d1", "b3"} & set(legal)
    played.button("b1")
    assert played.texts("#history li")[-1] == "Black: b4"
    assert played.text("status") == (
        "You: b1. Black: b4. The play is over: all plies are played; "
        "the formula is true for this play, under all 16 values of the symbolic position."
    )
    assert played.run("document.getElementById('choices').hidden")
    played.button("Start again")
    assert played.texts("#history li") == ["Black: b2"]


def test_an_illegal_move_is_refused_with_its_gate(opened: Open) -> None:
    played = opened("tic")
    played.square(4, 1)
    before = played.texts("#history li")
    said = re.compile(r"d1 is illegal: .*\[\S+\] is false\.")
    played.square(4, 1)
    assert said.fullmatch(played.text("status"))
    played.button("a1")
    assert "You: a1" in played.text("status")
    played.button("Undo")
    played.run("document.querySelector('#choices details').open = true")
    played.button("d1")
    assert said.fullmatch(played.text("status"))
    assert played.texts("#history li") == before


@pytest.mark.parametrize(
    ("name", "games"),
    [
        ("tic", 200),
        ("hex", 200),
        ("breakthrough", 60),
        ("connect3", 60),
        ("domineering", 60),
        ("evader", 60),
        ("hex-network", 60),
    ],
)
def test_random_games_in_the_page_are_ours(opened: Open, name: str, games: int) -> None:
    """By the page's buttons; what it shows is compared at each of the opponent's turns."""
    plays, expected = conducted(_strategy(name), games, seed=11)
    rules = _strategy(name).problem.game
    assert rules is not None
    clicks = [_clicks(rules, steps[-1][0]) for steps, _ in expected]
    played = opened(name)
    told = played.run(
        f"""(() => {{
          const all = (s) => [...document.querySelectorAll(s)];
          const named = (box, text) => all(box + " button").find((e) => e.textContent === text);
          return {json.dumps(clicks)}.map((moves) => {{
            const seen = [];
            document.getElementById("again").click();
            for (const move of [...moves, null]) {{
              const words = document.getElementById("board-words").textContent;
              seen.push([
                all("#history li").map((e) => e.textContent.split(": ")[1]),
                all("#moves button").map((e) => e.textContent),
                all("#illegal button").length,
                words.split(" Last move")[0],
              ]);
              if (move !== null) named("#moves", move).click();
            }}
            return [seen, document.getElementById("status").textContent];
          }});
        }})()"""
    )
    table = json.loads(played.text("data"))
    for moves, (steps, verdict), (seen, status) in zip(plays, expected, told, strict=True):
        turns = [step for step in steps if step[3] is not None] + steps[-1:]
        assert len(turns) == len(seen), moves
        for (before, squares, _, legal), (history, buttons, illegal, words) in zip(
            turns, seen, strict=True
        ):
            assert history == _spoken(rules, before), moves
            assert buttons == _spoken_next(rules, before, legal or []), moves
            every = [] if legal is None else table["plies"][len(before)]["moves"]
            assert len(buttons) + illegal == len(every), moves
            if squares is not None:
                assert words == _in_words(squares, [table["names"][on] for on in table["on"]]), (
                    moves
                )
        assert f"the formula is {str(verdict[0]).lower()} for this play" in status, moves


def _spoken(rules: TwoPlayerGame, moves: list[str]) -> list[str]:
    """The moves of a play as people say them, up to its end by the rules; their names behind it."""
    position, said = rules.initial, list[str]()
    for move in moves:
        said.append(said_move(position, move))
        position = position if position.outcome is not None else position.play(move)
    return said


def _clicks(rules: TwoPlayerGame, moves: list[str]) -> list[str]:
    """White's moves of a play, by the words on the buttons."""
    said = enumerate(_spoken(rules, moves), start=1)
    return [words for ply, words in said if rules.player_at(ply) is Player.WHITE]


def _spoken_next(rules: TwoPlayerGame, moves: list[str], legal: list[str]) -> list[str]:
    """What the legal moves after a play are called."""
    return [_spoken(rules, [*moves, move])[-1] for move in legal]


def _in_words(squares: str, places: list[str]) -> str:
    said = {
        letter: " ".join(p for p, s in zip(places, squares, strict=True) if s == letter) or "none"
        for letter in "BW"
    }
    return f"Black: {said['B']}. White: {said['W']}."


def test_a_play_is_over_where_the_opponent_cannot_move(opened: Open) -> None:
    """In Domineering this is how Black wins."""
    played = opened("domineering")
    while legal := played.texts("#moves button"):
        played.button(legal[0])
    assert "The play is over: White has no legal move; the formula is true" in played.text("status")


def test_undo_steps_and_a_move_from_an_earlier_position(opened: Open) -> None:
    played = opened("tic")
    for square in ((4, 1), (1, 1)):
        played.square(*square)
    whole = played.texts("#history li")
    assert len(whole) == 5
    played.button("Undo")
    assert played.texts("#history li") == whole[:3]
    assert played.text("status") == "Your move is taken back."
    played.square(1, 1)
    assert played.texts("#history li") == whole
    # Steps change what is looked at, not the play.
    played.button("First")
    assert played.text("board-words") == "Black: none. White: none."
    assert played.run("document.getElementById('choices').hidden")
    played.button("Next")
    played.button("Next")
    assert played.text("status") == "Ply 2 of 5. White: d1."
    assert played.texts("#history [aria-current]") == ["White: d1"]
    played.button("Next")
    assert played.text("status").endswith("A move from here replaces what followed.")
    assert played.texts("#history li") == whole
    played.button("b1")
    assert played.texts("#history li")[:4] == [*whole[:3], "White: b1"]
    # Back to the start, and no further.
    for _ in range(4):
        played.button("Undo")
    assert played.texts("#history li") == whole[:1]


def test_the_tree_has_each_reply(opened: Open) -> None:
    played = opened("hex")
    legal = played.texts("#moves button")
    played.run("document.getElementById('replies').open = true")
    played.page.wait("!!document.querySelector('#tree summary')")
    shown = played.texts("#tree > details > summary")
    assert [line.split(" → ")[0] for line in shown] == legal
    played.button(legal[0])
    assert played.texts("#history li")[-1] == f"Black: {shown[0].split(' → ')[1]}"


def test_a_square_with_several_moves_names_them(opened: Open) -> None:
    played = opened("breakthrough")
    table = json.loads(played.text("data"))
    while True:
        squares: dict[str, list[str]] = {}
        legal = played.texts("#moves button")
        assert legal, "no square of the play has several moves"
        ply = table["plies"][len(played.texts("#history li"))]
        for move, place in zip(ply["moves"], ply["squares"], strict=True):
            if move in legal:
                squares.setdefault(place, []).append(move)
        several = [(place, own) for place, own in squares.items() if len(own) > 1]
        if several:
            break
        played.button(legal[0])
    place, moves = several[0]
    x, y = map(int, place[1:-1].split(","))
    played.square(x, y)
    assert f"{place} has several moves: {', '.join(moves)}." in played.text("status")
    # A move is named by the square that it leaves, which the board marks.
    played.button(moves[0])
    played.button("Back")
    assert played.text("board-words").endswith(f"Last move: {place}.")


def test_a_fault_is_a_finding_against_the_rules(browser: Chromium, tmp_path: Path) -> None:
    """A sound certificate has none; by the rules the play ends as it promised."""
    sound = _strategy("hex")
    certificate, layout = sound.problem.certificate, sound.problem.layout
    assert isinstance(certificate, CircuitCertificate)
    assert layout is not None
    state = layout.state.states[1][0]
    functions = {**certificate.functions, state: certificate.functions[state] ^ 1}
    faulty = replace(sound.problem, certificate=replace(certificate, functions=functions))
    report, path = sound.validate(timeout=5).whole, tmp_path / "play.html"

    def opened(problem: Problem) -> Opened:
        path.write_text(play_page(problem.with_checked_dependencies(), report), "utf-8")
        shown = Opened(browser, path)
        shown.page.wait("!!document.querySelector('#moves button')")
        return shown

    played = opened(sound.problem)
    assert played.texts("#found *") == []
    played.button("a1")
    played.button("b1")
    assert played.texts("#found *") == ["By the rules Black has won after ply 5: reached its goal."]
    played = opened(faulty)
    board, *_ = played.texts("#found li")
    assert re.match(r"After ply 1: '\w+ \(\d,\d\)' is true in the formula and false by", board)
    assert board.endswith(" more.")
    region = played.node("region", "Findings against the rules")
    assert {"name": "live", "value": {"type": "token", "value": "polite"}} in region["properties"]
    # Before the step at which it is found, nothing is.
    played.button("First")
    assert played.texts("#found *") == []


# -- keys -------------------------------------------------------------------------------------


def test_a_game_by_the_keyboard_alone(opened: Open) -> None:
    played = opened("tic")
    played.tab_to("a1")
    played.press("ArrowRight", "ArrowRight")
    assert played.focused == "c1"
    assert played.run("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    played.press("Enter")
    assert played.texts("#history li")[1] == "White: c1"
    # The focus is on the next move, not at the start of the page.
    assert played.focused == played.texts("#moves button")[0]
    # An illegal move keeps it.
    played.press("Tab")
    assert played.focused.startswith("Illegal moves")
    played.press("Enter", "Tab", "End")
    illegal = played.focused
    played.press(" ")
    assert f"{illegal} is illegal" in played.text("status")
    assert played.focused == illegal
    # So does a move that is taken back, though nothing is left to take back.
    played.run("document.activeElement.blur()")
    played.run("document.getElementById('undo').focus()")
    played.press("Enter")
    assert played.focused == "Undo"
    assert played.node("button", "Undo")
    assert len(played.texts("#history li")) == 1
    played.press("Enter")
    assert len(played.texts("#history li")) == 1
    played.tab_to("a1")
    played.press("Enter", "End", "Enter")
    assert "The play is over" in played.text("status")
    assert played.focused == "Start again"
    # Steps by keys.
    played.run("[...document.querySelectorAll('#steps button')][1].focus()")
    played.press("ArrowLeft", "ArrowLeft")
    assert "Ply 3 of 5" in played.text("status")
    played.press("Home")
    assert played.text("status") == "The start."
    played.press("End")
    assert played.text("status").startswith("Ply 5 of 5")


def test_the_tab_key_goes_through_the_page_as_it_is_read(opened: Open) -> None:
    played = opened("hex")
    order = []
    for _ in range(9):
        played.press("Tab")
        order.append(played.focused)
    first = played.texts("#moves button")[0]
    assert order == [
        "First", "Back", "Next", "Last", "Undo", "Start again", first,
        "Illegal moves, with the reason when you try one", "Tree of replies from here",
    ]  # fmt: skip


# -- sizes and colours ------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["tic", "hex", "breakthrough"])
@pytest.mark.parametrize("width", [320, 390, 768, 1920])
def test_nothing_is_cut_off_at_any_width(opened: Open, name: str, width: int) -> None:
    played = opened(name, width, 844)
    assert played.run("document.documentElement.scrollWidth") == width
    # Squares and buttons are large enough for fingers (WCAG 2.2, 2.5.8: 24 CSS pixels).
    sizes = played.run(
        """[...document.querySelectorAll("button, .target")].filter((e) => e.checkVisibility())
          .map((e) => e.getBoundingClientRect()).map((box) => Math.min(box.width, box.height))"""
    )
    assert min(sizes) >= 24
    side_by_side = played.run(
        """(([a, b]) => a.getBoundingClientRect().right <= b.getBoundingClientRect().left)(
          document.querySelectorAll("section"))"""
    )
    assert side_by_side is (width >= 768)


def test_a_tap_on_the_board_does_not_move_the_page(opened: Open) -> None:
    played = opened("tic", 390, 844)
    played.square(4, 1)
    top = played.run("scrollY")
    box = "document.querySelector('#board').getBoundingClientRect().top"
    place = played.run(box)
    played.square(1, 1)
    assert len(played.texts("#history li")) == 5
    assert (played.run("scrollY"), played.run(box)) == (top, place)
    # What was answered is seen without scrolling.
    assert 0 < played.run("document.querySelector('#status').getBoundingClientRect().top") < 800


@pytest.mark.parametrize("colours", ["light", "dark"])
def test_contrast_by_light_and_dark(opened: Open, colours: str) -> None:
    """Of text at least 4.5, of stones and buttons at least 3 (WCAG 2.2, 1.4.3 and 1.4.11)."""
    played = opened("tic", colours=colours)
    paper = "getComputedStyle(document.body).backgroundColor"
    assert (played.run(paper) == "rgb(255, 255, 255)") is (colours == "light")
    played.square(4, 1)
    found = played.run(CONTRASTS)
    assert found["texts"] > 20
    assert found["worst"] >= 4.5
    assert min(found["black"], found["white"], found["buttons"]) >= 3


# -- names ------------------------------------------------------------------------------------


def test_what_a_screen_reader_is_told(opened: Open) -> None:
    played = opened("hex")
    played.square(1, 1)
    board = played.node("image", "The board Black: b2 a3. White: a1. Last move: a3.")
    assert board
    status = next(n for n in played.page.accessible() if n["role"]["value"] == "status")
    assert {p["name"]: p["value"]["value"] for p in status["properties"]}["live"] == "polite"
    for role, name in [
        ("main", ""), ("region", "Board"), ("region", "Moves"), ("group", "Steps of the play"),
        ("toolbar", "Your legal moves"), ("heading", "Your legal moves"), ("heading", "The play"),
    ]:  # fmt: skip
        assert played.node(role, name), role
    buttons = [n for n in played.page.accessible() if n["role"]["value"] == "button"]
    assert all(n["name"]["value"] for n in buttons)
    last = played.node("button", "Next")
    assert {"name": "disabled", "value": {"type": "boolean", "value": True}} in last["properties"]
    # The position is said once: in the picture's name, not in the words below it as well.
    said = [
        n for n in played.page.accessible() if "Last move" in n.get("name", {}).get("value", "")
    ]
    assert [n["role"]["value"] for n in said] == ["image"]
    assert played.run("document.documentElement.lang") == "en"
    ids = played.run("[...document.querySelectorAll('[id]')].map((e) => e.id)")
    assert len(ids) == len(set(ids))
    levels = played.run("[...document.querySelectorAll('h1, h2, h3')].map((e) => e.tagName)")
    assert levels[0] == "H1"
    assert levels.count("H1") == 1


# -- the file ---------------------------------------------------------------------------------


def test_nothing_is_asked_of_the_network_and_nothing_complains(opened: Open) -> None:
    played = opened("tic")
    played.square(4, 1)
    played.run("0")
    asked = [e for e in played.events if e.get("method") == "Network.requestWillBeSent"]
    assert [e["params"]["request"]["url"] for e in asked] == [played.address]
    complaints = {"Log.entryAdded", "Runtime.exceptionThrown", "Runtime.consoleAPICalled"}
    assert not [e for e in played.events if e.get("method") in complaints]
    # The policy forbids what a name from a file would do, if it ever became markup.
    refused = played.run(
        """(async () => {
          const directives = [];
          addEventListener("securitypolicyviolation", (e) => directives.push(e.effectiveDirective));
          await fetch("https://example.invalid/").catch(() => null);
          const script = document.createElement("script");
          script.textContent = "window.injected = true";
          document.body.append(script);
          await new Promise((done) => setTimeout(done, 50));
          return [directives, window.injected === undefined];
        })()"""
    )
    assert refused == [["connect-src", "script-src-elem"], True]


def test_a_circuit_that_cannot_be_read_is_said(
    browser: Chromium, pages: Callable[[str], Path], tmp_path: Path
) -> None:
    text = pages("tic").read_text("utf-8")
    damaged = tmp_path / "damaged.html"
    damaged.write_text(re.sub(r'"circuit":"[^"]{20}', '"circuit":"', text), "utf-8")
    page = browser.page()
    page.open(damaged.as_uri())
    said = partial(page.run, "document.getElementById('status').textContent")
    page.wait("document.getElementById('status').textContent !== 'The circuit is being read.'")
    assert said().startswith("The circuit could not be read: ")
