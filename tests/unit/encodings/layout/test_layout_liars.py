"""Whatever a layout, a meta file or a model in comments says, no command breaks on it.

Layouts of small encodings of every kind are changed by grammar (``tests/support``), read, and asked
about by the commands.  They may be refused, refuted or undecided, in one line; whether what is
said of them is true is asked elsewhere.  ``QSAGE_LAYOUT_LIARS`` is the number of cases of a longer
run, ``QSAGE_LAYOUT_SEED`` its seed.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random

import pytest

from qsage_validate.certificates.routes import certify_encoding
from qsage_validate.certificates.writer import certificate_bytes
from qsage_validate.circuit.qbf import Qbf
from qsage_validate.encodings.encoding import Encoding
from qsage_validate.encodings.foreign import layout_from_meta
from qsage_validate.encodings.layout_lines import comments_in_clauses
from qsage_validate.encodings.layout_reader import layout_from_comments
from qsage_validate.encodings.registry import encode
from qsage_validate.errors import Exit, InputError, QsageError
from qsage_validate.extensions.gdl.model import GdlModel
from qsage_validate.extensions.gdl.parser import parse_description
from qsage_validate.formats.meta import parse_meta
from qsage_validate.formats.policy import tolerating
from qsage_validate.formats.qcir import parse_qcir
from qsage_validate.formats.qdimacs import clausal_form, parse_qdimacs, qdimacs_text
from qsage_validate.formats.writing import qcir_text
from qsage_validate.games.languages import load_game, model_from_parts
from qsage_validate.games.model_text import GameModel
from qsage_validate.games.positional.harary import harary_model
from qsage_validate.games.positional.hex import hex_network
from qsage_validate.games.positional.model import PositionalModel, alternating
from tests.support.by_name import resolve_model
from tests.support.commands import run_qsage
from tests.support.layout_mutations import mutated
from tests.unit.encodings.layout.test_foreign_layout import META
from tests.unit.encodings.layout.test_foreign_layout import formula as meta_formula

CASES = int(os.environ.get("QSAGE_LAYOUT_LIARS", "0"))
SEED = int(os.environ.get("QSAGE_LAYOUT_SEED", "0"))

HEAP = """(role first) (role second) (init (heap 3)) (init (control first))
(minus 1 1 0) (minus 2 1 1) (minus 3 1 2) (minus 2 2 0) (minus 3 2 1)
(<= (legal ?p (take ?k)) (true (control ?p)) (true (heap ?n)) (minus ?n ?k ?m))
(<= (legal ?p wait) (role ?p) (not (true (control ?p))))
(<= (next (heap ?m)) (does ?p (take ?k)) (true (heap ?n)) (minus ?n ?k ?m))
(<= (next (control second)) (true (control first)))
(<= (next (control first)) (true (control second)))
(<= terminal (true (heap 0)))
(<= (goal ?p 100) (role ?p) (true (heap 0)) (not (true (control ?p))))
(<= (goal ?p 0) (true (heap 0)) (true (control ?p)))
"""


@dataclass(frozen=True)
class Base:
    """A formula's text with a layout, its ending, and a certificate where there is one."""

    name: str
    text: str
    suffix: str
    certificate: bytes | None


def _grid(words: str) -> Callable[[], GameModel]:
    name, *rest = words.split()
    options: dict[str, object] = dict(zip((w[2:] for w in rest[::2]), rest[1::2], strict=True))
    return lambda: resolve_model([name], options)


def _sets(plies: int) -> GameModel:
    names = ("left", "right", "top", "bottom")
    return PositionalModel("sets", names, alternating(plies), (0b0011, 0b0101, 0b1001))


