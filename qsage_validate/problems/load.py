"""The input of every command, read from files: formula, certificate, layout and rules."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Final, TypeAlias

from qsage_validate.certificates.choose_oracle import OracleKind, choose_oracle, is_large
from qsage_validate.certificates.oracle import Oracle
from qsage_validate.certificates.reader import read_certificate
from qsage_validate.circuit.qbf import PrenexOrder, Qbf
from qsage_validate.encodings.layout import (
    ANY_GAME,
    Layout,
    UnspecifiedLegality,
    inconclusive,
)
from qsage_validate.encodings.layout_reader import layout_from_comments
from qsage_validate.errors import UsageError, counted
from qsage_validate.formats.formula import formula_in, read_formula
from qsage_validate.formats.source import (
    PACKED,
    Format,
    label,
    quoted,
    read_bytes,
    sniff,
    unknown_format,
    unpacked_name,
)
from qsage_validate.games.languages import load_game, model_from_parts
from qsage_validate.games.library.catalogue import labelled
from qsage_validate.games.model_text import has_rules
from qsage_validate.games.protocol import Player, TwoPlayerGame
from qsage_validate.kernel.certificate import (
    Certificate,
    CertificateKind,
    CircuitCertificate,
    ClauseCertificate,
    Dialect,
    dont_cares,
)
from qsage_validate.system.limits import stage
from qsage_validate.system.reading import reading
from qsage_validate.validation.fit import check_fit, foreign_move

if TYPE_CHECKING:
    from qsage_validate.certificates.simulation_oracle import WholeOracle
    from qsage_validate.encodings.encoding import Encoding
    from qsage_validate.judging.readings import FoundReadings
    from qsage_validate.problems.searched import Solving, SolvingOracle
    from qsage_validate.validation.assertions import Asserted


# The files and options that say what a problem is


_CERTIFICATE_SUFFIXES = (".aig", ".aag", ".cert.aig", ".cert.aag", ".cnf", ".cert.cnf")


@dataclass(frozen=True, slots=True)
class Files:
    """The files and options that say what is played.

    ``formula`` may be missing or be itself a clause certificate; ``certificate``, ``meta`` may
    be found beside it; ``game`` are the words after ``--game``: two files, or a game by name
    with its options.  ``as_blocks`` asks for the formula's blocks even where a layout is known,
    ``unchecked_dependencies`` for certificates whose functions look to their right as well: they
    read false for what is not chosen yet.  ``made_from`` are the words of a game from which
    formula and certificate were made for this play alone.  ``prenex`` is where the quantifiers of
    quantifier gates go, ``None`` where the prefix becomes shorter.  ``solver`` answers what no
    certificate does, within ``seconds`` for each reply; ``status`` is the formula's value where it
    is known; of the certificate only the functions of its first ``blocks`` are used.
    ``assertions`` are files with what is to hold in every play.  ``explained`` says that the
    certificate of a program is played in the place of the one that is named.  ``sets`` says
    that the formula may be a DQBF: who asks looks at blocks and functions alone.
    """

    formula: str | None = None
    certificate: str | None = None
    meta: str | None = None
    game: tuple[str, ...] = ()
    dialect: Dialect | None = None
    engine: OracleKind = OracleKind.AUTO
    as_blocks: bool = False
    unchecked_dependencies: bool = False
    made_from: tuple[str, ...] = ()
    prenex: PrenexOrder | None = None
    solver: str | None = None
    seconds: float | None = None
    status: bool | None = None
    blocks: int | None = None
    assertions: tuple[str, ...] = ()
    explained: bool = False
    sets: bool = False

    @property
    def name(self) -> str:
        """The name of the inputs in a report: by the files, or by the words of the game."""
        named = [label(path) for path in (self.formula, self.certificate) if path is not None]
        words = (word for word in self.made_from if word not in ("--model", "--game"))
        return " with ".join(dict.fromkeys(named)) or " ".join(words)

    def command(self, *arguments: str) -> str:
        """The command line that plays these files with more ``arguments``."""
        words = ["qsage-play", *self.made_from]
        if not self.made_from:
            words += [] if self.formula is None else [label(self.formula)]
            words += [] if self.certificate is None else ["--cert", label(self.certificate)]
        words += [] if self.meta is None else ["--meta", self.meta]
        if len(self.game) == 2:
            words += ["--game", *self.game]
        elif self.game:
            words += ["--model", shlex.join(self.game)]
        words += [] if self.prenex is None else ["--prenex", self.prenex.value]
        words += [] if self.solver is None else ["--solver", self.solver]
        words += [] if self.seconds is None else ["--timeout", f"{self.seconds:g}"]
        words += [] if self.status is None else ["--status", str(self.status).lower()]
        words += [] if self.blocks is None else ["--blocks", str(self.blocks)]
        words += [] if self.dialect is None else ["--dialect", self.dialect.value]
        words += [word for path in self.assertions for word in ("--assert", path)]
        words += [] if self.engine is OracleKind.AUTO else [f"--{self.engine.value}"]
        words += ["--bare"] * self.as_blocks + ["--peeking"] * self.unchecked_dependencies
        words += ["--explain"] * self.explained
        return shlex.join([*words, *arguments])

    def __repr__(self) -> str:
        return f"<Files {self.name}>"


def sorted_out(files: Files) -> Files:
    """The files with the certificate in its place, found beside the formula if need be.

    Raises ``UsageError`` where there is none.
    """
    one = files.formula if files.certificate in (None, files.formula) else None
    if one is not None and sniff(one) is Format.PEDANT:
        # A clause certificate defines what it needs of the formula itself.
        return replace(files, certificate=one, formula=None)
    if files.certificate is None and files.formula is not None:
        if sniff(files.formula) is Format.UNKNOWN:
            expected = "a formula (QCIR, QDIMACS or QAIGER)"
            raise unknown_format(read_bytes(files.formula), label(files.formula), expected)
        found = beside(files.formula)
        if found is None:
            if sniff(files.formula) not in (Format.DQDIMACS, Format.DQCIR):
                read_formula(files.formula)  # which says so where it is something else
            raise UsageError(f"no certificate beside {files.formula}: name it with --cert FILE")
        return replace(files, certificate=found)
    if files.certificate is None:
        raise UsageError("expected a formula and its certificate: FORMULA --cert FILE")
    return files


def beside(formula: str) -> str | None:
    """The certificate that has the formula's name."""
    stem = os.path.splitext(unpacked_name(formula))[0]
    for suffix in _CERTIFICATE_SUFFIXES:
        for compressed in ("", *PACKED):
            candidate = stem + suffix + compressed
            if candidate != formula and os.path.isfile(candidate):
                return candidate
    return None


