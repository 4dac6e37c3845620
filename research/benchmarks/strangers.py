"""Formulas by others' encoders, right and wrong: is what the product says of them true?

    python research/benchmarks/strangers.py DATA [--groups G ...] [--forms F ...] [--faults N] [-o FILE]

DATA is a folder with others' formulas, as ``docs/results/strangers.md`` describes it; without it
only formulas of this project are judged, their layouts taken away.  The layout of each formula is
found, and the formula judged by it, in at most ``--seconds``.  Laws, both decided by a brute force
of its own (``strangers_truth.py``), which knows what the moves are:

- no formula is proved that is wrong under the layout that was found; after plays that are drawn,
  where it is too large for all of them;
- none is refuted that is right, and the play that is told shows the two values that are told.

The form ``with its meta file`` has the layout from Q-sage's meta file, where there is one.

The exit code is 1 where a law is broken.  FILE has a line of JSON a formula; those that it has
already are not judged again.  The smaller files of a group are first.  With ``--processor-time``
seconds are those of a processor, so that other work on the machine changes nothing.  ``--page``
prints the page of FILE, ``--csv`` its rows for programs.
"""

from __future__ import annotations

import argparse
import csv
import json
import lzma
import random
import re
import sys
import tarfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

if __package__ in (None, ""):  # started as a file
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from qsage_validate.circuit.qbf import Qbf
from qsage_validate.encodings.foreign import layout_from_meta
from qsage_validate.encodings.layout import Layout
from qsage_validate.encodings.registry import encode, language_of_encoding
from qsage_validate.errors import MissingExtraError, QsageError, Undecided, UndecidedError, counted
from qsage_validate.formats.formula import read_formula as read_qbf
from qsage_validate.formats.meta import read_meta
from qsage_validate.games.languages import load_game
from qsage_validate.games.protocol import TwoPlayerGame
from qsage_validate.games.registry import find_command
from qsage_validate.judging.judged import judge_formula
from qsage_validate.judging.residuals import solver_value
from qsage_validate.system.limits import (
    Deadline,
    Stopwatch,
    count_processor_time,
    counts_processor_time,
)
from qsage_validate.validation.finding import Refuted
from research.benchmarks.strangers_page import WITH_META, page
from research.benchmarks.strangers_truth import (
    FAULTS,
    Formula,
    Grid,
    Hex,
    Minimax,
    Reading,
    Rules,
    TooLargeError,
    clausified,
    faulty,
    judge,
    judge_drawn,
    permuted,
    read_formula,
    recoded,
    value_after,
)

CODES: Final = ("other codes", "a player's codes", "a ply's codes")
FORMS: Final = (
    *("as it is", "renamed", "permuted", "tseitin", "polarity", "moved", "permuted clauses"),
    *CODES,
    WITH_META,
)
"""As it is; other numbers; these and another order inside of blocks; clauses by Tseitin, by
polarity, by Tseitin with definitions as far left as they may stand, by polarity and permuted.  Of
small games in QCIR: the codes of moves in any order, in one order a player, or with two moves of
one ply exchanged."""
_MOST_BITS: Final = 7
GROUPS: Final = ("hex", "grid", "positional", "bwnib", "hqspre", "sqval", "own", "gdl")
_VALUE_SECONDS: Final = 10.0
_DRAWN: Final = 40
"""The complete plays after which a proved formula is compared that is too large for all plays."""


@dataclass(frozen=True)
class Case:
    """A formula and the words of its game.

    ``rules`` makes the benchmark's own rules, ``reading`` what the moves are where that is known.
    ``small`` says that brute force can look at all plays; where it cannot, ``expected`` is what the
    data's own judgement says.  ``file`` is the formula's own, ``meta`` Q-sage's file beside it.
    """

    name: str
    group: str
    formula: Callable[[], Formula]
    game: tuple[str, ...]
    language: str | None = None
    rules: Callable[[], Rules] | None = None
    reading: Callable[[Formula, Any], Reading] | None = None
    small: bool = False
    fault: str = ""
    expected: bool | None = None
    meta: Path | None = None
    file: Path | None = None
    encoding: str = ""
    value: bool | None = None
    """The formula's value, where the data says it."""
    size: int = 0
    """The bytes of the file."""