GRIDS = ("lifted", "lifted-guarded")
SETS = (
    "cor",
    "cor+",
    "cor-lean",
    "cor-ladder",
    "ea",
    "la",
    "sa",
    "cover",
    "cover-played",
    "pairing",
)
NETWORKS = ("en", "et", "ln", "sn", "li", "si")
GDL = ("gdl", "gdl-strict", "gdl-gn", "gdl-gt", "gdl-sd", "gdl-gd")
MODELS: tuple[tuple[str, Callable[[], GameModel], tuple[str, ...]], ...] = (
    ("domino", _grid("httt --shape domino --size 2x2 --depth 3"), GRIDS),
    ("domino-2", _grid("httt --shape domino --size 3x1 --depth 2"), GRIDS),
    ("connect", _grid("connect-c --connect 2 --size 3x2 --depth 3"), GRIDS),
    ("domineering", _grid("domineering --size 2x2 --depth 2"), GRIDS),
    ("breakthrough", _grid("breakthrough --size 2x4 --depth 3"), GRIDS[:1]),
    ("sets", lambda: _sets(3), SETS),
    ("sets-2", lambda: _sets(2), SETS[:2]),
    ("el", lambda: harary_model("el", 2, 2, maker_breaker=True, plies=3), ("sn-httt", "pairing")),
    ("hex", lambda: hex_network(2, 2, 3), NETWORKS),
    ("heap", lambda: GdlModel(parse_description(HEAP, "heap.gdl"), 3), GDL),
)
NAMES = tuple((name, encoding) for name, _, own in MODELS for encoding in own)


@cache
def _encoded(name: str, encoding: str) -> tuple[Encoding, bytes | None]:
    model = next(make for own, make, _ in MODELS if own == name)()
    made = encode(model, encoding)
    try:
        certificate = certify_encoding(made).certificate
    except QsageError:
        return made, None
    return made, certificate_bytes(certificate, made.qbf, binary=False)


@cache
def base(name: str, encoding: str, clausal: bool = False) -> Base:
    """The formula of a model, as a circuit or as clauses."""
    made, certificate = _encoded(name, encoding)
    if not clausal:
        return Base(f"{name} {encoding}", qcir_text(made.qbf), ".qcir", certificate)
    form = clausal_form(made.qbf)
    known = {v for scope in form.scopes for v in scope.variables}
    text = qdimacs_text(form, comments_in_clauses(made.qbf, known))
    return Base(f"{name} {encoding} clauses", text, ".qdimacs", certificate)


def formula(case: Base) -> Qbf:
    """The formula of a case."""
    if case.suffix == ".qcir":
        return parse_qcir(case.text, f"f{case.suffix}")
    told: list[str] = []
    with tolerating(told.append):
        return parse_qdimacs(case.text, f"f{case.suffix}")


def in_one_line(error: QsageError) -> None:
    """An error is one printing line; of a file's content it names the place."""
    assert str(error).isprintable()
    if isinstance(error, InputError):
        assert re.match(r"[^:]+:[0-9]+:[0-9]+: found .+, expected .+", str(error)), str(error)


def read(case: Base) -> bool:
    """Read layout and model of a case; whether they can be read."""
    try:
        qbf = formula(case)
        layout = layout_from_comments(qbf)
        if layout is not None and len(layout.model) > 1:
            load_game(model_from_parts(layout.game, layout.model))
    except QsageError as error:
        in_one_line(error)
        return False
    return layout is not None


LEVELS = (
    ["--level", "encoding"],
    ["--level", "dependencies", "--level", "formula"],
    ["--level", "rules"],
    ["--level", "random", "--games", "3", "--illegal", "0.5"],
    ["--level", "all", "--positions", "300"],
    ["--games", "3", "--positions", "300"],
)


def asked(case: Base, folder: Path, random: Random) -> list[list[str]]:
    """Commands about a case whose files lie in ``folder``."""
    path = folder / f"f{case.suffix}"
    path.write_text(case.text)
    words = [["info", str(path)]]
    limits = ["--timeout", "20"]
    if case.certificate is None:
        return [*words, ["validate", str(path), "--level", "encoding", *limits]]
    (folder / "c.aag").write_bytes(case.certificate)
    subject = [str(path), "--cert", str(folder / "c.aag")]
    words.append(["validate", *subject, *random.choice(LEVELS), *limits])
    if random.random() < 0.3:
        player = "white" if b"skolem" in case.certificate else random.choice(("white", "black"))
        words.append(["play", *subject, f"--{player}", "random", "--games", "2"])
    return words


