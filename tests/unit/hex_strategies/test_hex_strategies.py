"""Strategies of Hex by patterns: proved files win every play, wrong ones are refused.

Whether a file wins is asked of :func:`wins_all_plays`, which shares nothing with the product: it
reads the lines itself, has its own board, and plays out every reply of White's.
"""

from __future__ import annotations

import random
import re
from functools import cache
from pathlib import Path

import pytest

from qsage_validate.certificates.compiler import compile_plan
from qsage_validate.certificates.oracle import NoAnswerError
from qsage_validate.certificates.routes import check_compiled
from qsage_validate.encodings.registry import encode
from qsage_validate.errors import Exit, InputError, UndecidedError, UsageError
from qsage_validate.extensions.hex_strategies import walk as hex_walk
from qsage_validate.extensions.hex_strategies.search import find_strategy
from qsage_validate.extensions.hex_strategies.strategy import (
    HERE,
    Placement,
    parse_strategy,
    read_strategy,
    strategy_text,
    structure_fault,
)
from qsage_validate.extensions.hex_strategies.walk import (
    PatternReplies,
    StrategyWalk,
    walk,
    winning_plan,
)
from qsage_validate.formats.source import Source, sample_path
from qsage_validate.games.positional.hex import hex_network
from qsage_validate.games.protocol import Player
from qsage_validate.system.limits import Limits, nobody
from tests.support.commands import run_play, run_qsage

ZIGGURAT = """\
hex 4x4
pattern second-row b2-top:
  pair b1 c1
pattern bridge a2-b3:
  carrier a3 b2
  pair a3 b2
pattern ziggurat b3-top:  # the edge template of the third row
  white outside b1 b2 c1: play b2 then second-row b2-top
  white outside c1 c2 d1: play c2 then second-row c2-top
  white at c1: play a2 then bridge a2-b3, second-row a2-top
begin b3 then ziggurat b3-top, second-row b3-bottom
"""
SIZES = ("2x2", "3x3", "4x3", "3x4", "4x4")


def found(size: str, opening: str | None = None) -> str:
    return find_strategy(size, opening, Limits(), nobody)


def proved(text: str) -> tuple[bool, bool, bool]:
    """What structure, the walk over whole boards, and the walk over links apart say."""
    strategy = parse_strategy(Source(text))
    return (
        structure_fault(strategy) is None,
        isinstance(walk(strategy, Limits()), StrategyWalk),
        isinstance(walk(strategy, Limits(positions=1000)), StrategyWalk),
    )


# An oracle of its own


XY = tuple[int, int]
By = tuple[int, bool, int, int]
NEAR = ((1, 0), (-1, 0), (0, 1), (0, -1), (1, -1), (-1, 1))


def xy(name: str) -> XY:
    return "abcdefgh".index(name[0]) + 1, int(name[1:])


def turned(cell: XY, turns: int, mirrored: bool) -> XY:
    x, y, z = cell[0], cell[1], -cell[0] - cell[1]
    if mirrored:
        x, z = z, x
    for _ in range(turns):
        x, y, z = -y, -z, -x
    return x, y