@dataclass
class Row:
    """What was said of a formula, and what is true.

    ``truth`` is "right", "wrong" or "not judged", with a question mark where it is the data's own
    judgement, and "right in drawn plays" where no more was compared.  ``lie`` is empty unless a law is broken.  ``layout`` is the reading by which the
    formula was judged, ``limit`` the time that it was given.
    """

    name: str
    group: str
    form: str
    fault: str
    game: str
    verdict: str = ""
    text: str = ""
    layout: str = ""
    difference: str = ""
    seconds: float = 0.0
    value: bool | None = None
    truth: str = "not judged"
    truth_play: str = ""
    lie: str = ""
    encoding: str = ""
    limit: str = ""

    @property
    def key(self) -> tuple[str, str, str]:
        """What tells rows apart."""
        return self.name, self.form, self.fault


# --- The formulas -----------------------------------------------------------------------------


def strangers(data: Path, folder: Path) -> Iterator[Case]:
    """All formulas of the data's folder; archives are unpacked into ``folder``."""
    own = data / "strangers"
    with (own / "expected.csv").open() as file:
        said = {row["formula"]: row for row in csv.DictReader(file)}
    expected = {
        name: not row["verdict"].startswith("wrong")
        for name, row in said.items()
        if row["value of the formula"] in ("true", "false")  # else "right by value" rests on none
    }
    truth = {"true": True, "false": False}
    values = {name: truth.get(row["value of the formula"]) for name, row in said.items()}
    for path in sorted((own / "hex").glob("*.qcir")):
        case = _hex(path, own / "hex" / f"{path.stem.partition('_')[2]}.pg", "hex")
        yield replace(case, expected=expected.get(path.name), value=values.get(path.name))
    for path in sorted((own / "grid").glob("*.qcir")):
        game = path.stem.partition("_")[2]
        files = own / "grid" / f"{game}.domain.ig", own / "grid" / f"{game}.problem.ig"
        yield replace(
            _grid(path, *files, "grid"),
            expected=expected.get(path.name),
            value=values.get(path.name),
        )
    for archive in sorted(own.glob("*.tar.xz")):
        with tarfile.open(archive) as packed:
            if hasattr(tarfile, "data_filter"):  # Python 3.11.4
                packed.extraction_filter = tarfile.data_filter
            packed.extractall(folder / archive.name.partition(".")[0])
    for encoding in ("pg", "cp", "ibign"):
        for path in sorted((folder / "positional" / encoding).glob("*.qcir")):
            game = path.stem.removesuffix(f"_{encoding}")
            yield _hex(path, folder / "b-hex-pg" / "B-Hex" / f"{game}.pg", "positional")
    for group, suffix in (("bwnib", ".qcir"), ("hqspre", ".qdimacs.hqspre")):
        for path in sorted((folder / group).glob(f"*/*{suffix}")):
            place = data / "bddl" / _FOLDERS[path.parent.name]
            stem = path.name.removesuffix(f"_bwnib{suffix}")
            problem = next((p for p in place.glob(f"{stem}.*")), None)
            if problem is not None:
                yield _grid(path, place / "domain.ig", problem, group)
    for path in sorted((data / "sqval").glob("*/*.q*")):
        match = re.search(r"hein_(\d+)(?:_(\dx\d))?_(\d+)", path.parent.name)
        assert match is not None, path
        puzzle = next((own / "hex").glob(f"hein_{match[1]}_*-{match[3]}.pg"))
        smaller = folder / f"preprocessed_{puzzle.name}"
        smaller.write_text(preprocessed(puzzle.read_text()))
        yield _hex(path, smaller, "sqval")