# The input of every command, read from files: formula, certificate, layout and rules


_NONE: Final = (None, None)
_SECOND: Final = " --second"
_GameOf: TypeAlias = "Callable[[Files, Layout], TwoPlayerGame | None]"


@dataclass(frozen=True, slots=True)
class UndecidedGame:
    """A game that is loaded but not claimed: the formula's value decides nothing about it.

    ``why`` is the reason.
    """

    layout: Layout
    game: TwoPlayerGame
    why: str


@dataclass(frozen=True)
class Problem:
    """The input of a command: a formula, perhaps with a certificate, perhaps with rules.

    Either a :class:`BoardProblem` or a :class:`BlockProblem`.  ``notes`` are facts for people,
    ``facts`` those of a validation's report.  ``solving`` answers what the certificate has no
    functions for.  ``assertions`` are to hold in every play.  No command replays plays that are
    not ``replayed``: their functions are in no file.  ``undecided_game`` are rules by which the
    certificate need not win, for the formula does not decide their game; plays are compared with
    ``game`` alone.  ``no_board`` is why the layout of the files is not used, where it is not.
    """

    files: Files
    formula: Qbf | None
    certificate: Certificate | None
    layout: Layout | None
    game: TwoPlayerGame | None
    notes: tuple[str, ...] = ()
    facts: Mapping[str, object] = field(default_factory=dict)
    solving: Solving | None = None
    assertions: tuple[Asserted, ...] = ()
    replayed: bool = True
    undecided_game: UndecidedGame | None = None
    no_board: str | None = None

    @property
    def qbf(self) -> Qbf:
        """The formula; raises ``UsageError`` where there is none."""
        if self.formula is None:
            raise UsageError(f"found {self.files.name} alone, expected its formula too")
        return self.formula

    @property
    def on_board(self) -> BoardProblem:
        """The problem with its layout; raises ``UsageError`` where there is none."""
        raise UsageError(f"found no layout in {self.files.name}, expected one: --meta")

    @property
    def answering(self) -> Certificate:
        """The certificate that answers in a play; raises ``UsageError`` where there is none."""
        if self.certificate is None:
            raise UsageError(f"there is no certificate for {self.files.name}")
        return self.certificate

    @property
    def whole(self) -> Certificate:
        """The certificate; raises ``UsageError`` if a solver has to complete it."""
        if self.solving is not None:
            raise UsageError(f"found a part of a certificate in {self.files.name}, expected all")
        return self.answering

    @property
    def title(self) -> str:
        """The game, or the formula's file, and the kind of certificate."""
        return f"{self._name}: {self._answers} {_side(self.answering)}"

    @property
    def _name(self) -> str:
        """The name of the game, or of the formula's file."""
        name = os.path.basename(self.files.formula or self.files.certificate or "")
        name = name or " ".join(self.files.made_from)
        if self.game is not None:
            name = self.game.name
        elif self.layout is not None and self.layout.model.get("name"):
            name = f"{name} {labelled(self.layout.model['name'])}".strip()
        return name

    @property
    def play_title(self) -> str:
        """The title of a play; what is known to be proved is what was made here."""
        return self.title_for_play(proved=bool(self.files.made_from))

    def title_for_play(self, *, proved: bool) -> str:
        """The game and who answers, in words for the person who plays."""
        if self.solving is not None:
            return self.title
        side, name = _side(self.answering), self._name
        if self.game is not None and name.endswith(_SECOND):
            name = f"{name.removesuffix(_SECOND)}, White first"
        return f"{name}: {side} {'has' if proved else 'claims'} a proof"

    @property
    def details(self) -> tuple[str, ...]:
        """The notes on where certificate, layout and rules come from, when nothing is doubtful.

        A person who plays need not read them first.
        """
        if self.solving is not None or self.certificate is None or self.game is None:
            return ()
        told = [_who_plays(self.certificate, None), _compared(self.game)]
        if self.layout is not None and not self.layout.is_found:
            told.append(_layout_source(self.layout))
        return tuple(told)

    @property
    def _answers(self) -> str:
        certificate = self.answering
        kind = f"{certificate.kind.value} certificate"
        if self.solving is None:
            return f"{kind} for"
        if isinstance(certificate, CircuitCertificate) and certificate.functions:
            return f"{kind} and {self.solving.name} for"
        return f"{self.solving.name} plays"

    def oracle(self, preferred: OracleKind) -> Oracle:
        """The oracle that answers: of the kind asked for, else ``preferred`` where possible.

        Where a solver answers, it is the same oracle each time: what it has answered is kept. A
        large circuit does the same when SAT would be preferred: it is put in order once.
        """
        if self.refuter is not None:
            return self.refuter
        if preferred is OracleKind.SAT and self.is_evaluated:
            return self._whole
        return choose_oracle(self.answering, self.formula, self.files.engine, preferred)

    @property
    def is_evaluated(self) -> bool:
        """True where a circuit is so large that a person's questions are answered without SAT."""
        return self.files.engine is OracleKind.AUTO and is_large(self.answering)

    @cached_property
    def _whole(self) -> WholeOracle:
        from qsage_validate.certificates.simulation_oracle import WholeOracle

        assert isinstance(self.certificate, CircuitCertificate), "a circuit is large"
        return WholeOracle(self.certificate, self.formula)

    @cached_property
    def refuter(self) -> SolvingOracle | None:
        """The oracle that says if the opponent can still win, where no certificate does."""
        if self.solving is None:
            return None
        assert isinstance(self.certificate, CircuitCertificate), "a solver's is a circuit"
        return self.solving.oracle(self.certificate, self.qbf, self.layout)

    @property
    def move_names(self) -> frozenset[str]:
        """The moves that have a name of their own in scripts."""
        return frozenset()

    @property
    def claimed_game(self) -> TwoPlayerGame | None:
        """The game about which the levels that compare with rules say something."""
        return self.game if self.undecided_game is None else self.undecided_game.game

    def replay(self, moves: Sequence[str]) -> str:
        """The command that replays a play with these moves of the opponent."""
        return self.replay_blocks(moves)

    def replay_blocks(self, blocks: Sequence[str]) -> str:
        """The command that replays a play of the game of blocks with these blocks."""
        if not self.replayed:
            return ""
        files = replace(self.files, as_blocks=self.files.as_blocks or self.layout is not None)
        return files.command("--moves", "; ".join(blocks))

    def with_checked_dependencies(self) -> Problem:
        """The same, known to have no function that looks right: replays need not allow it."""
        return replace(self, files=replace(self.files, unchecked_dependencies=False))


