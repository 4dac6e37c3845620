"""The levels of a validation are run; what follows from them: the sentences, and the report.

Each level that is proved is a theorem (docs/explanation/proved.md has their hypotheses).  A
sentence about the formula or the game is made here only, from those theorems:

* dependencies and formula together: the formula has the value of the certificate's kind;
* a trace: the formula has the value that the trace ends with;
* rules, or all plays: the certificate's player wins the game;
* assertions: what is asserted holds in each play;
* encoding: the formula is true exactly when Black wins the game; with the formula's value, who
  wins.  Of an encoding one of whose values says nothing of the game, one direction.  Where the
  level is refuted and one direction was proved on whole scripts, this direction.

Levels that imply opposite sentences contradict each other: none of the two is said, and the
contradiction is a finding.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Final

from qsage_validate import __version__
from qsage_validate.errors import Exit, Undecided, counted, one_line
from qsage_validate.games.protocol import Player, TwoPlayerGame
from qsage_validate.problems.load import Files, Problem
from qsage_validate.problems.validated import command_of, load_to_validate
from qsage_validate.proving.levels import Level
from qsage_validate.proving.run import (
    LevelInterrupted,
    LevelResult,
    ValidationOptions,
    ValidationRun,
)
from qsage_validate.system.limits import Progress, Tell, nobody
from qsage_validate.system.reading import reads_within
from qsage_validate.validation.finding import (
    Claimed,
    Finding,
    FindingKind,
    Proved,
    Refuted,
    Sampled,
)

if TYPE_CHECKING:
    from qsage_validate.system.pool import Send


# Statements after a validation: the sentences that the proved levels imply, and no other


_NAMED: Final = "what the layout names of position and legality is that of the rules"


class StatementSubject(Enum):
    """The subject of a sentence; the values are those of ``--json``."""

    GAME = "game"
    FORMULA = "formula"
    ENCODING = "encoding"
    FUNCTIONS = "functions"
    BOARDS = "boards"
    ASSERTIONS = "assertions"
    SAMPLE = "sample"
    CLAIM = "claim"


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence, and the levels that it follows from.

    ``value`` is the formula's, for sentences about it; ``winner`` is White where Black does not
    win; ``game`` and ``plies`` say of which game.
    """

    about: StatementSubject
    text: str
    levels: tuple[Level, ...]
    value: bool | None = None
    winner: Player | None = None
    game: str | None = None
    plies: int | None = None

    def to_dict(self) -> dict[str, object]:
        """The fields that say something, for ``--json``."""
        found: dict[str, object] = {
            "about": self.about.value,
            "text": self.text,
            "levels": [level.value for level in self.levels],
        }
        if self.value is not None:
            found["value"] = self.value
        if self.winner is not None:
            found["winner"] = self.winner.value
        if self.game is not None:
            found |= {"game": self.game, "plies": self.plies}
        return found

    def __repr__(self) -> str:
        return f"<Statement {self.text}>"


@dataclass(frozen=True, slots=True)
class Conclusions:
    """The conclusions from results; ``contradictions`` say which levels cannot both be right."""

    statements: tuple[Statement, ...] = ()
    contradictions: tuple[Finding, ...] = ()

    def __repr__(self) -> str:
        return f"<Conclusions: {counted(len(self.statements), 'statement')}>"


def conclude(
    results: Sequence[LevelResult], hero: Player | None, game: TwoPlayerGame | None
) -> Conclusions:
    """The sentences that ``results`` imply.

    ``hero`` is the certificate's player (``None`` without a certificate), ``game`` the game whose
    rules were asked (``None`` where none are known).
    """
    reasoning = _Reasoning(results, hero, game)
    return Conclusions(tuple(reasoning.statements()), tuple(reasoning.contradictions()))


def game_text(game: TwoPlayerGame, winner: Player) -> str:
    """``Black wins httt 3x3 tic within 5 plies``, or that Black does not."""
    wins = "wins" if winner is Player.BLACK else "does not win"
    return f"Black {wins} {game.name} within {game.length}"


