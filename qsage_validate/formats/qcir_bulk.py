"""Formulas as arrays, loaded for these alone: large QCIR files, and QAIGER.

*Large QCIR files* are read in a few numpy steps a block.  What is read here is ordinary: ASCII
but for comments, gates without quantifiers, no error. Anything else, and each error, is left to
the careful reader in ``formats/qcir.py``, which would read the same formula; a test holds the two
equal.

The words are in an open-addressing hash table of columns, where each is the place of its first
appearance.  Two words with one hash are found out, never taken for one.

A million names as Python objects, and a dictionary of them, take 150 MB; here they take their
letters and eight bytes each.  A name is decoded when it is asked for.

A million gates as Python objects take 400 MB and most of the time in which a formula is read.
Here they take some 20 bytes each; a :class:`~qsage_validate.circuit.qbf.Gate` is made when it is
asked for.

*QAIGER* is AIGER whose symbols of inputs are quantifier levels.
Format: https://github.com/ltentrup/QAIGER, as QuAbS (``qcir2qaiger``) and CADET have it.  The
symbol of an input is a level, ``i0 1`` or ``i0 1 name``: variables of even levels are existential,
those of odd levels universal, and smaller levels are further out.  The one output is the matrix.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import ItemsView, Iterator, Mapping, Sequence, ValuesView
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from qsage_validate.circuit.qbf import Connective, Gate, Qbf, Quantifier, Scope
from qsage_validate.errors import InputError, counted
from qsage_validate.formats.aiger import parse_aiger
from qsage_validate.formats.aiger_parts import AigerFile
from qsage_validate.formats.numbers import MAX_DIGITS, Column
from qsage_validate.formats.source import (
    BOM,
    DENSE,
    FREE,
    GATE,
    OUTPUT,
    SPARSITY,
    decoded_comment,
    is_comment,
    largest_kept,
    quoted,
)
from qsage_validate.system.limits import go_on

# The names of a large formula as one run of bytes


# Names that are Python objects at one time.
_GATES_AT_ONCE: Final = 1 << 14


class NameTable(Mapping[int, str]):
    """Names by consecutive numbers from ``first`` on; equal to a ``dict`` of the same names.

    ``text`` has all names, in ASCII, one behind the other; ``ends`` has shape ``(n,)`` and says
    where in ``text`` each one ends.
    """

    __slots__ = ("ends", "first", "text")

    def __init__(self, first: int, text: bytes, ends: NDArray[np.int64]) -> None:
        ends.flags.writeable = False
        self.first: Final = first
        self.text: Final = text
        self.ends: Final = ends

    def __reduce__(self) -> tuple[object, ...]:
        return NameTable, (self.first, self.text, self.ends)

    def __contains__(self, number: object) -> bool:
        return isinstance(number, int) and 0 <= number - self.first < len(self.ends)

    def __getitem__(self, number: int) -> str:
        if number not in self:
            raise KeyError(number)
        row = number - self.first
        start = self.ends[row - 1] if row else 0
        return self.text[start : self.ends[row]].decode("ascii")

    def __len__(self) -> int:
        return len(self.ends)

    def __iter__(self) -> Iterator[int]:
        return iter(range(self.first, self.first + len(self)))

    def items(self) -> ItemsView[int, str]:
        """All pairs of a number and its name, in the order of the numbers."""
        return _Items(self)

    def texts(self) -> Iterator[str]:
        """All names, in the order of the numbers."""
        start = 0
        for at in range(0, len(self), _GATES_AT_ONCE):
            go_on()
            for end in self.ends[at : at + _GATES_AT_ONCE].tolist():
                yield self.text[start:end].decode("ascii")
                start = end

    def __repr__(self) -> str:
        return f"NameTable of {counted(len(self), 'name')}"


class _Items(ItemsView[int, str]):
    """All items at once: the view of a mapping would look up each name."""

    _mapping: NameTable

    def __iter__(self) -> Iterator[tuple[int, str]]:
        return zip(self._mapping, self._mapping.texts(), strict=True)


# The gates of a large formula as columns of numbers


CONNECTIVES: Final = tuple(Connective)
"""The connective for each number in ``GateTable.connectives``."""


class GateTable(Mapping[int, Gate]):
    """Gates by their numbers, in the order of the rows; equal to a ``dict`` of the same gates.

    Row ``k`` is the gate ``numbers[k]`` with ``CONNECTIVES[connectives[k]]`` over the literals
    ``inputs[starts[k] : starts[k + 1]]``; ``numbers`` and ``connectives`` have shape ``(n,)``,
    ``starts`` has ``(n + 1,)``.  ``rows[v]`` is the row of the gate ``v``, a negative number where
    ``v`` is none.
    """

    __slots__ = ("_rows", "connectives", "inputs", "numbers", "rows", "starts")

    def __init__(
        self,
        numbers: NDArray[np.int32],
        connectives: NDArray[np.uint8],
        starts: NDArray[np.int64],
        inputs: NDArray[np.int32],
        rows: NDArray[np.int32],
    ) -> None:
        self.numbers: Final = numbers
        self.connectives: Final = connectives
        self.starts: Final = starts
        self.inputs: Final = inputs
        self.rows: Final = rows
        for column in (numbers, connectives, starts, inputs, rows):
            column.flags.writeable = False
        # Numbers out of a memoryview are Python's: looking one up costs a tenth of numpy's time.
        self._rows: Final = rows.data

    def __reduce__(self) -> tuple[object, ...]:
        return GateTable, (self.numbers, self.connectives, self.starts, self.inputs, self.rows)

    def _row(self, number: object) -> int:
        """The row of a gate; negative for what is none."""
        if not isinstance(number, int) or not 0 <= number < len(self._rows):
            return -1
        return self._rows[number]

    def __getitem__(self, number: int) -> Gate:
        row = self._row(number)
        if row < 0:
            raise KeyError(number)
        start, end = self.starts[row : row + 2].tolist()
        inputs = tuple(self.inputs[start:end].tolist())
        return Gate(CONNECTIVES[self.connectives[row]], inputs)

    def __contains__(self, number: object) -> bool:
        return self._row(number) >= 0

    def __len__(self) -> int:
        return len(self.numbers)

    def __iter__(self) -> Iterator[int]:
        return (number for part in self._parts() for number in self.numbers[part].tolist())

    def _parts(self) -> Iterator[slice]:
        for start in range(0, len(self), _GATES_AT_ONCE):
            go_on()
            yield slice(start, start + _GATES_AT_ONCE)

    def gates(self) -> Iterator[Gate]:
        """All gates, row by row."""
        for part in self._parts():
            starts = self.starts[part.start : part.stop + 1].tolist()
            first = starts[0]
            inputs = self.inputs[first : starts[-1]].tolist()
            kinds = self.connectives[part].tolist()
            for kind, start, end in zip(kinds, starts, starts[1:], strict=False):
                yield Gate(CONNECTIVES[kind], tuple(inputs[start - first : end - first]))

    def items(self) -> ItemsView[int, Gate]:
        """All pairs of a number and its gate, row by row."""
        return _GateItems(self)

    def values(self) -> ValuesView[Gate]:
        """All gates, row by row."""
        return _GateValues(self)

    def __repr__(self) -> str:
        return f"GateTable of {counted(len(self), 'gate')}"


class _GateItems(ItemsView[int, Gate]):
    """All items at once: the view of a mapping would look up each gate."""

    _mapping: GateTable

    def __iter__(self) -> Iterator[tuple[int, Gate]]:
        return zip(self._mapping, self._mapping.gates(), strict=True)


class _GateValues(ValuesView[Gate]):
    _mapping: GateTable

    def __iter__(self) -> Iterator[Gate]:
        return self._mapping.gates()


# Words of a file, numbered in the order in which they appear, in a few numpy steps a block


Words = NDArray[np.uint64]

_WIDTH: Final = 8
_FEWEST: Final = 1 << 10
_PRIME: Final = np.uint64(0x9E3779B97F4A7C15)
# Words that are copied at one time.
_WORDS_PER_BLOCK: Final = 1 << 14


class CollisionError(Exception):
    """Two words have one hash."""


class WordTable:
    """The words of ``data``, which has eight bytes or more; none of its words has a NUL."""

    def __init__(self, data: bytes) -> None:
        self._raw: Final = np.frombuffer(data, dtype=np.uint8)
        # Eight bytes from each place on.
        self._eights: Final[Words] = np.ndarray(
            len(data) - _WIDTH + 1, dtype=np.dtype("<u8"), buffer=data, strides=(1,)
        )
        self._count = 0
        self._slots = np.zeros(_FEWEST, dtype=np.int32)  # a word's number and 1; 0 for no word
        self._hashes = np.zeros(_FEWEST, dtype=np.uint64)  # of the words, by their numbers
        self._starts = np.zeros(_FEWEST, dtype=np.int64)
        self._lengths = np.zeros(_FEWEST, dtype=np.int32)

    def __len__(self) -> int:
        return self._count

    def numbers(self, starts: Column, lengths: Column) -> NDArray[np.int32]:
        """The numbers of the words at ``starts``, each with a length of at least 1.

        Raises :class:`CollisionError` for two words that have one hash.
        """
        hashes = self._hashed(starts, lengths)
        before = self._count
        self._make_room(before + len(hashes))
        slots = self._claimed(hashes, before)
        numbers = self._slots[slots] - 1
        # A new word has its first place in this block for a number until here.
        first = np.flatnonzero(numbers == np.arange(before, before + len(numbers), dtype=np.int32))
        self._count += len(first)
        new = slice(before, self._count)
        self._slots[slots[first]] = np.arange(before + 1, self._count + 1, dtype=np.int32)
        self._hashes[new] = hashes[first]
        self._starts[new], self._lengths[new] = starts[first], lengths[first]
        numbers = self._slots[slots] - 1
        self._verify(starts, lengths, numbers)
        return numbers

    def text(self) -> tuple[bytes, Column]:
        """All words one behind the other, and where each ends."""
        starts, lengths = self._starts[: self._count], self._lengths[: self._count]
        ends = np.cumsum(lengths, dtype=np.int64)
        parts: list[bytes] = []
        for at in range(0, self._count, _WORDS_PER_BLOCK):
            some, long = starts[at : at + _WORDS_PER_BLOCK], lengths[at : at + _WORDS_PER_BLOCK]
            shift = some - (np.cumsum(long, dtype=np.int64) - long)
            places = np.repeat(shift, long)
            places += np.arange(len(places))
            parts.append(self._raw[places].tobytes())
        return b"".join(parts), ends

    def _eight(self, starts: Column, lengths: Column) -> Words:
        """The first eight bytes of each word, zeros behind its end."""
        late = np.maximum(starts - (len(self._eights) - 1), 0)
        found = self._eights[starts - late] >> (late * 8).astype(np.uint64)
        missing = np.maximum(_WIDTH - lengths, 0).astype(np.uint64) * np.uint64(8)
        eight: Words = (found << missing) >> missing
        return eight

    def _hashed(self, starts: Column, lengths: Column) -> Words:
        hashes = _mixed(self._eight(starts, lengths))
        at = 0
        left = np.flatnonzero(lengths > _WIDTH)
        while len(left):
            at += _WIDTH
            hashes[left] = _mixed(hashes[left] ^ self._eight(starts[left] + at, lengths[left] - at))
            left = left[lengths[left] > at + _WIDTH]
        return hashes

    def _verify(self, starts: Column, lengths: Column, numbers: NDArray[np.int32]) -> None:
        firsts = self._starts[numbers]
        same = (self._lengths[numbers] == lengths).all()
        at, left = 0, np.flatnonzero(firsts != starts)
        while same and len(left):
            long = lengths[left] - at
            here = self._eight(starts[left] + at, long)
            same = (here == self._eight(firsts[left] + at, long)).all()
            at += _WIDTH
            left = left[long > _WIDTH]
        if not same:
            raise CollisionError

    def _claimed(self, hashes: Words, before: int) -> Column:
        """The slot of each word; new words get one, with ``before`` and their places in it."""
        mask = len(self._slots) - 1
        slots = (hashes & np.uint64(mask)).astype(np.int64)
        left = np.arange(len(hashes))
        while len(left):
            # Of several words that claim a slot the first is written last, and has it.
            claims = left[self._slots[slots[left]] == 0][::-1]
            self._slots[slots[claims]] = claims + (before + 1)
            owners = self._slots[slots[left]] - 1
            new = owners >= before
            theirs = self._hashes[np.where(new, 0, owners)]
            theirs[new] = hashes[owners[new] - before]
            left = left[theirs != hashes[left]]
            slots[left] = (slots[left] + 1) & mask
        return slots

    def _make_room(self, words: int) -> None:
        """Room for so many words, with a quarter of the slots empty."""
        if words > len(self._hashes):
            size = max(words, len(self._hashes) * 5 // 4)
            for column in (self._hashes, self._starts, self._lengths):
                column.resize(size, refcheck=False)
        if 4 * words <= 3 * len(self._slots):
            return
        size = len(self._slots)
        while 3 * size < 4 * words:
            size *= 2
        self._slots = np.zeros(size, dtype=np.int32)
        for at in range(0, self._count, _WORDS_PER_BLOCK):
            self._claimed(self._hashes[at : min(at + _WORDS_PER_BLOCK, self._count)], at)


def _mixed(words: Words) -> Words:
    """Spread over all bits; different for different words."""
    spread = words * _PRIME
    return spread ^ (spread >> np.uint64(32))


# Large QCIR files, read in a few numpy steps a block


_COMMENT: Final = re.compile(rb"#([^\r\n]*)")
_BLOCK = 1 << 20  # (tests have smaller ones)
_SHORTEST: Final = len(b"output(x)")

# Kinds of bytes: 0 is not ordinary.
_BLANK, _WORD, _OPEN, _CLOSE, _COMMA, _EQUALS = range(1, 7)
_KIND: Final = np.zeros(256, dtype=np.uint8)
_KIND[33:127] = _WORD
_KIND[[ord(c) for c in " \t\r\n"]] = _BLANK
_KIND[[ord(c) for c in "(),="]] = (_OPEN, _CLOSE, _COMMA, _EQUALS)
_KIND[[ord(c) for c in "#;"]] = 0
_DIGIT: Final = np.zeros(256, dtype=np.bool_)
_DIGIT[48:58] = True

# Which kind of token may follow which; what stands between ')' and '(' is checked besides.
_FOLLOWS: Final = np.zeros((7, 7), dtype=np.bool_)
for _kind, _next in (
    (_WORD, (_OPEN, _CLOSE, _COMMA, _EQUALS)),
    (_OPEN, (_WORD, _CLOSE)),
    (_CLOSE, (_WORD,)),
    (_COMMA, (_WORD,)),
    (_EQUALS, (_WORD,)),
):
    _FOLLOWS[_kind, _next] = True

_KEYWORDS: Final = (
    *(c.value for c in CONNECTIVES), *(q.value for q in Quantifier), FREE, OUTPUT,
)  # fmt: skip
_LONGEST: Final = max(map(len, _KEYWORDS))

# A literal is a number up to here, or this plus the place of a name in the order of appearance.
_NAMED: Final = 1 << 30


@dataclass(frozen=True, slots=True)
class Suspicion:
    """The place of a file's first error, if there is one.

    No statement before the byte ``start`` (behind a byte-order mark) is wrong in itself or by its
    place; those that begin before ``end`` may be.  ``behind`` are the kinds of statements before
    ``start``: keywords of the prefix, ``OUTPUT`` and ``GATE``.  Or all statements are ordinary, and
    ``gates``, by their places among the gates of the file, are enough to see the error; of
    ``named`` the names are.  With ``on_cycle`` the one gate depends on itself.
    """

    start: int = 0
    end: int = 0
    behind: frozenset[str] = frozenset()
    gates: tuple[int, ...] | None = None
    named: tuple[int, ...] = ()
    on_cycle: bool = False

    def shortened(self, code: str) -> str:
        """``code``, which is ASCII without comments, with blanks for what is not needed."""
        raw = np.frombuffer(code.encode("ascii"), dtype=np.uint8)
        ends = np.flatnonzero(raw == ord(")")) + 1
        defined = np.searchsorted(ends, np.flatnonzero(raw == ord("=")), side="right")
        kept = np.ones(len(ends), dtype=np.bool_)
        kept[defined] = False
        kept[defined[[*(self.gates or ()), *self.named]]] = True
        named = set(defined[list(self.named)].tolist())
        pieces: list[str] = []
        at = 0
        for k in np.flatnonzero(kept).tolist():
            start, end = int(ends[k - 1]) if k else 0, int(ends[k])
            pieces.append(" " * (start - at))
            statement = code[start:end]
            if k in named:
                # An empty disjunction: nothing in it can be wrong.
                head = statement[: statement.index("=") + 1]
                statement = head + "or(" + " " * (len(statement) - len(head) - 4) + ")"
            pieces.append(statement)
            at = end
        return "".join(pieces)


class _UnusualError(Exception):
    """The bulk reader gives up: the careful reader reads the file, or explains its error."""

    def __init__(self, suspicion: Suspicion | None = None) -> None:
        super().__init__()
        self.suspicion: Final = suspicion or Suspicion()


def read_ordinary(data: bytes, path: str | None) -> Qbf | Suspicion:
    """The formula in ``data``; for a file that is not ordinary, or has an error, its place."""
    try:
        return _Reader(data, path).formula()
    except _UnusualError as error:
        return error.suspicion


class _Reader:
    def __init__(self, data: bytes, path: str | None) -> None:
        _require(b"\0" not in data)
        self.data: Final = data.removeprefix(BOM)
        _require(len(self.data) >= _SHORTEST)
        self.path: Final = path
        self.line, self.counted = 1, 0
        self.comments: list[tuple[int, str]] = []
        self.names = WordTable(self.data)
        self.prefix: list[tuple[str, NDArray[np.int32]]] = []
        self.outputs: list[NDArray[np.int32]] = []
        self.numbers: list[NDArray[np.int32]] = []
        self.connectives: list[NDArray[np.uint8]] = []
        self.counts: list[NDArray[np.int32]] = []
        self.inputs: list[NDArray[np.int32]] = []

    def formula(self) -> Qbf:
        for at, block in self._blocks():
            go_on()
            behind = self._kinds()
            try:
                self._statements(at, block)
            except (_UnusualError, CollisionError):
                raise _UnusualError(Suspicion(at, at + len(block), behind)) from None
        _expect(self.outputs)
        numbers, inputs = _joined(self.numbers), _joined(self.inputs)
        prefix = [literals for _, literals in self.prefix]
        largest = self._number([numbers, inputs, *prefix, *self.outputs])
        output = int(self.outputs[0][0])
        names = NameTable(largest + 1, *self.names.text())
        del self.names  # its memory is needed
        rows = self._rows(numbers, _joined(prefix), largest + len(names))
        connectives = np.concatenate([*self.connectives, np.empty(0, np.uint8)])
        counts = _joined(self.counts)
        starts = np.zeros(len(counts) + 1, dtype=np.int64)
        np.cumsum(counts, out=starts[1:])
        wrong = np.zeros(len(counts), dtype=np.bool_)
        for connective, arity in ((Connective.XOR, 2), (Connective.ITE, 3)):
            wrong |= (connectives == CONNECTIVES.index(connective)) & (counts != arity)
        undefined = np.flatnonzero(rows[np.abs(inputs)] == _NOTHING)
        wrong[np.searchsorted(starts, undefined, side="right") - 1] = True
        if wrong.any():
            gate = int(np.argmax(wrong))
            read = rows[np.abs(inputs[starts[gate] : starts[gate + 1]])].tolist()
            others = tuple(sorted({row for row in read if row >= 0} - {gate}))
            raise _UnusualError(Suspicion(gates=(gate,), named=others))
        _expect(rows[abs(output)] != _NOTHING)
        gates = _sorted(GateTable(numbers, connectives, starts, inputs, rows), counts)
        scopes = tuple(
            Scope(
                Quantifier.EXISTS if keyword == FREE else Quantifier(keyword),
                tuple(literals.tolist()),
            )
            for keyword, literals in self.prefix
        )
        free = _joined([literals for keyword, literals in self.prefix if keyword == FREE])
        comments, path = tuple(self.comments), self.path
        return Qbf(scopes, gates, output, names, comments, path, free=tuple(free.tolist()))

    # -- Blocks

    def _blocks(self) -> Iterator[tuple[int, bytes]]:
        """Whole statements, some ``_BLOCK`` bytes, with blanks for comments; where they begin."""
        data, at, size = self.data, 0, _BLOCK
        while at < len(data):
            end = at + size
            sign = data.rfind(b"#", at, end)
            if sign >= 0:
                line_end = data.find(b"\n", sign)
                end = len(data) if line_end < 0 else max(end, line_end)
            block, comments = _without_comments(data[at:end])
            if end < len(data):
                end = at + block.rfind(b")") + 1
                if end == at:
                    size *= 2  # a list that is longer than this
                    continue
                block = block[: end - at]
            self._note([(at + start, text) for start, text in comments if at + start < end])
            yield at, block
            at, size = end, _BLOCK

    def _note(self, comments: list[tuple[int, bytes]]) -> None:
        for offset, text in comments:
            self.line += self.data.count(b"\n", self.counted, offset)
            self.counted = offset
            comment = decoded_comment(text)
            if is_comment(self.line, comment):
                self.comments.append((self.line, comment.rstrip()))

    # -- Statements

    def _kinds(self) -> frozenset[str]:
        """The kinds of the statements so far."""
        kinds = {keyword for keyword, _ in self.prefix}
        kinds |= {OUTPUT} if self.outputs else set()
        return frozenset(kinds | ({GATE} if any(map(len, self.connectives)) else set()))

    def _statements(self, at: int, block: bytes) -> None:
        raw = np.frombuffer(block, dtype=np.uint8)
        kind = _KIND[raw]
        _require(kind.min() > 0)
        inside = np.zeros(len(raw) + 2, dtype=np.bool_)
        inside[1:-1] = kind == _WORD
        begins = inside[1:-1] & ~inside[:-2]
        ends = np.flatnonzero(inside[1:-1] & ~inside[2:]) + 1
        tokens = np.flatnonzero(begins | (kind > _WORD))
        kinds = kind[tokens]
        is_word = kinds == _WORD
        starts = tokens[is_word]
        opens, gap, inner = _parentheses(kinds)
        if not len(opens):
            return
        word = np.cumsum(is_word, dtype=np.int32)
        keywords = word[opens - 1] - 1
        defines = gap == 3
        names = keywords[defines] - 1
        codes = _keyword_codes(raw, starts[keywords], ends[keywords])
        _require(((codes < len(CONNECTIVES)) == defines).all())
        is_literal = np.ones(len(starts), dtype=np.bool_)
        is_literal[keywords] = False
        literals = self._literals(at, raw, starts, ends, is_literal)
        is_literal[names] = False
        _require((literals[names] > 0).all())
        self.numbers.append(literals[names])
        counts = (inner + 1) // 2
        arguments = literals[is_literal]
        if not defines.all():
            last = np.cumsum(counts)
            others = np.flatnonzero(~defines)
            # What stands before a gate, but for outputs, belongs to the prefix.
            seen = bool(self.connectives and any(map(len, self.connectives)))
            first_gate = int(np.argmax(defines)) if defines.any() else len(defines)
            belongs = np.ones(len(arguments), dtype=np.bool_)
            for k in others.tolist():
                part = slice(int(last[k] - counts[k]), int(last[k]))
                belongs[part] = False
                self._declaration(_KEYWORDS[codes[k]], arguments[part], seen or k > first_gate)
            arguments = arguments[belongs]
        self.connectives.append(codes[defines].astype(np.uint8))
        self.counts.append(counts[defines].astype(np.int32))
        self.inputs.append(arguments)

    def _declaration(self, keyword: str, literals: NDArray[np.int32], late: bool) -> None:
        if keyword == OUTPUT:
            _require(not self.outputs and len(literals) == 1)
            self.outputs.append(literals)
            return
        _require(not late and (literals > 0).all())
        _require(keyword != FREE or all(before == FREE for before, _ in self.prefix))
        self.prefix.append((keyword, literals))

    def _literals(
        self,
        at: int,
        raw: NDArray[np.uint8],
        starts: Column,
        ends: Column,
        chosen: NDArray[np.bool_],
    ) -> NDArray[np.int32]:
        """The literal for each word that is ``chosen``, 0 for the others."""
        negative = (raw[starts] == ord("-")) & chosen
        digits_from = starts + negative
        lengths = ends - digits_from
        _require(lengths.min() > 0 and not (raw[digits_from[chosen]] == ord("-")).any())
        # Words with anything but digits in them, by the places of those bytes.
        letters = (_KIND[raw] == _WORD) & ~_DIGIT[raw]
        letters[starts[negative]] = False
        named = np.zeros(len(starts), dtype=np.bool_)
        named[np.searchsorted(starts, np.flatnonzero(letters), side="right") - 1] = True
        named |= (lengths > MAX_DIGITS) | (raw[digits_from] == ord("0"))
        numeric = np.flatnonzero(chosen & ~named)
        result = np.zeros(len(starts), dtype=np.int32)
        if len(numeric):
            last, length = ends[numeric], lengths[numeric]
            values = raw[last - 1].astype(np.int64) - 48
            for place in range(1, int(length.max())):
                having = np.flatnonzero(length > place)
                values[having] += (raw[last[having] - 1 - place].astype(np.int64) - 48) * 10**place
            _require(values.max() < _NAMED)
            result[numeric] = values
        words = np.flatnonzero(chosen & named)
        if len(words):
            result[words] = self.names.numbers(digits_from[words] + at, lengths[words]) + _NAMED
        np.negative(result, out=result, where=negative)
        return result

    # -- The whole

    def _number(self, columns: list[NDArray[np.int32]]) -> int:
        """Give names their numbers, in place; returns the largest number of the file."""
        largest = 0
        for column in columns:
            sizes = np.abs(column)
            largest = max(largest, int(sizes[sizes < _NAMED].max(initial=0)))
        if largest > DENSE:
            _require(largest <= SPARSITY * sum(map(len, columns)))
            used = np.zeros(largest + 1, dtype=np.bool_)
            for column in columns:
                sizes = np.abs(column)
                used[sizes[sizes < _NAMED]] = True
            _require(largest <= largest_kept(int(np.count_nonzero(used)) + len(self.names)))
        if len(self.names):
            for column in columns:
                shift = largest + 1 - _NAMED
                column[column >= _NAMED] += shift
                column[column <= -_NAMED] -= shift
        return largest

    def _rows(
        self, numbers: NDArray[np.int32], quantified: NDArray[np.int32], largest: int
    ) -> NDArray[np.int32]:
        """For each number the row of its gate, ``_VARIABLE`` or ``_NOTHING``."""
        rows = np.full(largest + 1, _NOTHING, dtype=np.int32)
        rows[quantified] = _VARIABLE
        _expect(np.count_nonzero(rows == _VARIABLE) == len(quantified))
        own = np.arange(len(numbers), dtype=np.int32)
        again = rows[numbers] == _VARIABLE
        rows[numbers] = own
        if again.any() or (rows[numbers] != own).any():
            firsts = np.unique(numbers, return_index=True)[1]
            again |= ~np.isin(own, firsts)
            gate = int(np.argmax(again))
            other = int(np.argmax(numbers == numbers[gate]))
            raise _UnusualError(Suspicion(gates=(other, gate)))
        return rows


_VARIABLE: Final = -1
_NOTHING: Final = -2


def _require(ordinary: object) -> None:
    if not ordinary:
        raise _UnusualError


def _expect(right: object) -> None:
    """What is wrong otherwise is seen without any gate."""
    if not right:
        raise _UnusualError(Suspicion(gates=()))


def _joined(columns: list[NDArray[np.int32]]) -> NDArray[np.int32]:
    """One column, which takes the memory of the given ones."""
    joined = np.concatenate([*columns, np.empty(0, np.int32)])
    columns.clear()
    return joined


def _without_comments(block: bytes) -> tuple[bytes, list[tuple[int, bytes]]]:
    comments: list[tuple[int, bytes]] = []
    if b"#" not in block:
        return block, comments

    def blank(match: re.Match[bytes]) -> bytes:
        comments.append((match.start(), match.group(1)))
        return b" " * len(match.group())

    return _COMMENT.sub(blank, block), comments


def _parentheses(kinds: NDArray[np.uint8]) -> tuple[Column, Column, Column]:
    """For each statement: its '(', the tokens between it and the last ')', those in it."""
    opens, closes = np.flatnonzero(kinds == _OPEN), np.flatnonzero(kinds == _CLOSE)
    _require(len(opens) == len(closes))
    if not len(opens):
        _require(not len(kinds))
        return opens, opens, opens
    _require(closes[-1] == len(kinds) - 1 and _FOLLOWS[kinds[:-1], kinds[1:]].all())
    _require((opens < closes).all() and (closes[:-1] < opens[1:]).all())
    gap = opens.copy()
    gap[1:] -= closes[:-1] + 1
    defines = gap == 3
    _require(((gap == 1) | defines).all() and kinds[0] == _WORD)
    _require((kinds[opens[defines] - 2] == _EQUALS).all())
    _require(np.count_nonzero(kinds == _EQUALS) == np.count_nonzero(defines))
    return opens, gap, closes - opens - 1


def _keyword_codes(raw: NDArray[np.uint8], starts: Column, ends: Column) -> Column:
    """For each keyword its place in ``_KEYWORDS``; capitals are letters too."""
    lengths = ends - starts
    _require(lengths.max() <= _LONGEST)
    spelt = np.zeros(len(starts), dtype=np.int64)
    for place in range(_LONGEST):
        having = np.flatnonzero(lengths > place)
        letters = raw[starts[having] + place].astype(np.int64) | 0x20
        spelt[having] |= letters << 8 * place
    codes = np.full(len(starts), -1, dtype=np.int64)
    for code, keyword in enumerate(_KEYWORDS):
        codes[spelt == int.from_bytes(keyword.encode(), "little")] = code
    _require(codes.min() >= 0)
    return codes


def _sorted(gates: GateTable, counts: NDArray[np.int32]) -> GateTable:
    """The same gates, each behind its inputs, otherwise in the order of the file."""
    below = gates.rows[np.abs(gates.inputs)]
    if (below < np.repeat(np.arange(len(counts), dtype=np.int32), counts)).all():
        return gates
    order = np.frombuffer(_order(below.data, gates.starts.data), dtype=np.int32)
    del below  # its memory is needed
    counts = counts[order]
    starts = np.zeros(len(counts) + 1, dtype=np.int64)
    np.cumsum(counts, out=starts[1:])
    # The place of each input before: its gate's first one, and its place in the gate.
    moved = np.repeat((gates.starts[order] - starts[:-1]).astype(np.int32), counts)
    moved += np.arange(len(moved), dtype=np.int32)
    numbers = gates.numbers[order]
    rows = gates.rows.copy()
    rows[numbers] = np.arange(len(numbers), dtype=np.int32)
    return GateTable(numbers, gates.connectives[order], starts, gates.inputs[moved], rows)


def _order(below: Sequence[int], starts: Sequence[int]) -> array[int]:
    """Depth-first, without recursion; ``below`` has the row of each input, negative for none."""
    state = bytearray(len(starts) - 1)  # 0 untouched, 1 on the path, 2 done
    next_input = array("I", starts)
    order = array("i")
    for root in range(len(state)):
        path = [] if state[root] else [root]
        while path:
            gate = path[-1]
            state[gate] = 1
            at, end = next_input[gate], starts[gate + 1]
            while at < end and (below[at] < 0 or state[below[at]] == 2):
                at += 1
            next_input[gate] = at
            if at == end:
                state[gate] = 2
                order.append(gate)
                path.pop()
                continue
            if state[below[at]]:
                raise _UnusualError(Suspicion(gates=(below[at],), on_cycle=True))
            path.append(below[at])
    return order


# QAIGER, loaded for such files alone: AIGER whose symbols of inputs are quantifier levels


_SYMBOL: Final = re.compile(r"([0-9]{1,10})(?: (.*))?")
_MAX_LEVEL: Final = 2**31 - 1
_NAME: Final = re.compile(r"[^\s#(),;=-][^\s#(),;=]*")
_EXPECTED: Final = (
    "a formula: QCIR, QDIMACS, or QAIGER with one output and a quantifier level in the symbol of "
    "each input"
)


def parse_qaiger(data: bytes, path: str | None = None) -> Qbf:
    """The formula in ``data``, which is binary or ASCII.

    Variables and gates keep the indices of the file; constants are a gate behind them.  Names are
    kept where QCIR can have them.  Raises :class:`InputError` as ``parse_aiger`` does, and for
    inputs without a level and for other than one output.
    """
    return formula_of(parse_aiger(data, path))


def formula_of(file: AigerFile) -> Qbf:
    """The formula that a circuit is; raises :class:`InputError` for a circuit that is none."""
    levels: dict[int, list[int]] = {}
    texts: dict[int, str] = {}
    for place, variable in enumerate(file.inputs.tolist()):
        symbol = file.input_symbols.get(place)
        match = None if symbol is None else _SYMBOL.fullmatch(symbol)
        if match is None or int(match[1]) > _MAX_LEVEL:
            what = "without a symbol" if symbol is None else f"with the symbol {quoted(symbol)}"
            raise InputError(
                file.path, None, None, f"an AIGER file, input {place} {what}", _EXPECTED
            )
        levels.setdefault(int(match[1]), []).append(variable)
        if match[2]:
            texts[variable] = match[2].strip()
    if len(file.outputs) != 1:
        found = f"an AIGER file of {counted(len(file.outputs), 'output')} (a certificate?)"
        raise InputError(file.path, None, None, found, _EXPECTED)
    scopes = tuple(
        Scope(Quantifier.FORALL if level % 2 else Quantifier.EXISTS, tuple(variables))
        for level, variables in sorted(levels.items())
    )
    gates, output = _gates(file)
    comments = tuple(enumerate(file.comments, start=2))
    return Qbf(scopes, gates, output, _names(texts, file.max_variable), comments, file.path)


def _names(texts: dict[int, str], largest: int) -> dict[int, str]:
    """The texts that can be identifiers: no two alike, none that could be another's number."""
    seen: dict[str, int] = {}
    for text in texts.values():
        seen[text] = seen.get(text, 0) + 1
    return {
        variable: text
        for variable, text in texts.items()
        if seen[text] == 1 and _NAME.fullmatch(text) and not text.isdigit()
    }