@dataclass(frozen=True)
class BlockProblem(Problem):
    """A formula whose blocks are played: there is no layout, or it is not used."""

    formula: Qbf
    layout: None = None
    game: None = None


@dataclass(frozen=True)
class BoardProblem(Problem):
    """A formula, or the clauses of a certificate, whose layout says what the variables mean.

    ``unassigned`` are variables of Black's that White's moves depend on and that neither moves nor
    positions give a value to: for goals.  In plays they are false, so that White's replies may be
    wrong; a finding says whether the replies of its play rest on that.  ``found`` are the readings
    among which the layout is the best, where it was looked for.
    """

    layout: Layout
    unassigned: tuple[int, ...] = ()
    found: FoundReadings | None = None

    @property
    def on_board(self) -> BoardProblem:
        return self

    def replay(self, moves: Sequence[str]) -> str:
        """The command that replays a play with these moves of the opponent.

        Every move is let happen: what is illegal for the formula or by the rules may be what the
        play is there to show.
        """
        from qsage_validate.problems.script_moves import insistent

        if not self.replayed:
            return ""
        names = self.move_names
        between = "; " if any(" " in move for move in moves) else " "
        return self.files.command("--moves", between.join(insistent(move, names) for move in moves))

    @property
    def move_names(self) -> frozenset[str]:
        return frozenset(text for ply in self.layout.moves for text in ply.moves)

    def blocks(self) -> BlockProblem:
        """The game of the formula's blocks; raises ``UsageError`` where there is no formula."""
        return BlockProblem(
            replace(self.files, as_blocks=True),
            self.qbf,
            self.certificate,
            notes=self.notes,
            facts=self.facts,
            solving=self.solving,
            assertions=self.assertions,
            replayed=self.replayed,
            undecided_game=self.undecided_game,
        )

    def __repr__(self) -> str:
        return f"<Problem {self.files.name or (self.game and self.game.name)}>"