def wins_all_plays(text: str) -> bool:
    """Whether Black, who answers by the lines of a file, wins every play to the end."""
    lines = [line.split("#")[0] for line in text.splitlines()]
    lines = [line for line in lines if line.strip()]
    width, height = map(int, lines[0].split()[1].split("x"))
    patterns: dict[str, tuple[list[str], list[tuple[str, list[str], str, list[str]]]]] = {}
    opening: tuple[str, list[str]] = ("", [])
    name = ""
    for line in lines[1:]:
        word, *rest = line.replace(":", " ").split()
        if word == "pattern":
            name = rest[0]
            patterns[name] = (re.split(r"-|\s+", " ".join(rest[1:]).replace(" with ", " ")), [])
        elif word == "pair":
            patterns[name][1].extend(
                [("at", [rest[1]], rest[0], []), ("at", [rest[0]], rest[1], [])]
            )
        elif word in ("white", "otherwise", "begin"):
            where, _, then = line.partition("play" if word != "begin" else "begin")
            move, _, links = then.strip().partition(" then ")
            parts = [link.strip() for link in links.split(",") if link.strip()]
            kind, cells = "outside", []
            if word == "white":
                kind, *cells = where.replace(":", " ").split()[1:]
            if word == "begin":
                opening = (move.strip(), parts)
            else:
                patterns[name][1].append((kind, cells, move.strip(), parts))
        elif word == "links":
            joined = " ".join(line.split()[1:])
            patterns[name][1].append(("and", [], "", [p.strip() for p in joined.split(",")]))

    def place(link: str, outer: By) -> tuple[str, By]:
        """A link's pattern, and the symmetry that puts the pattern on the board."""
        words = link.split()
        mirrored = words[-1] == "mirrored"
        images = re.split(
            r"-|\s+", " ".join(words[1:-1] if mirrored else words[1:]).replace(" with ", " ")
        )
        own = patterns[words[0]][0]
        pairs = list(zip(own, images, strict=True))
        for turns in range(6):
            anchors = [(xy(a), xy(b)) for a, b in pairs if a not in ("top", "bottom")]
            if not anchors:
                return words[0], outer
            (ax, ay), (bx, by) = anchors[0][1], turned(anchors[0][0], turns, mirrored)
            dx, dy = ax - bx, ay - by
            good = all(
                (p[0] + dx, p[1] + dy) == b
                for a, b in anchors
                for p in [turned(a, turns, mirrored)]
            )
            sides = [(a, b) for a, b in pairs if a in ("top", "bottom")]
            if sides and turns not in (0, 3):
                good = False
            good = good and all((a == b) == (turns == 0) for a, b in sides)
            if good:
                # First this placement, then the outer one.
                return words[0], compose(outer, (turns, mirrored, dx, dy))
        raise ValueError(link)

    def put(cell: XY, by: By) -> XY:
        x, y = turned(cell, by[0], by[1])
        return x + by[2], y + by[3]

    def compose(a: By, b: By) -> By:
        origin = put(put((0, 0), b), a)
        for turns in range(6):
            for mirrored in (False, True):
                one = (turns, mirrored, *origin)
                if all(put(p, one) == put(put(p, b), a) for p in ((1, 0), (0, 1))):
                    return one
        raise AssertionError

    @cache
    def carrier(name: str, by: By) -> frozenset[XY]:
        cells: set[XY] = set()
        for _, _, move, parts in patterns[name][1]:
            if move:
                cells.add(put(xy(move), by))
            for part in parts:
                cells |= carrier(*place(part, by))
        return frozenset(cells)

    def flat(
        live: list[tuple[str, By]],
    ) -> tuple[tuple[str, By], ...]:
        done: list[tuple[str, By]] = []
        for name, by in live:
            answers = patterns[name][1]
            if answers[0][0] == "and":
                done += flat([place(part, by) for part in answers[0][3]])
            else:
                done.append((name, by))
        return tuple(done)

    def connected(black: frozenset[XY]) -> bool:
        waiting = [cell for cell in black if cell[1] == 1]
        seen = set(waiting)
        while waiting:
            x, y = waiting.pop()
            for dx, dy in NEAR:
                cell = x + dx, y + dy
                if cell in black and cell not in seen:
                    seen.add(cell)
                    waiting.append(cell)
        return any(y == height for _, y in seen)

    board = frozenset((x, y) for x in range(1, width + 1) for y in range(1, height + 1))

    @cache
    def holds(
        black: frozenset[XY],
        white: frozenset[XY],
        live: tuple[tuple[str, By], ...],
    ) -> bool:
        if connected(black):
            return True
        free = board - black - white
        if not free:
            return False
        for cell in free:
            hit = [own for own in live if cell in carrier(*own)]
            if not live:
                return False
            name, by = own = hit[0] if hit else live[0]
            fitting = [
                answer
                for answer in patterns[name][1]
                if not hit or (cell in {put(xy(c), by) for c in answer[1]}) == (answer[0] == "at")
            ]
            if not fitting:
                return False
            _, _, move, parts = fitting[0]
            stone = put(xy(move), by)
            if stone not in free or stone == cell:
                return False
            rest = [other for other in live if other is not own]
            left = flat([*rest, *(place(part, by) for part in parts)])
            if not holds(black | {stone}, white | {cell}, tuple(sorted(left))):
                return False
        return True

    here = (0, False, 0, 0)
    start = flat([place(part, here) for part in opening[1]])
    return holds(frozenset((xy(opening[0]),)), frozenset(), tuple(sorted(start)))