def _gates(file: AigerFile) -> tuple[GateTable, int]:
    """The gates by the indices of the file, and the output."""
    aig, largest = file.aig, file.max_variable
    defined = np.flatnonzero(file.literal_of >= 0)
    number = np.zeros(aig.num_variables + 1, dtype=np.int32)
    number[file.literal_of[defined] >> 1] = defined
    # Literal 0 is false, literal 1 true: the constant is a gate of its own.
    fanins = np.stack((aig.fanin0, aig.fanin1), axis=1).ravel()
    output = int(file.outputs[0])
    constant = bool((fanins <= 1).any() or output <= 1)
    number[0] = -(largest + 1) if constant else 0
    signs = 1 - 2 * (fanins & 1)
    inputs = (number[fanins >> 1] * signs).astype(np.int32)
    numbers = number[aig.num_inputs + 1 :]
    counts = np.full(len(numbers), 2, dtype=np.int64)
    if constant:
        numbers = np.concatenate((np.array([largest + 1], dtype=np.int32), numbers))
        counts = np.concatenate((np.zeros(1, dtype=np.int64), counts))
    starts = np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(counts)))
    rows = np.full(largest + 2, -1, dtype=np.int32)
    rows[numbers] = np.arange(len(numbers), dtype=np.int32)
    kinds = np.full(len(numbers), CONNECTIVES.index(Connective.AND), dtype=np.uint8)
    sign = -1 if output & 1 else 1
    return GateTable(numbers, kinds, starts, inputs, rows), int(number[output >> 1]) * sign