@reading()
def load(files: Files, rules: TwoPlayerGame | None = None) -> Problem:
    """Read what ``files`` name, and the layout that may lie beside the formula.

    Without a certificate's file there is none: see ``sorted_out``.  ``rules`` are those of the
    game where ``files`` do not name it.  Raises ``InputError`` and ``UsageError``.
    """
    game_of = _game if rules is None else partial(_fitting, rules)
    if files.certificate is None and files.solver is not None:
        return _solved(files, files.solver, game_of)
    if files.blocks is not None and files.solver is None:
        raise UsageError("found --blocks without --solver, which answers the other blocks")
    if files.certificate is None:
        return _without_certificate(files)
    path, files = files.certificate, sorted_out(files)
    stage("reading the formula")
    formula = None if files.formula is None else _formula(files, files.formula)
    if formula is not None and formula.depends:
        files = replace(files, as_blocks=True)  # what a layout says needs a prefix
    stage("reading the certificate")
    certificate = read_certificate(
        path,
        formula,
        dialect=files.dialect,
        dependencies=not files.unchecked_dependencies,
    )
    solving = None
    if isinstance(certificate, CircuitCertificate) and certificate.first_blocks is not None:
        from qsage_validate.problems.searched import AUTO

        files = replace(files, solver=files.solver or AUTO)
    if files.solver is not None:
        from qsage_validate.problems.searched import part_to_complete

        certificate = part_to_complete(certificate, formula, files.status, files.blocks)
        solving = _solver(files.solver, files.seconds)
    layout, found = _layout(files, certificate, formula) if _asks_for_layout(files) else _NONE
    if layout is not None and formula is None and isinstance(certificate, ClauseCertificate):
        # Clauses need not mention what no function reads.
        certificate = replace(certificate, open=_opponents(layout) - certificate.defined)
    return _played(files, formula, certificate, layout, game_of, solving, found)