class _Reasoning:
    def __init__(
        self, results: Sequence[LevelResult], hero: Player | None, game: TwoPlayerGame | None
    ) -> None:
        self.by_level = {result.level: result for result in results}
        self.hero = hero
        self.game = game
        self.values = list(self._values())
        self.winners = list(self._winners())

    def proved(self, *levels: Level) -> bool:
        return all(
            level in self.by_level and isinstance(self.by_level[level].verdict, Proved)
            for level in levels
        )

    def refuted(self, level: Level) -> bool:
        result = self.by_level.get(level)
        return result is not None and isinstance(result.verdict, Refuted)

    # -- what follows ------------------------------------------------------------------------

    def _values(self) -> Iterator[tuple[bool, tuple[Level, ...]]]:
        """The formula's value, for each set of levels that implies it."""
        both = (Level.DEPENDENCIES, Level.FORMULA)
        if self.hero is not None and self.proved(*both):
            yield self.hero is Player.BLACK, both
        if self.proved(Level.TRACE):
            yield self.by_level[Level.TRACE].evidence["result"] == "true", (Level.TRACE,)

    def _winners(self) -> Iterator[tuple[Player, tuple[Level, ...]]]:
        """The winner of the game, for each set of levels that implies it."""
        if self.game is None:
            return
        for level in (Level.RULES, Level.EXHAUSTIVE):
            if self.hero is not None and self.proved(level):
                yield self.hero, (level,)
        if self.proved(Level.ENCODING):
            for value, levels in self.values:
                if value not in self._implying:
                    continue
                winner = Player.BLACK if value else Player.WHITE
                yield winner, (*levels, Level.ENCODING)

    def statements(self) -> Iterator[Statement]:
        game = self.game
        sure = len({winner for winner, _ in self.winners}) == 1 and not self._lost_all_the_same
        if game is not None and sure:
            winner = self.winners[0][0]
            yield Statement(
                StatementSubject.GAME,
                game_text(game, winner),
                _each(levels for _, levels in self.winners),
                winner=winner,
                game=game.name,
                plies=game.plies,
            )
        if len({value for value, _ in self.values}) == 1:
            value = self.values[0][0]
            text = f"the formula is {str(value).lower()}"
            yield Statement(
                StatementSubject.FORMULA,
                text,
                _each(levels for _, levels in self.values),
                value=value,
            )
        if game is not None and self.proved(Level.ENCODING):
            yield Statement(
                StatementSubject.ENCODING,
                self._encoding_text(game),
                (Level.ENCODING,),
                game=game.name,
                plies=game.plies,
            )
        if game is not None and self._half_proved is not None:
            yield Statement(
                StatementSubject.ENCODING,
                self._half_text(game, self._half_proved),
                (Level.ENCODING,),
                game=game.name,
                plies=game.plies,
            )
        yield from self._about_functions()
        if self.proved(Level.BOARDS):
            compared = self.by_level[Level.BOARDS].evidence.get("compared", _NAMED)
            yield Statement(
                StatementSubject.BOARDS, f"{compared} in each play of the strategy", (Level.BOARDS,)
            )
        for level, result in self.by_level.items():
            if level is Level.ASSERTIONS and isinstance(result.verdict, Proved):
                yield Statement(StatementSubject.ASSERTIONS, result.verdict.reason, (level,))
            if isinstance(result.verdict, Sampled):
                yield Statement(StatementSubject.SAMPLE, str(result.verdict), (level,))
            elif isinstance(result.verdict, Claimed):
                yield Statement(StatementSubject.CLAIM, result.verdict.reason, (level,))

    @property
    def _implying(self) -> tuple[bool, ...]:
        """The values of the formula of which the level *encoding* says who wins."""
        found = self.by_level[Level.ENCODING].evidence.get("implies", [True, False])
        assert isinstance(found, list), "a list of values"
        return tuple(value for value in (True, False) if value in found)

    def _encoding_text(self, game: TwoPlayerGame) -> str:
        if self._implying == (True, False):
            return f"the formula is true exactly when {game_text(game, Player.BLACK)}"
        (value,) = self._implying
        winner = Player.BLACK if value else Player.WHITE
        return f"if the formula is {str(value).lower()}, {game_text(game, winner)}"

    @property
    def _half_proved(self) -> bool | None:
        """The value of which the winner is proved to follow, where the level is refuted."""
        if not self.refuted(Level.ENCODING):
            return None
        found = self.by_level[Level.ENCODING].evidence.get("implies", [])
        assert isinstance(found, list), "a list of values"
        return found[0] if len(found) == 1 else None

    def _half_text(self, game: TwoPlayerGame, value: bool) -> str:
        text = f"if the formula is {str(value).lower()}, "
        if value:
            wins = game_text(game, Player.BLACK)
            return f"{text}{wins}: what differs can only cost wins"
        return f"{text}{game_text(game, Player.WHITE)}"

    def _about_functions(self) -> Iterator[Statement]:
        if self.proved(Level.DEPENDENCIES):
            text = self.by_level[Level.DEPENDENCIES].said
            yield Statement(StatementSubject.FUNCTIONS, text, (Level.DEPENDENCIES,))
        if self.proved(Level.FORMULA):
            text = "no choice of the opponent beats the functions, whatever they read"
            yield Statement(StatementSubject.FUNCTIONS, text, (Level.FORMULA,))

    # -- what cannot be ----------------------------------------------------------------------

    def contradictions(self) -> Iterator[Finding]:
        for kind, ways in (("formula", self.values), ("game", self.winners)):
            for number, (first, levels) in enumerate(ways):
                for other, others in ways[number + 1 :]:
                    if first is not other:
                        yield _contradiction(levels, others, f"opposite values of the {kind}")
                        return
        if self._lost_all_the_same:
            levels = self.winners[0][1]
            yield _contradiction(
                levels, (Level.RULES,), "a win in every play, and a play that is lost"
            )

    @property
    def _lost_all_the_same(self) -> bool:
        """True if a win is proved, and the rules level shows a play that is lost.

        What no play shows, a layout that cannot be or a reply that reads ahead, is no such play.
        """
        if not self.winners or not self.refuted(Level.RULES):
            return False
        kinds = {finding.kind for finding in self.by_level[Level.RULES].findings}
        return kinds <= {FindingKind.END_DIFFERS, FindingKind.ILLEGAL_REPLY}