def preprocessed(puzzle: str) -> str:
    """The game of Hex that Q-sage's preprocessor makes of a puzzle, of which SQval's formulas are.

    White's stones are taken off, Black's stones join their neighbours, and positions are left out
    that are on no connection with as few positions as Black has plies.
    """
    game = Hex(puzzle)
    black, white = game.black, game.white
    near = {v: set(game.neighbours[v]) - white for v in game.positions if v not in white}

    def reached(first: Iterable[str]) -> dict[str, int]:
        """The least number of open positions of a connection from a border to each position."""
        found: dict[str, int] = {}
        edge = [v for v in first if v not in white]
        for count in range(1, len(near) + 1):
            following: list[str] = []
            for v in edge:  # it grows by what Black's stones join
                if v in black and v not in found:
                    edge += near[v]
                elif v not in black and v not in found:
                    following += near[v]
                found.setdefault(v, count)
            edge = following
        return found

    most = sum(game.turns)
    borders = [reached(border) for border in (game.first, game.last)]
    kept = [
        v
        for v in game.positions
        if v not in black
        and all(v in b for b in borders)
        and sum(b[v] for b in borders) <= most + 1
    ]
    joined = {v: reached(near[v]) for v in kept}
    lines = [f"{v} {' '.join(x for x in kept if x != v and joined[v].get(x) == 1)}" for v in kept]
    ends = [[v for v in kept if b[v] == 1] for b in borders]
    times = [f"t{k}" for k in range(1, game.plies + 1)]
    sections: dict[str, list[str]] = {
        "blackinitials": [],
        "whiteinitials": [],
        "times": [" ".join(times)],
        "blackturns": [" ".join(t for t, own in zip(times, game.turns, strict=True) if own)],
        "positions": [" ".join(kept)],
        "blackwins": [],
        "neighbours": lines,
        "startboarder": [" ".join(ends[0])],
        "endboarder": [" ".join(ends[1])],
    }
    return "".join("\n".join((f"#{name}", *own, "")) for name, own in sections.items())


_FOLDERS: Final = {
    "B": "breakthrough",
    "BSP": "breakthrough-second-player",
    "C4": "connect-c",
    "D": "domineering",
    "EP": "evader_pursuer",
    "EP-dual": "evader_pursuer_dual",
    "hex": "hex",
    "httt": "httt",
}


def _hex(path: Path, game: Path, group: str) -> Case:
    def rules() -> Rules:
        return Hex(game.read_text())

    known = group in ("hex", "positional")
    return Case(
        f"{group}/{path.parent.name}/{path.name}" if group == "sqval" else f"{group}/{path.name}",
        group,
        lambda: read_formula(path),
        (str(game),),
        None,
        rules,
        numbers_of_positions if known else None,
        small=group == "hex" and "3x3-03" in path.name,
        encoding=_encoding(path, group),
        file=path,
        size=path.stat().st_size,
    )


def _grid(path: Path, domain: Path, problem: Path, group: str) -> Case:
    def rules() -> Rules:
        return Grid(domain.read_text(), problem.read_text())

    meta = path.with_suffix(".meta")
    return Case(
        f"{group}/{path.name}" if group == "grid" else f"{group}/{path.parent.name}/{path.name}",
        group,
        lambda: read_formula(path),
        (str(domain), str(problem)),
        None,
        rules,
        (lambda formula, rules: action_bits(formula, rules, meta.read_text()))
        if meta.is_file()
        else None,
        small=path.stem.partition("_")[2] in ("dom23", "3x3_3_el", "domino"),
        meta=meta if meta.is_file() else None,
        encoding=_encoding(path, group),
        file=path,
        size=path.stat().st_size,
    )


def _encoding(path: Path, group: str) -> str:
    """The name of a file's encoding, by the customs of its group."""
    if group == "positional":
        return path.parent.name
    if group == "sqval":
        return (path.name if path.stem in ("SN", "LN") else path.parent.name)[:2]
    return group if group in ("bwnib", "hqspre") else path.name.partition("_")[0]