def _formula(files: Files, path: str) -> Qbf:
    """The formula in a file: QCIR, QDIMACS, or a format of an extension, told by its content."""
    found = formula_in(path, sniff(path))
    if found is not None and found.depends and not (files.sets and files.certificate):
        raise UsageError(f"found dependency sets in {label(path)}, expected a prefix here")
    return read_formula(path, files.prenex) if found is None else found


def _solver(name: str, seconds: float | None) -> Solving:
    """The solver that plays; errors as ``Solving.by`` has them."""
    from qsage_validate.problems.searched import Solving

    return Solving.by(name, seconds)


def of(encoding: Encoding, certificate: Certificate, files: Files) -> Problem:
    """The play of a certificate that was made for an encoding, neither of which is in a file.

    ``files`` say what else was asked for, such as the game of blocks.
    """
    game = load_game(encoding.model)
    return _played(files, encoding.qbf, certificate, encoding.layout, lambda files, layout: game)


def certified_by(problem: Problem, certificate: Certificate) -> Problem:
    """The problem with a certificate that was made for its formula and is in no file."""
    files, formula, game = problem.files, problem.formula, problem.game
    return _played(files, formula, certificate, problem.layout, lambda *_: game)


def _solved(files: Files, solver: str, game_of: _GameOf) -> Problem:
    """The problem in which a solver plays without a certificate."""
    if files.formula is None:
        raise UsageError("found --solver without a formula, expected one to solve")
    formula = _formula(files, files.formula)
    solving = _solver(solver, files.seconds)
    certificate = _unanswered(formula, files, solving)
    layout, found = _layout(files, certificate, formula) if _asks_for_layout(files) else _NONE
    return _played(files, formula, certificate, layout, game_of, solving, found)


def against_solver(encoding: Encoding, files: Files) -> Problem:
    """The play of an encoding that is in no file against the solver that ``files`` name."""
    if files.solver is None:
        raise UsageError("expected a solver")
    solving = _solver(files.solver, files.seconds)
    certificate = _unanswered(encoding.qbf, files, solving)
    game = load_game(encoding.model)
    return _played(files, encoding.qbf, certificate, encoding.layout, lambda *_: game, solving)


def _unanswered(formula: Qbf, files: Files, solving: Solving) -> CircuitCertificate:
    """The certificate without functions of the side that wins; who that is may be asked first."""
    if files.blocks is not None:
        raise UsageError("found --blocks without --cert, which has the blocks")
    from qsage_validate.problems.searched import without_functions

    value = solving.replies.value(formula) if files.status is None else files.status
    return without_functions(
        formula, CertificateKind.SKOLEM if value else CertificateKind.HERBRAND, files.formula
    )


def _without_certificate(files: Files) -> Problem:
    if files.formula is None:
        raise UsageError("expected a formula")
    formula = _formula(files, files.formula)
    layout, found = _NONE if files.as_blocks else _layout(files, None, formula)
    if layout is None:
        return BlockProblem(files, formula, None)
    game = _game(files, layout)
    # The level "encoding" reads White's moves in COVER all the same.
    own = game_of_layout(layout) if game is None else None
    why = "its moves are none of the rules"
    return BoardProblem(
        files,
        formula,
        None,
        layout,
        game,
        facts={"reading": layout.source} if layout.is_found else {},
        undecided_game=None if own is None else UndecidedGame(layout, own, why),
        found=found,
    )


