"""Whatever is in a file, a reader gives a value or one line that says what is wrong."""

from __future__ import annotations

import bz2
import gzip
import lzma
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qsage_validate.certificates.writer import aiger_bytes
from qsage_validate.circuit.aig import AigBuilder
from qsage_validate.errors import InputError
from qsage_validate.extensions.dqbf.expansion import parse_dqbf, parse_dqcir, parse_dqdimacs
from qsage_validate.extensions.gdl.model import check_description
from qsage_validate.extensions.gdl.parser import parse_description
from qsage_validate.formats.aiger import parse_aiger
from qsage_validate.formats.meta import parse_meta
from qsage_validate.formats.pg import parse_pg
from qsage_validate.formats.policy import tolerating
from qsage_validate.formats.qcir import parse_qcir
from qsage_validate.formats.qdimacs import parse_outer_block, parse_pedant, parse_qdimacs
from qsage_validate.formats.source import Source, read_bytes, sniff_bytes
from qsage_validate.games.bddl.model import Model
from qsage_validate.games.bddl.parser import file_kind, parse_domain, parse_problem, require_valid
from qsage_validate.games.languages import load_game
from qsage_validate.games.positional.language import model_of_pg
from tests.support.generated import damaged

QCIR = [
    b"#QCIR-G14 7\nexists(1, 2)\nforall(3)\noutput(-7)\n5 = and(1, -3)\n# why\n"
    b"6 = xor(2, 5)\n7 = ite(6, 3, -1)\n",
    b"free(p)\nFORALL(x_1 ,\n  y)\noutput( g )\nh=or()\ng = Or(x_1, - y, h)\n",
    b"exists(1)\noutput(2)\n2 = and(1, 3)\n3 = exists(4; 1)\n",
    b"forall(z)\noutput(o)\na = or(x, z)\ng = exists(x, y; a)\nh = forall(; -g)\no = xor(g, h)\n",
]
QDIMACS = [
    b"c #@layout 1\np cnf 4 3\ne 1 0\na 2 3 0\ne 4 0\n1 -2 0\n-1 4\n 3 0\n-4 0\n",
    b"p cnf 2 1\n1 2 0\n",
]
DQDIMACS = [
    b"c sets\np cnf 6 2\na 1 2 0\ne 3 0\na 4 0\ne 5 0\nd 6 1 4 0\n-1 6 3 5 0\n-2 -4 5 0\n",
    b"p cnf 2 1\nd 1 0\n1 2 0\n",
]
DQCIR = [
    b"#QCIR-G14\nforall(1, 2)\nexists(3)\ndepend(6, 1)\noutput(7)\n8 = or(-1, 6, 3)\n7 = and(8)\n",
    b"free(p) FORALL(x_1 ,\n  y) # why\nDepend ( z , y ) depend(c)output(-g)\ng = xor(z, y)\n",
]
PEDANT = [
    b"p cnf 5 4\nc Model for variable 3.\n3 -1 0\n-3 1 0\nc Model for variable 4.\n-4 5 0\n4 0\n"
]
OUTER_BLOCK = [
    b"c CAQE\ns cnf 1 4 3\nV 1 0\nV -2 0\n\nc Satisfiable\n",
    b"V x1 -x2 0\nr UNSAT\n",
    b"V  +1 -2\ns cnf 1\n",
]
META = [
    b"#boardsize\n4 1\n#depth\n2\n#blackactions\noccupy(?x,?y)\n#whiteactions\noccupy(?x,?y)\n"
    b"% comment\n#actionvars\n[1] [2,3] [ ]\n[4] [5,6] []\n#symbolicpos\n[7,8] [ ]\n#statevars\n"
    b"9 10\n11 12\n13 14\n#goalvar\n0\n",
]
GDL = [
    b"; a game\n(role A) (role b) (init (on 1))\n(<= (legal ?r (take ?n)) (role ?r)\n"
    b"  (true (on ?n)) (or (distinct ?r a) (not (true (on 2)))))\n(<= (next (on 2)) (does a (take"
    b" 1)))\n(<= terminal (true (on 2)))\n(<= (goal ?r 100) (role ?r) terminal)\n",
    b"(ROLE x)(<= (Goal x 100) TERMINAL)(<= terminal)(legal x noop)\n",
]