def check(case: Base, folder: Path, random: Random, capfd: pytest.CaptureFixture[str]) -> bool:
    """Read a case and run commands on it; whether it could be read."""
    readable = read(case)
    for words in asked(case, folder, random) if readable else ():
        code = run_qsage(words)
        said = capfd.readouterr()
        assert code != Exit.INTERNAL, (case.name, words, said.err)
        assert code in (Exit.FINE, Exit.REFUTED, Exit.BAD_INPUT, Exit.UNDECIDED), (words, said)
        if code == Exit.BAD_INPUT:
            assert said.err.count("\n") == 1, (words, said.err)
    return readable


@pytest.mark.parametrize("clausal", [False, True], ids=["qcir", "qdimacs"])
@pytest.mark.parametrize(("name", "encoding"), NAMES)
def test_layouts_of_our_own_are_read(name: str, encoding: str, clausal: bool) -> None:
    assert read(base(name, encoding, clausal))


def _case(random: Random) -> Base:
    """A changed layout."""
    name, encoding = random.choice(NAMES)
    own = base(name, encoding, random.random() < 0.3)
    text = mutated(random, own.text, random.choice((1, 1, 1, 2)))
    return Base(own.name, text, own.suffix, own.certificate)


def test_a_changed_layout_is_read_or_refused_in_one_line() -> None:
    random = Random(f"read {SEED}")
    refused = sum(not read(_case(random)) for _ in range(CASES or 400))
    assert refused > (CASES or 400) // 4


def test_no_command_breaks_on_a_changed_layout(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    random = Random(f"ask {SEED}")
    wanted = CASES or 30
    readable = 0
    while readable < wanted:
        case = _case(random)
        try:
            readable += check(case, tmp_path, random, capfd)
        except AssertionError:
            # The files of the case, to look at and to shrink.
            print(case.text)
            raise
    assert readable == wanted


# --- Meta files -------------------------------------------------------------------------------


def test_a_changed_meta_file_is_read_or_refused_in_one_line() -> None:
    random = Random(f"meta {SEED}")
    formulas = (meta_formula(), meta_formula(names={1: "x"}), None)
    refused = 0
    for _ in range(CASES or 600):
        text = mutated(random, META, random.choice((1, 1, 2)))
        try:
            layout_from_meta(parse_meta(text, "f.meta"), random.choice(formulas))
        except QsageError as error:
            in_one_line(error)
            refused += 1
    assert refused > (CASES or 600) // 3


def test_no_command_breaks_on_a_changed_meta_file(
    shared_data: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Formula and certificate of Q-sage and QuAbS, and the rules as BDDL."""
    random = Random(f"meta files {SEED}")
    folder = shared_data / "certificates" / "quabs"
    stem = folder / "domineering-2x2_2"
    bddl = shared_data / "bddl" / "domineering"
    game = [str(bddl / "domain.ig"), str(next(bddl.glob("*2x2_2*.ig")))]
    subject = [f"{stem}.qcir", "--cert", f"{stem}.aag", "--meta", str(tmp_path / "m.meta")]
    text = stem.with_suffix(".meta").read_text()
    for _ in range(CASES // 10 or 12):
        (tmp_path / "m.meta").write_text(mutated(random, text, random.choice((1, 1, 2))))
        rules = ["--game", *game] if random.random() < 0.5 else []
        words = ["validate", *subject, *rules, *random.choice(LEVELS), "--timeout", "20"]
        code = run_qsage(words)
        said = capfd.readouterr()
        assert code in (Exit.FINE, Exit.REFUTED, Exit.BAD_INPUT, Exit.UNDECIDED), (words, said)
        if code == Exit.BAD_INPUT:
            assert said.err.count("\n") == 1, said.err