def _each(ways: Iterable[tuple[Level, ...]]) -> tuple[Level, ...]:
    return tuple(dict.fromkeys(level for levels in ways for level in levels))


def _contradiction(first: Sequence[Level], second: Sequence[Level], what: str) -> Finding:
    names = [" and ".join(level.value for level in levels) for levels in (first, second)]
    text = (
        f"{names[0]} and {names[1]} contradict each other: they imply {what}; at least one of "
        "them is wrong, so that none is believed"
    )
    return Finding(FindingKind.LEVELS_DIFFER, 0, text)


# The report of a validation: what each level found, and the sentences that follow


_UNPROVED: Final = (StatementSubject.SAMPLE, StatementSubject.CLAIM)


@dataclass(frozen=True)
class ValidationReport:
    """A validation: what was checked, what follows, and who is to blame.

    ``conclusions`` are the sentences that the proved levels imply; ``blame`` is a sentence
    fragment that names model, encoding, solver's answer or certificate, empty when nothing is
    wrong; ``interrupted`` says that levels are missing.
    """

    subject: str
    results: tuple[LevelResult, ...]
    conclusions: Conclusions = field(default_factory=Conclusions)
    blame: str = ""
    interrupted: bool = False
    facts: Mapping[str, object] = field(default_factory=dict)

    def result(self, level: Level) -> LevelResult | None:
        """The result of one level, if it was run."""
        return next((r for r in self.results if r.level is level), None)

    @property
    def contradictions(self) -> tuple[Finding, ...]:
        """Findings about levels whose verdicts contradict each other."""
        return self.conclusions.contradictions

    def _has(self, kind: type) -> bool:
        return any(isinstance(result.verdict, kind) for result in self.results)

    @property
    def exit_code(self) -> Exit:
        """Refuted before undecided before fine; what was not proved at all is undecided."""
        if self.interrupted:
            return Exit.INTERRUPTED
        if self.contradictions or self._has(Refuted):
            return Exit.REFUTED
        if self._has(Undecided) or self._has(Claimed) or not self._has(Proved):
            return Exit.UNDECIDED
        return Exit.FINE

    @property
    def word(self) -> str:
        """The verdict of the whole in a word.

        ``valid``: something is proved about formula or game; ``proved``: only about the functions
        or the boards; ``claimed``: a solver says what was asked, unchecked; ``sampled``: plays
        were tried, nothing is proved.
        """
        if self.interrupted:
            return "interrupted"
        code = self.exit_code
        if code is Exit.REFUTED:
            return "refuted"
        if code is Exit.FINE:
            return "valid" if any(map(_weighty, self.conclusions.statements)) else "proved"
        if self._has(Undecided):
            return "undecided"
        return "claimed" if self._has(Claimed) else "sampled" if self._has(Sampled) else "undecided"

    @property
    def sentences(self) -> tuple[Statement, ...]:
        """The statements that no stronger one makes superfluous; of what is proved alone."""
        asserted = [
            s for s in self.conclusions.statements if s.about is StatementSubject.ASSERTIONS
        ]
        apart = (*_UNPROVED, StatementSubject.ASSERTIONS)
        said = [s for s in self.conclusions.statements if s.about not in apart]
        weighty = [s for s in said if _weighty(s)]
        if any(s.about is StatementSubject.GAME for s in weighty):
            weighty = [s for s in weighty if s.about is not StatementSubject.ENCODING]
        return (*(weighty or said), *asserted)

    @property
    def claim(self) -> str:
        """The proved sentences in words; empty if nothing is proved."""
        return "; ".join(statement.text for statement in self.sentences)

    @property
    def last_line(self) -> str:
        """One line that a person can quote; it says no more than the levels that passed."""
        return f"{one_line(self.subject, 4000)}: {'; '.join(self._parts())}"

    def _levels(self, kind: type) -> str:
        names = [r.level.value for r in self.results if isinstance(r.verdict, kind)]
        return ", ".join(names) or "nothing"

    def _parts(self) -> Iterator[str]:
        word, proved = self.word, self._levels(Proved)
        if word == "interrupted":
            yield f"interrupted; proved so far: {proved}"
        elif word == "refuted":
            blame = f": {self.blame}" if self.blame else ""
            levels = f" ({self._levels(Refuted)})" if self._has(Refuted) else ""
            yield f"refuted{levels}{blame}"
            if any(r.level is Level.ENCODING and r.findings for r in self.results):
                yield from (s.text for s in self.sentences if s.about is StatementSubject.ENCODING)
        elif word in ("valid", "proved"):
            yield f"{word}: {self.claim} ({proved})"
        elif word == "claimed":
            yield f"claimed ({self._levels(Claimed)}); proved: {proved}"
        elif self._has(Undecided):
            yield f"undecided ({self._levels(Undecided)}); proved: {proved}"
        elif not self._has(Sampled):
            yield "nothing could be checked"
        if word not in ("interrupted", "refuted"):
            statements = self.conclusions.statements
            yield from (s.text for s in statements if s.about in _UNPROVED)

    def to_dict(self) -> dict[str, object]:
        """Everything, for ``--json``."""
        from qsage_validate.formats.json_text import snake_key

        return {
            "subject": self.subject,
            "claim": self.claim,
            "verdict": self.word,
            "summary": self.last_line,
            "statements": [statement.to_dict() for statement in self.conclusions.statements],
            "contradictions": [finding.to_dict() for finding in self.contradictions],
            "blame": self.blame,
            "levels": [result.to_dict() for result in self.results],
            # The names of files below are not ours.
            "facts": {snake_key(name): fact for name, fact in self.facts.items()},
        }

    def __repr__(self) -> str:
        return f"<ValidationReport {self.last_line}>"