PG = [
    b"%% size:2x2 GTTT(1,1) swap:false\n#blackinitials\na\n#whiteinitials\n#times\nt1 t2 t3\n"
    b"#blackturns\nt1 t3\n#positions\na b c d\n#blackwins\na b\nb c d\n#whitewins\nc d\n",
    b"#blackinitials\n#whiteinitials\nc\n#times\nt1 t2 t3\n#blackturns\nt1 t3\n#positions\n"
    b"a b c d\n#neighbours\na b c\nb a d\nc a d\nd b c\n#startboarder\na\n#endboarder\nd\n"
    b"#firstmoves\na b\n#distances\na 1 2\n#unreachablepairs\na d\n",
    b"#times\nt1\n#blackturns\nt1\n#positions\na b\n#edges\ns a\na b\nb t\n#source\ns\n"
    b"#target\nt\n#version\n1\n",
    b"#times\nt1\n#blackturns\nt1\n#positions\na b c d\n#neighbours\na b c\nb na d\nc d na\n"
    b"d na na\n#blackgoal\nup(p0,p1) side(p1,p2)\n",
]
BDDL = [
    b"#blackactions\n:action occupy\n:parameters (?x,?y)\n:precondition (open(?x,?y))\n"
    b":effect (black(?x,?y))\n#whiteactions\n% a comment\n:action up-1\n:parameters (?x, ?y)\n"
    b":precondition (white(?x,?y) open(?x,?y-1) NOT(black(xmin,ymax)))\n"
    b":effect (open(?x,?y) white(?x,?y-1))\n",
    b"#boardsize\n3 2\n#init\nblack(1,1) white(2,2)\n#depth\n3\n#blackgoals\n"
    b"(black(?x,?y) black(?x+1,?y))\nblack(xmin,2)\n#whitegoal\nFalse\n#blackturn second\n",
]


def _aiger() -> list[bytes]:
    builder = AigBuilder(3)
    a, b, c = builder.inputs
    outputs = [builder.xor(a, b), builder.ite(c, a, b) ^ 1, 1]
    aig, outputs = builder.build(outputs)
    symbols = {0: "4", 1: "6"}
    return [
        aiger_bytes(
            aig, outputs, binary=binary, input_symbols=symbols, output_symbols={2: "result"},
            comments=["SAT"],
        )
        for binary in (False, True)
    ]  # fmt: skip


AIGER = [*_aiger(), b"aag 3 1 0 1 2\n2\n4\n4 6 1\n6 2 2\n", b"aag 6 1 1 0 1 1 1 1 1\n"]


def _text(parse: Callable[[str], object]) -> Callable[[bytes], object]:
    return lambda data: parse(Source.decode(data, "file").text)


def _gdl(data: bytes) -> None:
    description = parse_description(Source.decode(data, "file").text, "file")
    check_description(description)


def _pg(data: bytes) -> None:
    model = model_of_pg(parse_pg(Source.decode(data, "file").text, "file"))
    game = load_game(model)
    assert game.initial.legal_moves() is not None


def _bddl(data: bytes) -> None:
    """A domain and a problem, or what damage has made of either, with the other one whole."""
    domain, problem = (Source.decode(text, "file").text for text in BDDL)
    text = Source.decode(data, "file").text
    if file_kind(text) == "problem":
        problem = text
    else:
        domain = text
    model = Model(parse_domain(domain, "file"), parse_problem(problem, "file"), "game")
    require_valid(model)
    # Boards of a size that damage has given many digits are read; no game is made of them.
    if model.problem.width * model.problem.height < 100:
        game = load_game(model)
        assert game.initial.legal_moves() is not None


READERS: list[tuple[str, Callable[[bytes], object], list[bytes]]] = [
    ("qcir", _text(parse_qcir), QCIR),
    ("qdimacs", parse_qdimacs, QDIMACS),
    ("dqdimacs", parse_dqdimacs, DQDIMACS),
    ("dqcir", parse_dqcir, DQCIR),
    ("dqbf", parse_dqbf, [*DQDIMACS, *DQCIR]),
    ("pedant", parse_pedant, PEDANT),
    ("outer block", parse_outer_block, OUTER_BLOCK),
    ("meta", _text(parse_meta), META),
    ("aiger", parse_aiger, AIGER),
    ("gdl", _gdl, GDL),
    ("pg", _pg, PG),
    ("bddl", _bddl, BDDL),
]
EVERY_READER = pytest.mark.parametrize(
    ("parse", "files"), [pytest.param(p, f, id=name) for name, p, f in READERS]
)