_OWN: Final = {
    "hex --size 2x2 --depth 3": ("la", "ea", "cor", "cor+", "cor-lean", "sa"),
    "hex-network --size 2x2 --depth 3": ("en", "ln", "sn", "li", "si"),
    "httt --size 2x2 --shape domino --depth 3": ("lifted", "lifted-guarded"),
    "domineering --size 2x2 --depth 2": ("lifted", "lifted-guarded"),
    "connect-c --connect 2 --size 2x2 --depth 3": ("lifted",),
}


def own_formulas() -> Iterator[Case]:
    """Formulas of this project's encoders, of games so small that all plays are looked at."""
    for words, encodings in _OWN.items():
        for encoding in encodings:
            yield _own(words, encoding)


_GDL: Final = {"tic-tac-toe": ("gdl", "gdl-strict", "gdl-gn"), "dots-and-boxes-2x2": ("gdl",)}


def gdl_formulas(data: Path) -> Iterator[Case]:
    """Formulas of this project's encoders of the data's games in GDL, for three rounds."""
    for game, encodings in _GDL.items():
        for encoding in encodings:
            case = _own(f"{data / 'gdl' / game}.gdl --depth 3", encoding)
            yield replace(case, name=f"gdl/{encoding}: {game} --depth 3", group="gdl")


def _own(words: str, encoding: str) -> Case:
    language = language_of_encoding(encoding)

    @cache
    def made() -> tuple[Qbf, Layout, TwoPlayerGame]:
        model = find_command(words.split(), language)
        encoded = encode(model, encoding)
        return encoded.qbf, encoded.layout, load_game(model)

    return Case(
        f"own/{encoding}: {words}",
        "own",
        lambda: _as_formula(made()[0]),
        tuple(words.split()),
        language,
        lambda: AsRules(made()[2]),
        lambda formula, rules: reading_of(made()[1]),
        small=True,
        encoding=encoding,
    )


def _as_formula(qbf: Qbf) -> Formula:
    names = {"exists": "e", "forall": "a"}
    prefix = tuple((names[s.quantifier.value], s.variables) for s in qbf.scopes if s.variables)
    gates = {g: (gate.connective.value, gate.inputs) for g, gate in qbf.gates.items()}
    return Formula(prefix, gates, qbf.output)


class AsRules:
    """A game of the package for brute force; its search is not asked."""

    def __init__(self, game: TwoPlayerGame) -> None:
        self.game = game
        self.plies = game.plies
        self.start: Any = game.initial

    def black_moves(self, state: Any, made: int) -> bool:
        """True if Black makes the next ply."""
        return str(state.to_move) == "Black"

    def moves(self, state: Any, made: int) -> list[str]:
        """Legal moves."""
        return [str(move) for move in state.legal_moves()]

    def play(self, state: Any, made: int, move: str) -> Any:
        """The state after a move."""
        return state.after(self.game.parse_move(move, state.to_move))

    def winner(self, state: Any, made: int) -> bool | None:
        """Whether Black has won, or White."""
        if state.outcome is not None:
            return str(state.outcome.winner) == "Black"
        return False if made >= self.plies or not state.legal_moves() else None


# --- What the moves are -----------------------------------------------------------------------


def numbers_of_positions(formula: Formula, rules: Any) -> Reading:
    """Q-sage's codes of positional games: numbers of positions, most significant bit first.

    The moves are in the first blocks of the player's quantifier that have enough variables.
    """
    need = max(1, (len(rules.positions) - 1).bit_length())
    found: list[Mapping[str, Mapping[int, bool]]] = []
    at = 0
    for black in rules.turns:
        while formula.prefix[at][0] != ("e" if black else "a") or len(formula.prefix[at][1]) < need:
            at += 1
        bits = formula.prefix[at][1][:need]
        found.append({p: _code(bits, n) for n, p in enumerate(rules.positions)})
        at += 1
    return found