def _weighty(statement: Statement) -> bool:
    return statement.about in (
        StatementSubject.GAME,
        StatementSubject.FORMULA,
        StatementSubject.ENCODING,
    )


# The blame for a refutation: model, encoding, the solver's answer, or the certificate


def blame(
    results: Sequence[LevelResult], claims: Player | None, winner: Player | None, warnings: int
) -> str:
    """A sentence fragment that names what is wrong; empty when nothing is.

    ``claims`` is the player whose win the certificate claims, ``winner`` the player who wins
    by a search on the rules (``None``: not known), ``warnings`` how many things about the
    model itself are doubtful (Definition 9's conditions among them).

    The order of the questions is the design's: a formula that does not say what the rules say
    is at fault whatever a certificate does with it; a certificate that fails a right formula is
    wrong by itself, or because it claims what is not so.
    """
    verdicts = {result.level: result.verdict for result in results}

    def failed(*levels: Level) -> bool:
        """True if one of the levels found something else than a broken assertion."""
        found = (verdicts.get(level) for level in levels)
        findings = (f for own in found if isinstance(own, Refuted) for f in own.findings)
        return any(f.kind is not FindingKind.ASSERTION_BROKEN for f in findings)

    def passed(level: Level) -> bool:
        return isinstance(verdicts.get(level), Proved)

    doubts = " (the model itself is doubtful: see its warnings)" if warnings else ""
    if failed(Level.ENCODING):
        found = [f for r in results if r.level is Level.ENCODING for f in r.findings]
        if any(finding.kind is FindingKind.LAYOUT_DIFFERS for finding in found):
            return "the layout is wrong: it does not fit the formula or the game" + doubts
        (evidence,) = (r.evidence for r in results if r.level is Level.ENCODING)
        if "any reading" not in evidence:
            how = "the formula, read by its layout, is not this game's"
        elif evidence["any reading"]:
            how = "the formula has not this game's value, whatever its variables mean"
        else:
            how = "the formula, read by the layout that was found, is not this game's"
        return f"the encoding is wrong: {how}{doubts}"
    wrong_certificate = failed(Level.DEPENDENCIES, Level.FORMULA)
    if wrong_certificate and claims is not None and winner is claims.other:
        if passed(Level.ENCODING):
            return (
                f"the solver's answer is wrong: by the rules {winner} wins, "
                "and no certificate of the opposite can be right"
            )
        return (
            "the certificate is wrong: it does not prove the formula; by the rules "
            f"{winner} wins, so that none can if the formula is this game's"
        )
    if wrong_certificate:
        return "the certificate is wrong: it does not prove the formula"
    kinds = {finding.kind for result in results for finding in result.findings}
    if FindingKind.LAYOUT_DIFFERS in kinds:
        return "the layout is wrong: it does not say what the formula's variables are"
    if failed(Level.RANDOM, Level.EXHAUSTIVE, Level.RULES):
        if passed(Level.FORMULA) and not passed(Level.DEPENDENCIES):
            return (
                "the plays are not what was promised; run the dependencies level to tell whether "
                "the certificate proves the formula"
            )
        if passed(Level.FORMULA):
            return (
                "the encoding, its layout or the model is wrong: the certificate proves the "
                f"formula, and {'the rules' if failed(Level.RULES) else 'plays'} disagree with it"
                + doubts
            )
        return "the plays are not what was promised; run the formula level to tell why"
    if failed(Level.BOARDS):
        won = " although the strategy wins by the rules" if passed(Level.RULES) else ""
        return f"the formula's boards or its legality are not those of the rules{won}" + doubts
    if failed(Level.TRACE):
        return "the solver's trace is wrong: it proves nothing"
    if FindingKind.ASSERTION_BROKEN in kinds:
        return "what is asserted does not hold in every play"
    if warnings:
        return "nothing failed, but the model is doubtful: see its warnings"
    return ""