def refused_or_read(parse: Callable[[bytes], object], data: bytes) -> None:
    """Parse; any exception but an InputError of one line escapes and fails the test."""
    try:
        with tolerating(check_one_line):
            parse(data)
    except InputError as error:
        check_message(error)


def check_one_line(text: str) -> None:
    assert text.isprintable()
    assert ": found " in text
    assert ", expected " in text


def check_message(error: InputError) -> None:
    """One printing line with both halves, and a caret that stands under the excerpt."""
    check_one_line(str(error))
    if error.excerpt is not None:
        assert error.column is not None
        assert error.column <= len(error.excerpt) + 1


@EVERY_READER
def test_the_undamaged_files_are_read_or_refused(
    parse: Callable[[bytes], object], files: list[bytes]
) -> None:
    for data in files:
        refused_or_read(parse, data)
    parse(files[0])  # the first of each is valid


@EVERY_READER
@given(data=st.data())
@settings(max_examples=80)
def test_damaged_files(
    parse: Callable[[bytes], object], files: list[bytes], data: st.DataObject
) -> None:
    refused_or_read(parse, data.draw(damaged(files)))


@EVERY_READER
@given(content=st.binary(max_size=80))
@settings(max_examples=60)
def test_random_bytes(parse: Callable[[bytes], object], files: list[bytes], content: bytes) -> None:
    refused_or_read(parse, content)
    refused_or_read(parse, files[0][:20] + content)


@EVERY_READER
@given(content=st.text("0123456789 -\n\tpcnfaegi#()=,;[]{}%orxtuvl", max_size=60))
@settings(max_examples=50)
def test_random_text_of_the_alphabet(
    parse: Callable[[bytes], object], files: list[bytes], content: str
) -> None:
    refused_or_read(parse, content.encode())
    refused_or_read(parse, files[0] + content.encode())


@EVERY_READER
def test_every_truncation(parse: Callable[[bytes], object], files: list[bytes]) -> None:
    for data in files:
        for length in range(len(data)):
            refused_or_read(parse, data[:length])


@EVERY_READER
def test_the_readers_of_other_formats_refuse(
    parse: Callable[[bytes], object], files: list[bytes]
) -> None:
    for _, other, their_files in READERS:
        if other is not parse:
            for data in their_files:
                refused_or_read(parse, data)


@given(content=damaged([*QCIR, *QDIMACS, *PEDANT, *OUTER_BLOCK, *META, *AIGER]))
@settings(max_examples=60)
def test_sniffing_never_fails(content: bytes) -> None:
    sniff_bytes(content)


@pytest.mark.parametrize("compress", [gzip.compress, bz2.compress, lzma.compress])
@given(data=st.data())
@settings(max_examples=60)
def test_damaged_compressed_files(
    tmp_path_factory: pytest.TempPathFactory,
    compress: Callable[[bytes], bytes],
    data: st.DataObject,
) -> None:
    path = tmp_path_factory.getbasetemp() / "damaged"
    path.write_bytes(data.draw(damaged([compress(QCIR[0])])))
    refused_or_read(lambda _: read_bytes(path), b"")


@pytest.mark.parametrize(
    ("parse", "content"),
    [
        (parse_aiger, b"aag 4000000000 4000000000 0 0 0\n"),
        (parse_aiger, b"aag 4000000000 0 0 0 0\n"),
        (parse_aiger, b"aag 1000000 0 0 0 1000000\n2 0 0\n"),
        (parse_aiger, b"aag 1000 0 0 1000 0\n" + b"0\n" * 900),
        (parse_aiger, b"aig 4000000000 4000000000 0 0 0\n"),
        (parse_aiger, b"aig 1000000000 0 0 0 1000000000\n\x02\x01"),
        (parse_aiger, b"aig 4000000000 0 0 0 4000000000\n\x02\x01"),
        (parse_aiger, b"aag " + b"9" * 300 + b" 0 0 0 0\n"),
        (parse_qdimacs, b"p cnf 2000000000 1\n1999999999 0\n"),
        (parse_pedant, b"p cnf 999999999999999999999999 1\nc Model for variable 1.\n1 0\n"),
    ],
)
def test_absurd_headers_are_refused_before_anything_is_allocated(
    tmp_path: Path, parse: Callable[[bytes], object], content: bytes
) -> None:
    tracemalloc.start()
    try:
        with pytest.raises(InputError):
            parse(content)
        assert tracemalloc.get_traced_memory()[1] < 2_000_000
    finally:
        tracemalloc.stop()