def action_bits(formula: Formula, rules: Any, meta: str) -> Reading:
    """Q-sage's codes of games on grids, by its meta file.

    Bits with the other player's quantifier mean nothing: those of a single action.
    """
    section = re.search(r"#actionvars\n([^#]*)", meta)
    assert section is not None, "a meta file has them"
    rows = [
        [[int(x) for x in re.findall(r"\d+", part)] for part in re.findall(r"\[([^\]]*)\]", line)]
        for line in section[1].strip().splitlines()
    ]
    # Where White begins a ply stands in front that does nothing.
    rows = rows[0 if rules.black_first else 1 :]
    quantifiers = {v: q for q, block in formula.prefix for v in block}
    found: list[Mapping[str, Mapping[int, bool]]] = []
    for made in range(rules.plies):
        black = rules.black_moves(None, made)
        own = "e" if black else "a"
        action, x, y = ([v for v in part if quantifiers[v] == own] for part in rows[made])
        found.append(
            {
                f"{one.name}({column},{row})": {
                    **_code(action, number),
                    **_code(x, column - 1),
                    **_code(y, row - 1),
                }
                for number, one in enumerate(rules.actions[black])
                for column in range(1, rules.width + 1)
                for row in range(1, rules.height + 1)
            }
        )
    return found


def _code(bits: Sequence[int], number: int) -> dict[int, bool]:
    return {v: bool(number >> k & 1) for k, v in enumerate(reversed(bits))}


def reading_of(layout: Layout, *, going_on: bool = False) -> Reading:
    """The moves of a layout with their codes.

    With ``going_on`` a code says as well that nobody has stopped before its ply.
    """
    found: list[Mapping[str, Mapping[int, bool]]] = []
    before: dict[int, bool] = {}
    for ply in layout.moves:
        stop = {} if ply.stop is None else {abs(ply.stop): ply.stop < 0}
        goes_on = {**before, **(stop if ply.stop_instead else {})} if going_on else {}
        before = {} if ply.stop_instead else stop
        said = (m for m in ply.moves if ply.coding.can_say(m))
        found.append({m: {**ply.coding.encode(m), **goes_on} for m in said})
    return found


# --- Asking and judging -----------------------------------------------------------------------


@dataclass
class Answer:
    """What the product says of a formula and a game."""

    verdict: str
    text: str
    layout: Layout | None = None
    play: tuple[str, ...] | None = None
    seconds: float = 0.0


def ask(path: Path, case: Case, seconds: float, meta: Path | None = None) -> Answer:
    """Judge the formula by the layout of ``meta``, or find it, as ``qsage validate`` does."""
    watch = Stopwatch()
    deadline = Deadline.after(seconds)
    layout: Layout | None = None
    try:
        formula, game = read_qbf(str(path)), load_game(find_command(case.game, case.language))
        given = None
        if meta is not None:
            described = read_meta(str(meta))
            given = layout_from_meta(described, formula, first_player=game.first_player)
        judged = judge_formula(formula, game, given, deadline=deadline)
        verdict, layout = judged.verdict, judged.layout
        play = verdict.findings[0].moves if isinstance(verdict, Refuted) else None
        answer = Answer(verdict.word, verdict.reason, layout, play)
    except UndecidedError as error:
        answer = Answer(Undecided(str(error)).word, str(error))
    except MissingExtraError:
        raise  # it says nothing of the formula: the environment is not the one that is needed
    except QsageError as error:
        answer = Answer("does not fit", str(error))
    except Exception as error:  # noqa: BLE001 - a campaign notes what breaks, and goes on
        answer = Answer("broken", f"{type(error).__name__}: {error}", layout)
    answer.seconds = watch.seconds
    return answer