# What is right is proved


def test_a_strategy_as_people_write_it() -> None:
    assert proved(ZIGGURAT) == (True, True, True)
    assert wins_all_plays(ZIGGURAT)
    assert parse_strategy(Source(ZIGGURAT)).plies == 9


def test_a_play_says_once_who_connects_what(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "ziggurat.hexs"
    file.write_text(ZIGGURAT)
    solution = str(tmp_path / "hex.solution")
    assert run_qsage(["solve", "hex", "--size", "2", "--solution", solution]) == Exit.TRUE
    for words in (["--strategy", str(file)], ["hex", "--size", "2"], ["--solution", solution]):
        capsys.readouterr()
        assert run_play([*words, "--moves", ""]) == Exit.UNDECIDED
        assert capsys.readouterr().out.count("Black connects top and bottom") == 1


def test_a_file_and_find_are_not_both_meant(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_qsage(["hex-strategy", "--find", "3x3", "x.hexs"]) == Exit.BAD_INPUT
    said = "qsage: error: found x.hexs with --find, expected one of them\n"
    assert capsys.readouterr().err == said


@pytest.mark.parametrize("size", SIZES)
def test_all_openings_that_win_are_found_and_proved(size: str) -> None:
    width, height = map(int, size.split("x"))
    won = 0
    for x in range(width):
        for y in range(1, height + 1):
            cell = f"{'abcd'[x]}{y}"
            try:
                text = found(size, cell)
            except UsageError:
                continue  # White wins then
            won += 1
            assert proved(text) == (True, True, True), text
            assert wins_all_plays(text), text
            again = strategy_text(parse_strategy(Source(text)), ())
            assert again == text.partition("\n")[2]
    assert won == {"2x2": 2, "3x3": 5, "4x3": 12, "3x4": 0, "4x4": 4}[size]


@pytest.mark.parametrize(("sample", "plies"), [("hex-5x5.hexs", 13), ("hex-6x6.hexs", 27)])
def test_samples_are_proved(sample: str, plies: int) -> None:
    strategy = read_strategy(sample_path(f"sample:{sample}"))
    assert structure_fault(strategy) is None
    for most in (10_000, 3_000):
        assert isinstance(walk(strategy, Limits(positions=most)), StrategyWalk)
    assert strategy.plies == plies


@pytest.mark.slow
def test_the_centre_of_7x7_is_proved() -> None:
    strategy = read_strategy(sample_path("sample:hex-7x7.hexs.gz"))
    assert structure_fault(strategy) is None
    walked = walk(strategy, Limits())
    assert isinstance(walked, StrategyWalk)
    assert strategy.plies == 39
    assert walked.apart


def test_the_search_finds_a_strategy_of_6x6() -> None:
    assert proved(found("6x6", "c4"))[:2] == (True, True)
    with pytest.raises(UsageError, match="with which White wins 5x5"):
        found("5x5", "a1")


def test_no_opening_is_blamed_that_was_not_given() -> None:
    with pytest.raises(UsageError) as caught:
        find_strategy("2x3", None, Limits(), nobody)
    assert str(caught.value) == (
        "found the size 2x3, where White's sides are nearer and White wins after every opening, "
        "expected one at least as wide as high"
    )
    with pytest.raises(UsageError, match="found the opening a1, with which White wins 2x3"):
        find_strategy("2x3", "a1", Limits(), nobody)


def test_placements_form_a_group() -> None:
    draw = random.Random(1)
    for _ in range(200):
        one, other = (
            Placement(draw.randrange(6), draw.random() < 0.5, draw.randrange(9), draw.randrange(9))
            for _ in range(2)
        )
        cell = draw.randrange(9), draw.randrange(9)
        assert one.after(other).cell(cell) == one.cell(other.cell(cell))
        assert one.after(one.inverse()) == one.inverse().after(one) == HERE
        x, y = turned(cell, one.turns, one.mirrored)
        assert one.cell(cell) == (x + one.dx, y + one.dy)


# What is wrong is refused


def mutated(text: str, draw: random.Random) -> str:
    """A line dropped, doubled or swapped, or a cell shifted."""
    lines = text.splitlines()
    kind, k = draw.randrange(6), draw.randrange(1, len(lines))
    if kind == 0:
        del lines[k]
    elif kind == 1:
        other = draw.randrange(1, len(lines))
        lines[k], lines[other] = lines[other], lines[k]
    elif kind == 2:
        lines[k] = re.sub(r", [^,]*$", "", lines[k])
    elif kind == 3:
        lines[k] = lines[k] + " mirrored" if "then" in lines[k] else lines[k]
    else:
        cells = list(re.finditer(r"\b[a-d][1-4]\b", lines[k]))
        if cells:
            match = draw.choice(cells)
            x, y = xy(match[0])
            x, y = x + draw.randrange(-1, 2), y + draw.randrange(-1, 2)
            if 1 <= x <= 4 and 1 <= y <= 4:
                lines[k] = f"{lines[k][: match.start()]}{'abcd'[x - 1]}{y}{lines[k][match.end() :]}"
    return "\n".join(lines) + "\n"


def test_an_answer_on_the_cell_that_white_took_is_refused_with_links_apart() -> None:
    lines = ("white outside b1: play b1", "otherwise: play b1")
    text = f"hex 3x3\npattern edge b2-top:\n  {lines[0]}\n  {lines[1]}\n"
    strategy = parse_strategy(Source(f"{text}begin b2 then edge b2-top, edge b2-bottom\n"))
    with pytest.raises(hex_walk.BrokenStrategyError, match="White took b3, so b3: Black cannot"):
        hex_walk._walk_links(hex_walk.StrategyBoard(strategy), Limits())


def test_no_mutated_file_is_proved_wrongly_by_links_apart() -> None:
    """Small boards are walked whole: with this limit of positions, links are walked apart."""
    draw = random.Random(7)
    apart = refused = 0
    for _ in range(400):
        text = mutated(draw.choice((ZIGGURAT, found("4x4", "c2"))), draw)
        try:
            strategy = parse_strategy(Source(text))
            told = walk(strategy, Limits(positions=20))
        except (InputError, UndecidedError):
            continue
        if isinstance(told, StrategyWalk):
            apart += told.apart
            assert wins_all_plays(text), text
        refused += not isinstance(told, StrategyWalk)
    assert (apart > 20, refused > 20) == (True, True), (apart, refused)


def test_no_mutated_file_is_proved_wrongly() -> None:
    draw = random.Random(42)
    texts = [ZIGGURAT, found("3x3"), found("3x3", "a3"), found("4x4", "c2"), found("4x3", "a1")]
    wrong = right = 0
    for _ in range(250):
        text = draw.choice(texts)
        for _ in range(draw.randrange(1, 3)):
            text = mutated(text, draw)
        try:
            verdicts = proved(text)
        except InputError:
            continue
        wins = wins_all_plays(text)
        if any(verdicts):
            assert wins, text
        wrong += not wins
        right += all(verdicts)
    assert wrong > 20
    assert right > 20


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("  white at c1: play a2", "  white at d4: play a2", "White at c1 has no answer"),
        ("pair b1 c1", "pair b1 c2", "b2 and top are not connected"),
        ("  pair a3 b2", "  pair a3 c2", "a2 and b3 are not connected"),
        ("carrier a3 b2", "carrier a3", "uses b2 outside of its carrier"),
        ("carrier a3 b2", "carrier a3 b2 c2", "never uses c2 of its carrier"),
        (", second-row b3-bottom", "", "top and bottom are not connected"),
        (
            "ziggurat b3-top, second-row b3-bottom",
            "ziggurat b3-top, ziggurat b3-top, second-row b3-bottom",
            "overlap at",
        ),
        ("begin b3", "begin b4", "needs a black stone at b3"),
        (
            "outside c1 c2 d1: play c2",
            "outside d1: play c2",
            "White at c1 is in the carrier of the answer c2",
        ),
    ],
)
def test_faults_are_named(old: str, new: str, fault: str) -> None:
    assert old in ZIGGURAT
    text = ZIGGURAT.replace(old, new)
    found = structure_fault(parse_strategy(Source(text)))
    assert found is not None
    assert fault in found.text
    if "carrier a3" not in old:  # what a file says of carriers is nothing that a play needs
        assert not isinstance(walk(parse_strategy(Source(text)), Limits()), StrategyWalk)