def _played(
    files: Files,
    formula: Qbf | None,
    certificate: Certificate,
    layout: Layout | None,
    game_of: _GameOf,
    solving: Solving | None = None,
    found: FoundReadings | None = None,
) -> Problem:
    """The problem of a certificate: as much as can be played and proved, with notes."""
    asserted: tuple[Asserted, ...] = ()
    if files.assertions:
        from qsage_validate.validation.assertions import read_asserted

        rules = None if layout is None else game_of(files, layout)
        asserted = read_asserted(files.assertions, formula, layout, rules)
    layout = None if files.as_blocks else layout
    no_board = None
    if layout is not None and certificate.kind is CertificateKind.HERBRAND:
        from qsage_validate.strategies.herbrand import no_unfolding

        no_board = no_unfolding(formula, layout)
        if no_board is not None:
            if files.game:
                game_of(files, layout)  # a game that is another one is refused all the same
            layout = None
    about = partial(_notes, certificate, formula, solving)
    if layout is None:
        if formula is None and files.as_blocks:
            raise UsageError(
                "found --bare without a formula, expected the formula whose blocks to play"
            )
        if formula is None:
            raise UsageError(
                "there is neither a formula nor a layout: name the formula, or give --meta FILE"
            )
        if files.game and no_board is None and not files.as_blocks:
            raise UsageError(
                "found --game, but no layout says what the variables mean: give --meta"
            )
        bare = "no layout: the bare game of variables, block by block"
        unused = () if no_board is None else (f"no board: {no_board}",)
        return BlockProblem(
            files,
            formula,
            certificate,
            notes=(*about(), bare, *unused),
            solving=solving,
            assertions=asserted,
            no_board=no_board,
        )
    game = game_of(files, layout)
    undecided_game = None
    why = inconclusive(layout, certificate.kind.truth)
    if why is not None and game is not None:
        undecided_game = UndecidedGame(layout, game, why)
        game = None
    unassigned: tuple[int, ...] = ()
    false: tuple[str, ...] = ()
    if certificate.kind is CertificateKind.HERBRAND and formula is not None:
        from qsage_validate.strategies.guesses import read_unassigned

        unassigned, false = read_unassigned(certificate, formula, layout, game)
    return BoardProblem(
        files,
        formula,
        certificate,
        layout,
        game,
        notes=(*about(), *_layout_notes(certificate, layout, game, why), *false),
        undecided_game=undecided_game,
        unassigned=unassigned,
        solving=solving,
        assertions=asserted,
        found=found,
    )


def _asks_for_layout(files: Files) -> bool:
    """True if a layout is looked for: blocks are played without, but assertions may need it."""
    return not files.as_blocks or bool(files.assertions)


def _layout(
    files: Files, certificate: Certificate | None, formula: Qbf | None
) -> tuple[Layout | None, FoundReadings | None]:
    """The layout: of ``--meta``, of the formula's comments, or of a meta file beside it.

    Where there is none it is looked for by the rules that are named: with all that was found.
    """
    path = files.meta
    if path is None and formula is not None:
        layout = layout_from_comments(formula)
        if layout is not None:
            return layout, None
    from qsage_validate.encodings.foreign import find_meta, layout_from_meta
    from qsage_validate.formats.meta import read_meta

    if path is None:
        beside = files.formula or files.certificate
        path = None if beside is None or beside == "-" else find_meta(beside)
    if path is None:
        if not files.game or formula is None:
            return _NONE
        from qsage_validate.problems.searched import found_readings

        found = found_readings(files.game, formula)
        # What a certificate does is held against the rules: a guessed board has no say in that.
        return found.layout if files.certificate is None else found.moves_alone, found
    decided = None if certificate is None else _decided(certificate)
    return layout_from_meta(read_meta(path), formula, decided, _first_player(files)), None


def _first_player(files: Files) -> Player | None:
    """Who begins by the rules that are named; ``None`` where no rules are."""
    if not files.game:
        return None
    from qsage_validate.problems.searched import rules_of_words

    return rules_of_words(files.game)[0].first_player


def _opponents(layout: Layout) -> frozenset[int]:
    """The variables of White's moves and of the symbolic position."""
    moves = (literal for ply in layout.of(Player.WHITE) for literal in ply.all_variables)
    return frozenset(map(abs, (*moves, *layout.state.position)))


def _decided(certificate: Certificate) -> frozenset[int]:
    if isinstance(certificate, CircuitCertificate):
        return frozenset(certificate.functions)
    return certificate.defined