def row_of(case: Case, form: str, formula: Formula, names: Mapping[int, int], options: Any) -> Row:
    """Ask about one form of a case, and hold the answer against brute force.

    ``names`` maps the variables of the case to those of the form.
    """
    game = " ".join(Path(word).name for word in case.game)
    row = Row(case.name, case.group, form, case.fault, game, encoding=case.encoding)
    row.value = None if case.fault else case.value
    kind = "processor" if counts_processor_time() else "clock"
    row.limit = f"{options.seconds:g} s by the {kind}"
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"formula{formula.suffix}"
        if case.file is not None and not case.fault and form in ("as it is", WITH_META):
            path = case.file
        else:
            path.write_text(formula.text())
        answer = ask(path, case, options.seconds, case.meta if form == WITH_META else None)
        if options.values:
            limit = Deadline.after(_VALUE_SECONDS)
            row.value = solver_value(read_qbf(str(path)), limit).truth
    row.verdict, row.text, row.seconds = answer.verdict, answer.text, round(answer.seconds, 2)
    if answer.layout is not None:
        row.layout = answer.layout.source
    if answer.play is not None:
        row.difference = " ".join(answer.play) or "the start"
    if answer.verdict == "broken":
        row.lie = f"broken: {answer.text}"
    elif case.rules is not None:
        hold_against_truth(row, answer, case, formula, names)
    return row


def hold_against_truth(
    row: Row, answer: Answer, case: Case, formula: Formula, names: Mapping[int, int]
) -> None:
    """Fill in what is true, and the lie if there is one."""
    assert case.rules is not None, "a game is known"
    rules = case.rules()
    known: Reading | None = None
    if case.reading is not None:
        before = case.reading(case.formula(), rules)
        known = [
            {m: {names[v]: x for v, x in code.items() if v in names} for m, code in ply.items()}
            for ply in before
        ]
    judged: bool | None = None
    if case.small and known is not None:
        judged = _is_right(formula, rules, known, row)
    right = judged
    if right is None and case.expected is not None:
        right = case.expected
        row.truth = "right?" if right else "wrong?"
    going_on = "nobody stopping" in answer.text
    found = None if answer.layout is None else reading_of(answer.layout, going_on=going_on)
    if answer.verdict == "proved" and found is not None:
        own = Row(*("",) * 5)
        if [*map(dict, found)] == known:
            held = judged
        else:
            held = _is_right(formula, rules, found, own) if case.small else None
        if held is False:
            play = own.truth_play or row.truth_play
            row.lie = f"proved, and it differs after {play}"
        elif held is None and right is False:
            row.lie = "proved, and it is wrong by the data's judgement"
        elif held is None:
            _hold_against_plays(row, formula, rules, found)
    if answer.verdict == "refuted":
        if right:
            row.lie = "refuted, and it is right"
        elif found is not None and answer.play is not None:
            row.lie = _false_difference(formula, rules, found, answer.play)


def _hold_against_plays(row: Row, formula: Formula, rules: Rules, found: Reading) -> None:
    """Compare what is too large for all plays after some complete ones."""
    try:
        truth = judge_drawn(formula, rules, found, _DRAWN, random.Random(1))
    except TooLargeError:
        return
    if truth.first is not None:
        row.lie = f"proved, and it differs after {' '.join(truth.first)}"
    elif row.truth == "not judged":
        row.truth = "right in drawn plays"


def _is_right(formula: Formula, rules: Rules, reading: Reading, row: Row) -> bool | None:
    try:
        truth = judge(formula, rules, reading)
    except TooLargeError:
        return None
    row.truth = "right" if truth.first is None else "wrong"
    row.truth_play = "" if truth.first is None else " ".join(truth.first) or "the start"
    return truth.first is None


def _false_difference(formula: Formula, rules: Rules, reading: Reading, play: Sequence[str]) -> str:
    """What is false of a play after which formula and game are said to differ."""
    state = rules.start
    for made, move in enumerate(play):
        if rules.winner(state, made) is not None or move not in rules.moves(state, made):
            return f"refuted with an illegal play: {' '.join(play)}"
        state = rules.play(state, made, move)
    if rules.plies - len(play) > 6:
        return ""
    try:
        value = value_after(formula, reading, play)
    except TooLargeError:
        return ""
    black = Minimax(rules).black_wins(state, len(play))
    return "" if value is not black else f"refuted, and there is no difference after {play}"


# --- Forms and faults -------------------------------------------------------------------------