# Reading


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "<input>:1:1: found the end of the file, expected a line like 'hex 5x5'"),
        ("hex 5\n", "<input>:1:5: found '5', expected a size like 5x5, at most 19x19"),
        ("hex 20x3\n", "<input>:1:5: found '20x3', expected a size like 5x5, at most 19x19"),
        ("hex 3x3\nstart b2\n", "<input>:2:1: found 'start', expected 'pattern' or 'begin'"),
        ("hex 3x3\nbegin d2\n", "<input>:2:7: found 'd2', expected a cell of the 3x3 board"),
        (
            "hex 3x3\nbegin b2 then p b2-top\n",
            "<input>:2:15: found 'p', expected the name of a pattern above",
        ),
        (
            "hex 3x3\npattern b2 b2-top:\n  pair b1 c1\n",
            "<input>:2:9: found 'b2', expected a name of small letters, digits, - and _ that is "
            "no cell",
        ),
        (
            "hex 3x3\npattern p b2:\n",
            "<input>:2:11: found 'b2', expected ends like b3-c1 or b2-top, different ones on a "
            "3x3 board",
        ),
        (
            "hex 3x3\npattern p b2-top:\nbegin b2\n",
            "<input>:2:1: found a pattern without a rule, expected 'pair', 'links' or 'white'",
        ),
        (
            "hex 3x3\npattern p b2-top:\n  pair b1\n",
            "<input>:3:8: found 'b1', expected two cells behind 'pair'",
        ),
        (
            "hex 3x3\npattern p b2-top:\n  pair b1 c1\nbegin b2 then p b3-top\n",
            "<input>:4:15: found 'p b3-top', expected ends that lie like b2-top, moved, turned or "
            "mirrored",
        ),
        (
            "hex 3x3\npattern p b2-top:\n  pair b1 c1\nbegin b2 then p c2-top\n",
            "<input>:4:15: found 'p c2-top', whose carrier leaves the board, expected a place on "
            "the 3x3 board",
        ),
        (
            "hex 3x3\npattern p b2-top:\n  white near b1: play c1\n",
            "<input>:3:9: found 'near', expected 'at' or 'outside'",
        ),
        (
            "hex 3x3\npattern p b2-top:\n  pair b1 c1\n",
            "<input>:3:13: found the end of the file, expected a line 'begin CELL then LINKS'",
        ),
        (
            "hex 3x3\nbegin b2\nbegin b2\n",
            "<input>:3:1: found 'begin', expected the end of the file behind the line 'begin'",
        ),
    ],
)
def test_bad_files(text: str, message: str) -> None:
    with pytest.raises(InputError) as error:
        parse_strategy(Source(text))
    assert str(error.value) == message