def _fitting(rules: TwoPlayerGame, files: Files, layout: Layout) -> TwoPlayerGame:
    check_fit(rules, layout)
    return rules


def _game(files: Files, layout: Layout) -> TwoPlayerGame | None:
    if files.game:
        from qsage_validate.problems.searched import rules_of_words

        # A game by name may be written in several languages; the layout's is compared.
        language = None if layout.game == ANY_GAME else layout.game
        game: TwoPlayerGame | None = rules_of_words(files.game, language)[0]
    else:
        game = game_of_layout(layout)
    if game is not None and not files.game and foreign_move(game, layout) is not None:
        return None  # White's moves in COVER are no moves of the game: the formula alone is played
    if game is not None:
        check_fit(game, layout)
    return game


def game_of_layout(layout: Layout) -> TwoPlayerGame | None:
    """The rules of the model that a layout carries; ``None`` when it carries none.

    Raises ``InputError`` for a model that is not well-formed.
    """
    if not has_rules(layout.game, layout.model):
        return None
    return load_game(model_from_parts(layout.game, layout.model))


def why_no_rules(layout: Layout) -> str:
    """The reason why there are no rules to compare with, where there are none."""
    own = game_of_layout(layout)
    foreign = None if own is None else foreign_move(own, layout)
    if own is None or foreign is None:
        return "no rules are known: give --game DOMAIN PROBLEM or --model"
    return (
        f"the rules of the formula's model could not be used: {quoted(foreign)} is no move of "
        f"{own.name}"
    )


def _notes(certificate: Certificate, formula: Qbf | None, solving: Solving | None) -> list[str]:
    notes = [_who_plays(certificate, solving)]
    if formula is None:
        notes.append("no formula: gates and the verdict are as the certificate defines them")
    else:
        if formula.prenexed is not None:
            notes.append(str(formula.prenexed))
        free = dont_cares(certificate, formula)
        if free and (
            solving is None or len(free) < len(formula.variables(certificate.kind.decides))
        ):
            names = ", ".join(formula.name(v) for v in free[:8]) + (", …" if len(free) > 8 else "")
            what = "read as false" if solving is None else f"{solving.name} answers"
            notes.append(f"{counted(len(free), 'variable')} without a function, {what}: {names}")
        if isinstance(certificate, CircuitCertificate) and certificate.extra:
            notes.append(
                f"{counted(len(certificate.extra), 'function')} of gates (variables of the clausal "
                "form): not used, the formula defines its gates"
            )
    return notes


def _layout_notes(
    certificate: Certificate, layout: Layout, game: TwoPlayerGame | None, why_no_winner: str | None
) -> Iterator[str]:
    yield _layout_source(layout)
    if why_no_winner is not None:
        yield f"no rules: {why_no_winner}, and so it need not win by them"
    elif game is None:
        yield f"nothing checks the formula's moves and boards: {why_no_rules(layout)}"
    else:
        yield _compared(game)
    silent = layout.silence is UnspecifiedLegality.FREE and all(
        p.indicators is None for p in layout.moves
    )
    if certificate.kind is CertificateKind.SKOLEM and silent:
        yield "the layout names no indicators: the formula cannot say what is legal"


def _layout_source(layout: Layout) -> str:
    return f"layout {layout.source}" if layout.is_found else f"layout from {layout.source}"


def _compared(game: TwoPlayerGame) -> str:
    return f"every step is compared with the rules of {game.name}"


def _who_plays(certificate: Certificate, solving: Solving | None) -> str:
    from qsage_validate.certificates.reader import DESCRIPTIONS

    side, kind = _side(certificate), certificate.kind.value
    if solving is None:
        return f"{kind} certificate ({DESCRIPTIONS[certificate.dialect]}): it plays {side}"
    value = "true" if certificate.kind.truth else "false"
    if isinstance(certificate, CircuitCertificate) and certificate.functions:
        return f"{kind} certificate, in part: it and {solving.name} play {side}"
    return f"the formula is {value}: {solving.name} plays {side}, and nothing is proved"


def _side(certificate: Certificate) -> str:
    return str(certificate.kind.player)