def forms_of(case: Case, forms: Iterable[str], seed: int) -> Iterator[tuple[str, Formula, Any]]:
    """A formula in several forms, each with the names of its variables there."""
    formula = case.formula()
    same = {v: v for v in formula.variables}
    for form in forms:
        if form == "as it is" or (form == WITH_META and case.meta is not None):
            yield form, formula, same
        elif form in ("renamed", "permuted"):
            yield (form, *permuted(formula, seed, within=form == "permuted"))
        elif form not in (WITH_META, *CODES) and not formula.clausal:
            clauses = clausified(formula, polarity=form.startswith("p"), moved=form == "moved")
            if form == "permuted clauses":
                renamed, names = permuted(clauses, seed)
                yield form, renamed, names
            else:
                yield form, clauses, same


def recoded_case(case: Case, form: str, seed: int) -> Case | None:
    """A small case whose moves have other codes; ``None`` where codes are no numbers of few bits."""
    formula = case.formula()
    if not case.small or case.reading is None or case.rules is None or formula.clausal:
        return None
    rng = random.Random(f"{case.name} {seed}")
    before = case.reading(formula, case.rules())
    blocks = [[*next(iter(ply.values()))] for ply in before if ply]
    widths = {*map(len, blocks)}
    if len(widths) != 1 or max(widths) > _MOST_BITS or len(blocks) != len(before):
        return None
    codes = (
        (code, block) for ply, block in zip(before, blocks, strict=True) for code in ply.values()
    )
    if any([*code] != block for code, block in codes):
        return None
    size = 1 << widths.pop()
    existential = {v for quantifier, block in formula.prefix if quantifier == "e" for v in block}
    shared = [rng.sample(range(size), size) for _ in range(2)]
    tables = [
        [*range(size)]
        if form == "a ply's codes"
        else shared[form == "a player's codes" and block[0] in existential]
        for block in blocks
    ]
    if form == "a ply's codes":
        made = rng.randrange(len(before))
        one, other = (number_of(code) for code in rng.sample([*before[made].values()], 2))
        tables[made][one], tables[made][other] = other, one
    after = [
        {m: _code([*code], table.index(number_of(code))) for m, code in ply.items()}
        for ply, table in zip(before, tables, strict=True)
    ]
    changed = recoded(formula, blocks, tables)
    return replace(
        case, formula=partial(_same, changed), reading=lambda _, __: after, expected=None
    )


def number_of(code: Mapping[int, bool]) -> int:
    """The number of a code, whose first bit is the most significant one."""
    return sum(bit << k for k, bit in enumerate(reversed([*code.values()])))


def faulty_cases(right: Sequence[Case], count: int, seed: int) -> Iterator[Case]:
    """Right formulas with a fault each: of the formula by grammar, or of the game's numbers."""
    rng = random.Random(seed)
    made = 0
    while made < count:
        case = rng.choice(right)
        kind = rng.choice(FAULTS)
        formula = faulty(case.formula(), kind, rng)
        if formula is None:
            continue
        made += 1
        yield replace(
            case,
            formula=partial(_same, formula),
            fault=f"{kind} {made}",
            expected=None,
            reading=_reading_before(case),
        )


def _same(formula: Formula) -> Formula:
    return formula


def _reading_before(case: Case) -> Callable[[Formula, Any], Reading] | None:
    """What the moves are is read in the formula without the fault."""
    reading = case.reading
    return None if reading is None else lambda _, rules: reading(case.formula(), rules)


# --- The campaign -----------------------------------------------------------------------------