def test_any_text_is_read_or_refused_with_its_place() -> None:
    draw = random.Random(7)
    words = [
        *ZIGGURAT.split(),
        "mirrored",
        "with",
        "otherwise:",
        "links",
        "-",
        "a1-a1",
        "\n",
        "é",
        ":",
    ]
    read = unplaced = 0
    for _ in range(1500):
        text = ZIGGURAT
        for _ in range(draw.randrange(1, 4)):
            at = draw.randrange(len(text))
            to = min(len(text), at + draw.randrange(4))
            text = text[:at] + draw.choice([*words, "", " "]) + text[to:]
        try:
            strategy = parse_strategy(Source(text))
        except InputError as error:
            unplaced += error.line is None or error.column is None
            continue
        read += 1
        structure_fault(strategy)
        walk(strategy, Limits(positions=200))
        assert parse_strategy(Source(strategy_text(strategy))).plies == strategy.plies
    assert read > 20
    assert unplaced == 0


def test_files_that_grow_beyond_all_bounds_are_refused() -> None:
    lines = ["hex 9x9", "pattern p0 e5-e7:", "  pair d6 e6"]
    for k in range(1, 3000):
        lines += [f"pattern p{k} e5-e7:", f"  links p{k - 1} e5-e7, p{k - 1} e5-e7"]
    text = "\n".join([*lines, "begin e5 then p2999 e5-e7", ""])
    strategy = parse_strategy(Source(text))
    assert structure_fault(strategy) is not None
    assert not isinstance(walk(strategy, Limits()), StrategyWalk)