# Runs the levels of a validation, one after the other, and gathers a report


def validate(
    problem: Problem,
    options: ValidationOptions,
    *,
    tell: Tell = nobody,
    done: Callable[[LevelResult], None] | None = None,
) -> ValidationReport:
    """Run the levels of ``options`` on ``problem``, which ``to_validate`` has made.

    ``tell`` is called with each progress report, by the levels' names, ``done`` with each result.
    Ctrl-C ends with a report of what is known (``ValidationReport.interrupted``).
    """
    run = ValidationRun(problem, options, tell)
    results: list[LevelResult] = []
    interrupted = False
    try:
        for level in options.levels:
            result = run.result(level)
            if result is not None:
                results.append(result)
                if done is not None:
                    done(result)
        winner = run.winner(results)
    except LevelInterrupted as interruption:
        results.append(interruption.partial)
        interrupted, winner = True, None
    except KeyboardInterrupt:
        interrupted, winner = True, None
    hero = None if problem.certificate is None else problem.certificate.kind.player
    warnings = run.model_warnings()
    conclusions = conclude(results, hero, problem.claimed_game)
    return ValidationReport(
        subject=problem.files.name,
        results=tuple(results),
        conclusions=conclusions,
        blame=(
            conclusions.contradictions[0].detail
            if conclusions.contradictions
            else blame(results, hero, winner, len(warnings))
        ),
        interrupted=interrupted,
        facts={
            **problem.facts,
            "version": __version__,
            "winner by the rules": None if winner is None else winner.value,
            "model warnings": warnings,
        },
    )


def validate_apart(
    files: Files, options: ValidationOptions, *, tell: Tell, done: Callable[[LevelResult], None]
) -> ValidationReport:
    """Load and validate ``files`` in a process that keeps the limit of memory.

    When that is not enough, the levels that were not finished are undecided; the results of
    the others are kept, as after Ctrl-C.
    """
    from qsage_validate.system.pool import run_job

    results: list[LevelResult] = []

    def receive(sent: object) -> None:
        if isinstance(sent, LevelResult):
            results.append(sent)
            done(sent)
        elif isinstance(sent, Progress):
            tell(sent)

    interrupted = False
    try:
        outcome = run_job(_validate, files, options, limits=options.limits, receive=receive)
        if isinstance(outcome, ValidationReport):
            return outcome
        finished = {result.level for result in results}
        rest = [level for level in options.levels if level not in finished]
        results += [LevelResult(level, Undecided(outcome.why), 0.0) for level in rest]
    except KeyboardInterrupt:
        interrupted = True
    return ValidationReport(
        files.name,
        tuple(results),
        interrupted=interrupted,
        facts={"command": command_of(files, options.trace)},
    )


def _validate(send: Send, files: Files, options: ValidationOptions) -> ValidationReport:
    # The process itself has the limit of memory.
    with reads_within(options.limits.deadline, None):
        problem = load_to_validate(files, trace=options.trace)
    return validate(problem, options, tell=send, done=send)