def rows(options: argparse.Namespace, folder: Path) -> Iterator[Row]:
    """The rows that are asked for and not known yet."""
    known = {row.key for row in read_rows(options.output)}
    cases = list(own_formulas())
    if options.data is not None:
        cases = [*strangers(options.data, folder), *cases, *gdl_formulas(options.data)]
    chosen = [c for c in cases if c.group in options.groups and options.only in c.name]
    chosen.sort(key=lambda c: (GROUPS.index(c.group), c.size))
    for case in chosen:
        for form, formula, names in forms_of(case, options.forms, options.seed):
            if (case.name, form, "") not in known:
                yield row_of(case, form, formula, names, options)
        for form in (form for form in options.forms if form in CODES):
            other = recoded_case(case, form, options.seed)
            if other is not None and (case.name, form, "") not in known:
                changed = other.formula()
                same = {v: v for v in changed.variables}
                yield row_of(other, form, changed, same, options)
    if options.faults:
        right = [case for case in chosen if case.small and _right(case)]
        for case in faulty_cases(right, options.faults, options.seed):
            if (case.name, "as it is", case.fault) not in known:
                formula = case.formula()
                same = {v: v for v in formula.variables}
                yield row_of(case, "as it is", formula, same, options)


def _right(case: Case) -> bool:
    assert case.rules is not None, "a small case has rules"
    assert case.reading is not None, "and a reading"
    formula, rules = case.formula(), case.rules()
    try:
        return judge(formula, rules, case.reading(formula, rules)).first is None
    except TooLargeError:
        return False


def read_rows(path: Path | None) -> list[Row]:
    """The rows of a file of results, which may be packed by xz; none where there is no file."""
    if path is None or not path.is_file():
        return []
    data = path.read_bytes()
    text = (lzma.decompress(data) if path.suffix == ".xz" else data).decode()
    return [Row(**json.loads(line)) for line in text.splitlines()]


def counts(all_rows: Sequence[Row]) -> Iterator[str]:
    """Verdicts by group and form, and what is true of them."""
    found = Counter(
        (row.group, "faults" if row.fault else row.form, row.verdict, row.truth) for row in all_rows
    )
    for (group, form, verdict, truth), number in sorted(found.items()):
        yield f"{group:11} {form:17} {verdict:13} {truth:11} {number:4}"


def _run(options: argparse.Namespace) -> Iterator[Row]:
    """Each row that is made: printed, and kept in the file of results."""
    with TemporaryDirectory() as folder:
        for row in rows(options, Path(folder)):
            shown = f"{row.name} [{row.fault or row.form}]: {row.verdict} {row.difference}"
            print(f"{shown} ({row.seconds} s; {row.truth}) {row.lie}".rstrip(), flush=True)
            if options.output is not None:
                with options.output.open("a") as file:
                    file.write(json.dumps(asdict(row)) + "\n")
            yield row


def main(arguments: Sequence[str] | None = None) -> int:
    """Judge, and print what is asked for; see the module."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("data", type=Path, nargs="?", help="the folder of others' formulas")
    parser.add_argument("--groups", nargs="+", choices=GROUPS, default=GROUPS)
    parser.add_argument("--forms", nargs="+", choices=FORMS, default=FORMS[:1])
    parser.add_argument("--faults", type=int, default=0, metavar="N")
    parser.add_argument("--only", default="", metavar="WORD")
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--processor-time", action="store_true", help="count no other work")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--values", action="store_true", help="ask a solver for each value")
    parser.add_argument("-o", "--output", type=Path, metavar="FILE")
    parser.add_argument("--page", action="store_true", help="print the table of FILE")
    parser.add_argument("--csv", action="store_true", help="print FILE as CSV")
    options = parser.parse_args(arguments)
    if options.page or options.csv:
        known = read_rows(options.output)
        if options.csv:
            writer = csv.DictWriter(sys.stdout, list(Row.__dataclass_fields__))
            writer.writeheader()
            writer.writerows(asdict(row) for row in known)
        else:
            print("\n".join(page(known)))
        return 0
    if options.processor_time:
        count_processor_time()
    try:
        made = [*_run(options)]
    except MissingExtraError as error:
        parser.exit(2, f"{parser.prog}: error: {error}\n")
    print("\n".join(counts(made)))
    lies = [row for row in made if row.lie]
    for row in lies:
        print(f"{row.name} [{row.fault or row.form}]: {row.lie}")
    print(f"{counted(len(made), 'formula')}, {counted(len(lies), 'lie')}")
    return 1 if lies else 0


if __name__ == "__main__":
    sys.exit(main())