# Limits, plays, certificates


def test_limits() -> None:
    strategy = parse_strategy(Source(ZIGGURAT))
    whole, apart = (walk(strategy, Limits(positions=most)) for most in (1000, 20))
    assert isinstance(whole, StrategyWalk)
    assert isinstance(apart, StrategyWalk)
    assert (whole.apart, apart.apart) == (False, True)
    with pytest.raises(UndecidedError, match="links were to be walked through"):
        walk(strategy, Limits(positions=2))
    with pytest.raises(UndecidedError, match="decisions on the board"):
        winning_plan(strategy, Limits(positions=2))


def test_plays_name_the_pattern_that_answers() -> None:
    replies = PatternReplies(parse_strategy(Source(ZIGGURAT)))
    position = replies.game.initial
    said = []
    for white in ("c1", "b1", "a3", "d4"):
        reply = replies.reply(position)
        said.append(f"{reply.move}: {reply.why}")
        position = position.play(reply.move)
        position = position.play(replies.game.parse_move(white, Player.WHITE))
    assert said == [
        "b3: the opening",
        "a2: ziggurat b3-top: White took c1, so a2",
        "a1: second-row a2-top: White took b1, so a1",
        "b2: bridge a2-b3: White took a3, so b2",
    ]
    other = replies.game.initial.play(replies.game.parse_move("a1", Player.BLACK))
    with pytest.raises(NoAnswerError, match="is not reached"):
        replies.reply(other.play(replies.game.parse_move("b1", Player.WHITE)))


@pytest.mark.parametrize("size", ["2x2", "3x3", "4x4"])
@pytest.mark.parametrize("encoding", ["en-forward", "ea"])
def test_certificates_of_formulas(size: str, encoding: str) -> None:
    strategy = parse_strategy(Source(found(size)))
    model = hex_network(strategy.width, strategy.height, strategy.plies)
    encoded = encode(model, encoding)
    plan = winning_plan(strategy, Limits())
    checked, certificate = check_compiled(encoded, plan, compile_plan(encoded, plan))
    assert certificate.kind.player is Player.BLACK
    assert checked.word == "proved"
