"""Thousands of lies: planned by class and seed, told, judged, counted, shrunk."""

from __future__ import annotations

import json
import re
import shlex
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from pathlib import Path
from random import Random

from tests.support.liars import (
    asserted,
    bare,
    certificates,
    commands,
    layouts,
    metas,
    prefixes,
    texts,
    traces,
)
from tests.support.liars.bdd import TooLargeError
from tests.support.liars.draft import MUTATORS, Draft, names_of
from tests.support.liars.formula import UnreadableError, read_formula, truth
from tests.support.liars.law import BAD_INPUT, OUTCOMES, Case, Verdict, judge
from tests.support.liars.product import ask, folder, put
from tests.support.liars.recipes import Subject, own_game, random_subject, who
from tests.support.random_qbf import random_qcir, random_qdimacs

_MODULES = (asserted, bare, certificates, commands, layouts, metas, prefixes, texts, traces)

KINDS = ("bddl", "positional", "gdl")
LEVELS = ("dependencies", "formula", "random", "all", "rules", "boards", "encoding", "assertions")

Step = tuple[str, int]
"""A mutator and its seed."""

_SUBJECT_CASES = 20  # cases that share a subject
_OF_VARIABLES = ("prefix", "matrix", "layout", "neutral", "certificate", "clauses", "trace")
_TRIES = 6  # until formula and game differ
_ATTEMPTS = 4  # until a case is not refused as bad input; all of them count
TOO_LARGE = "too large"


@dataclass(frozen=True)
class Plan:
    """A case before it is made: whose subject, and which steps."""

    kind: str
    subject_seed: int
    steps: tuple[Step, ...]


@cache
def _help() -> str:
    with folder() as where:
        return ask(["validate", "--help"], where).out


@cache
def known_levels() -> frozenset[str]:
    """The levels that the product has."""
    listed = _help().partition("Only these levels:")[2].partition(".")[0]
    return frozenset(re.findall(r"[a-z]+", listed))


@lru_cache(maxsize=64)
def subject_of(kind: str, seed: int) -> Subject | None:
    """The subject of some cases; none for plain formulas."""
    if kind not in KINDS:
        return None
    return random_subject(kind, Random(f"subject {kind} {seed}"))


@lru_cache(maxsize=4)
def draft_of(plan: Plan) -> Draft:
    """The files of a plan; steps that cannot be applied are left out."""
    subject = subject_of(plan.kind, plan.subject_seed)
    if subject is None:
        rng = Random(f"formula {plan.kind} {plan.subject_seed}")
        text = _plain(plan.kind, rng)
        draft = Draft(None, read_formula(text))
    else:
        draft = Draft(subject, subject.formula)
    for name, seed in plan.steps:
        if not draft.formula.variables and name.split(":")[0] in _OF_VARIABLES:
            continue
        changed = MUTATORS[name](draft, Random(seed))
        draft = draft if changed is None else changed
    return draft


def _plain(kind: str, rng: Random) -> str:
    if kind == "qcir":
        return random_qcir(rng, most=7, named=False)
    return random_qdimacs(rng, most=7, odd=0.05)


def case_of(plan: Plan) -> Case:
    """The files and the command."""
    subject, draft = subject_of(plan.kind, plan.subject_seed), draft_of(plan)
    formula = "f.qdimacs" if draft.formula.clauses is not None else "f.qcir"
    files = {formula: draft.formula.text()}
    words = [formula]
    if draft.clauses is not None:
        files["c.cnf"] = draft.clauses
        words += ["--cert", "c.cnf"]
    elif draft.circuit is not None:
        files["c.aag"] = draft.circuit.text()
        words += ["--cert", "c.aag"]
    if draft.trace is not None:
        files["t.qrp"] = draft.trace
        words += ["--trace", "t.qrp"]
    if draft.meta is not None:
        files["f.meta"] = draft.meta
        words += ["--meta", "f.meta"]
    if draft.asserted is not None:
        files["a.txt"] = draft.asserted
        words += ["--assert", "a.txt"]
    if draft.given is not None:
        more, named, option = draft.given.files("other")
        files |= more
        words += [option, *named] if option == "--game" else [option, " ".join(named)]
    for level in draft.levels:
        words += ["--level", level]
    words += draft.options
    given = draft.given
    for which, way, seed in draft.edits:
        name = sorted(files)[seed % len(files)] if which == "any" else which
        if name in files:
            files[name] = texts.damaged(files[name], way, Random(seed))
            if name.startswith("other"):
                given = texts.reread(files, given)
    line: list[str] = []
    if draft.command != "validate":
        own = draft.given or (None if draft.subject is None else draft.subject.game)
        game = None
        if own is not None and texts.has_files(own):
            more, named, option = own.files("other")
            files |= more
            game = (named, option)
            given = own if draft.command.endswith("-game") else draft.given
        certificate = words[2] if "--cert" in words else None
        line = commands.words_of(draft.command, formula, certificate, game) or ["info", formula]
    # The level of a trace that no file has may be refused.
    harmless = draft.harmless and (draft.trace is not None or "trace" not in draft.levels)
    # A plain formula alone, for which no trace could be made, has nothing to validate.
    proofs = (draft.circuit, draft.clauses, draft.trace)
    harmless &= subject is not None or any(proof is not None for proof in proofs)
    return Case(
        files,
        tuple(words),
        given,
        harmless,
        tuple(name for name, _ in plan.steps),
        draft.command,
        tuple(line),
    )


# --- Plans ---------------------------------------------------------------------------------------


def _steps(rng: Random, kind: str, least: int, most: int) -> list[Step]:
    names = names_of(kind)
    return [(rng.choice(names), rng.getrandbits(32)) for _ in range(rng.randint(least, most))]


def _one(rng: Random, name: str) -> Step:
    return (name, rng.getrandbits(32))


def _honest(rng: Random) -> list[Step]:
    steps = _steps(rng, "neutral", 0, 2)
    steps.append(_one(rng, "make:certify"))
    steps += [_one(rng, "make:clauses")] if rng.random() < 0.15 else []
    return steps + ([_one(rng, "given:same")] if rng.random() < 0.4 else [])


def _untrue(rng: Random) -> list[Step]:
    """Steps behind which formula and game are likely to differ."""
    way = rng.random()
    if way < 0.35:
        return _steps(rng, "prefix", 1, 2)
    if way < 0.6:
        return _steps(rng, "matrix", 1, 2)
    if way < 0.85:
        return _steps(rng, "lines", 1, 1)
    return []


def _prefix(rng: Random) -> list[Step]:
    return [*_steps(rng, "prefix", 1, 3), _one(rng, "make:certify"), *_maybe_given(rng)]


def _matrix(rng: Random) -> list[Step]:
    return [*_steps(rng, "matrix", 1, 3), _one(rng, "make:certify"), *_maybe_given(rng)]


def _layout(rng: Random) -> list[Step]:
    return [
        *_untrue(rng),
        *_steps(rng, "layout", 1, 3),
        _one(rng, "make:certify"),
        *_maybe_given(rng, 0.4),
    ]


def _certificate(rng: Random) -> list[Step]:
    steps = _untrue(rng) if rng.random() < 0.4 else []
    steps.append(_one(rng, "make:random-functions" if rng.random() < 0.2 else "make:certify"))
    return [*steps, *_steps(rng, "certificate", 1, 3), *_maybe_given(rng, 0.2)]


def _clauses(rng: Random) -> list[Step]:
    steps = _untrue(rng) if rng.random() < 0.5 else []
    steps += [_one(rng, "make:certify"), _one(rng, "make:clauses")]
    return [*steps, *_steps(rng, "clauses", 0, 3), *_maybe_given(rng, 0.2)]


def _model(rng: Random) -> list[Step]:
    names = ["given:changed", "given:changed", "given:any", "lines:other-game", "lines:damage"]
    return [_one(rng, "make:certify"), _one(rng, rng.choice(names))]


def _encoding(rng: Random) -> list[Step]:
    """No certificate at all: the formula alone, changed."""
    classes = ["prefix", "matrix", "layout", "lines", "prefix", "matrix"]
    steps = [s for c in rng.sample(classes, rng.randint(1, 2)) for s in _steps(rng, c, 1, 2)]
    return [*steps, *_maybe_given(rng, 0.3)]


def _mixed(rng: Random) -> list[Step]:
    steps = [*_untrue(rng), *_untrue(rng), _one(rng, "make:certify")]
    for kind in rng.sample(("layout", "certificate", "lines", "prefix", "matrix"), 2):
        steps += _steps(rng, kind, 1, 2)
    return [*steps, *_maybe_given(rng, 0.4)]


def _text(rng: Random) -> list[Step]:
    steps = [_one(rng, "make:certify")]
    steps += [_one(rng, "make:clauses")] if rng.random() < 0.2 else []
    return [*steps, *_maybe_given(rng, 0.4), *_steps(rng, "text", 1, 2)]


def _trace(rng: Random) -> list[Step]:
    steps = _steps(rng, "prefix", 0, 1)
    steps.append(_one(rng, "make:trace"))
    steps += _steps(rng, "trace", 0, 2)
    if rng.random() < 0.15:
        return [*steps, *_steps(rng, "prefix", 1, 1)]
    return [*steps, _one(rng, "make:certify")] if rng.random() < 0.3 else steps


def _meta(rng: Random) -> list[Step]:
    steps = [_one(rng, "make:meta")]
    steps += _steps(rng, "meta", 0, 2)
    steps += _steps(rng, rng.choice(("prefix", "matrix")), 0, 2)
    steps.append(_one(rng, "make:certify"))
    return [*steps, _one(rng, "given:changed")] if rng.random() < 0.3 else steps


def _commands(rng: Random) -> list[Step]:
    name = rng.choices(commands.COMMANDS, weights=(1, 3, 1, 1, 2, 5, 4))[0]
    steps: list[Step] = []
    if name.endswith("-game"):
        steps += [_one(rng, "given:changed")] if rng.random() < 0.7 else []
    elif rng.random() < 0.8:
        steps += _untrue(rng)
    steps.append(_one(rng, "make:certify"))
    steps += _steps(rng, "certificate", 0, 1) if rng.random() < 0.3 else []
    return [*steps, (f"command:{name}", 0)]


def _assertions(rng: Random) -> list[Step]:
    steps = [*_untrue(rng), _one(rng, "make:certify")]
    way = rng.random()
    if way < 0.3:
        steps += _steps(rng, "certificate", 1, 2)
    elif way < 0.5:
        steps += _steps(rng, "layout", 1, 2)
    elif way < 0.6:
        steps.append(_one(rng, "make:clauses"))
    steps += [*_maybe_given(rng), _one(rng, "assert:any")]
    return [*steps, _one(rng, "assert:damage")] if rng.random() < 0.1 else steps


def _stranger(rng: Random) -> list[Step]:
    """A formula without a layout, right or changed, in a form of somebody else's."""
    steps: list[Step] = []
    if rng.random() < 0.4:
        steps += _untrue(rng)
    steps.append(_one(rng, "bare:strip"))
    forms = ("merge", "forced", "dummy", "clausify", "shuffle", "rename")
    steps += [_one(rng, f"bare:{form}") for form in forms if rng.random() < 0.35]
    steps += [_one(rng, "neutral:shuffle-block")] if rng.random() < 0.3 else []
    steps += [_one(rng, "neutral:split-block")] if rng.random() < 0.3 else []
    if rng.random() < 0.4:
        steps.append(_one(rng, "make:certify"))
    return [*steps, _one(rng, "given:changed")] if rng.random() < 0.1 else steps


def _plain_formula(rng: Random) -> list[Step]:
    way = rng.random()
    if way < 0.2:
        return [_one(rng, "make:random-functions"), *_steps(rng, "certificate", 0, 1)]
    steps = [_one(rng, "make:certify")]
    if way < 0.5:
        steps += [_one(rng, "make:clauses"), *_steps(rng, "clauses", 0, 2)]
    elif way < 0.8:
        steps += _steps(rng, "certificate", 1, 2)
    else:
        steps += _steps(rng, "prefix", 1, 2)
    return steps


def _maybe_given(rng: Random, often: float = 0.3) -> list[Step]:
    if rng.random() >= often:
        return []
    return [_one(rng, rng.choice(("given:same", "given:same", "given:changed")))]


@dataclass(frozen=True)
class Class:
    """A class of cases: how they are planned, on which subjects.

    ``untrue`` prefers cases in which formula and game differ, where a lie is possible;
    ``bad_input`` says that cases which are refused as malformed are as good as others.
    """

    plan: Callable[[Random], list[Step]]
    kinds: tuple[str, ...] = KINDS
    untrue: bool = True
    levels: tuple[str, ...] = LEVELS
    bad_input: bool = False


CLASSES: dict[str, Class] = {
    "honest": Class(_honest, untrue=False),
    "prefix": Class(_prefix),
    "matrix": Class(_matrix),
    "layout": Class(_layout),
    "certificate": Class(_certificate),
    "clauses": Class(_clauses),
    "model": Class(_model),
    "encoding": Class(_encoding, levels=("encoding",)),
    "mixed": Class(_mixed),
    "stranger": Class(_stranger, untrue=False, levels=("encoding", "rules", "all", "formula")),
    "text": Class(_text, untrue=False, bad_input=True),
    "trace": Class(_trace, kinds=("qdimacs",), untrue=False, levels=("trace",)),
    "meta": Class(_meta, kinds=("bddl",)),
    "commands": Class(_commands, bad_input=True),
    "assertions": Class(_assertions, kinds=(*KINDS, "qcir", "qdimacs")),
    "formula": Class(
        _plain_formula,
        kinds=("qcir", "qdimacs"),
        untrue=False,
        levels=("dependencies", "formula", "random", "all", "rules"),
    ),
}


def _asked(rng: Random, levels: Sequence[str], planned: Sequence[Step]) -> list[Step]:
    """What is asked: everything, one level, or some."""
    steps: list[Step] = []
    levels = [level for level in levels if level in known_levels()]
    if not any(step[0] == "assert:any" for step in planned):
        levels = [level for level in levels if level != "assertions"]
    if not any(step[0].startswith("make:") for step in planned):
        levels = ["encoding"]  # the others are about a certificate
    if rng.random() < 0.55:
        if rng.random() < 0.5:
            chosen = [rng.choice(levels)]
        else:
            chosen = rng.sample(levels, rng.randint(1, len(levels)))
        steps += [(f"ask:{level}", 0) for level in chosen]
    steps.append(_one(rng, "ask:options"))
    if rng.random() < 0.02:
        steps.append(_one(rng, "ask:dialect"))
    if rng.random() < 0.1 and "--trust" in _help():
        steps.append(_one(rng, "ask:minimal"))
    if rng.random() < 0.03 and "--proof" in _help():
        steps.append(_one(rng, "ask:proof"))
    return steps


def plan_of(name: str, seed: int, attempt: int = 0) -> Plan:
    """The case of a class and seed; there are some more, for where the first is refused."""
    kind_of = CLASSES[name]
    rng = Random(f"{name} {seed} {attempt}")
    kind = kind_of.kinds[(seed // _SUBJECT_CASES) % len(kind_of.kinds)]
    number = seed // (_SUBJECT_CASES * len(kind_of.kinds))
    subject_seed = number if kind in KINDS else seed
    want = kind_of.untrue and rng.random() < 0.8
    for trial in range(_TRIES):
        planned = kind_of.plan(rng)
        steps = [*planned, *_asked(rng, kind_of.levels, planned)]
        plan = Plan(kind, subject_seed, tuple(steps))
        if not want or trial == _TRIES - 1:
            return plan
        try:
            if _differs(plan):
                return plan
        except (TooLargeError, UnreadableError):
            continue
    return plan


def _differs(plan: Plan) -> bool:
    """Whether the formula's value and the game's winner differ."""
    draft = draft_of(plan)
    game = draft.given or own_game(draft.formula)
    if game is None:
        return False
    if draft.circuit is not None:
        return draft.circuit.skolem is not who(game)
    return truth(draft.formula) is not who(game)


# --- Running -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Slip:
    """A case that broke the law."""

    name: str
    seed: int
    attempt: int
    broken: tuple[str, ...]
    steps: tuple[str, ...]


@dataclass
class Counts:
    """What came of the cases of a class."""

    outcomes: Counter[str] = field(default_factory=Counter)
    untrue: int = 0
    slips: list[Slip] = field(default_factory=list)

    def add(self, other: Counts) -> None:
        """Count what others have counted."""
        self.outcomes += other.outcomes
        self.untrue += other.untrue
        self.slips += other.slips


def told(case: Case) -> Verdict:
    """Tell the lie, and judge the answer."""
    with folder() as where:
        put(where, case.files)
        answer = ask(case.asked, where)
    return judge(case, answer)


def run(name: str, seeds: Iterable[int]) -> Counts:
    """The cases of a class."""
    counts = Counts()
    for seed in seeds:
        for attempt in range(_ATTEMPTS):
            outcome = _run_one(counts, name, seed, attempt)
            if outcome != BAD_INPUT or CLASSES[name].bad_input:
                break
    return counts


def _run_one(counts: Counts, name: str, seed: int, attempt: int) -> str:
    try:
        case = case_of(plan_of(name, seed, attempt))
    except TooLargeError:
        counts.outcomes[TOO_LARGE] += 1
        return TOO_LARGE
    verdict = told(case)
    counts.outcomes[verdict.outcome] += 1
    facts = case.facts
    if None not in (facts.truth, facts.black) and facts.truth is not facts.black:
        counts.untrue += 1
    if verdict.broken:
        counts.slips.append(Slip(name, seed, attempt, verdict.broken, case.notes))
    return verdict.outcome


def shrunk(plan: Plan, verdict: Verdict) -> Plan:
    """The plan without the steps that do not matter: it still breaks a law that it broke."""
    kinds = {_sort(text) for text in verdict.broken}
    at = 0
    while at < len(plan.steps):
        fewer = replace(plan, steps=plan.steps[:at] + plan.steps[at + 1 :])
        try:
            broken = told(case_of(fewer)).broken
        except (TooLargeError, UnreadableError, ValueError):
            broken = ()
        if kinds & {_sort(text) for text in broken}:
            plan = fewer
        else:
            at += 1
    return plan


def _sort(text: str) -> str:
    """The kind of a broken law."""
    return " ".join(text.split()[:3])


def keep(where: Path, name: str, seed: int, attempt: int = 0) -> Path:
    """Write a case that breaks the law into a folder of its own, shrunk."""
    plan = plan_of(name, seed, attempt)
    plan = shrunk(plan, told(case_of(plan)))
    case = case_of(plan)
    verdict = told(case)
    target = where / f"{name}-{seed}-{attempt}"
    target.mkdir(parents=True, exist_ok=True)
    put(target, case.files)
    facts = case.facts
    note = [
        f"qsage {shlex.join(case.asked)}",
        *(f"broken: {text}" for text in verdict.broken),
        f"steps: {', '.join(n for n, _ in plan.steps)}",
        f"subject: {plan.kind} {plan.subject_seed}",
        f"by brute force: the formula is {facts.truth}, Black wins: {facts.black}",
    ]
    (target / "note.txt").write_text("\n".join(note) + "\n", encoding="utf-8")
    return target


def table(counts: dict[str, Counts]) -> str:
    """The counts as a table in Markdown."""
    head = ["class", "cases", "formula and game differ", *OUTCOMES, "slipped"]
    rows = [head, ["---", *["--:"] * (len(head) - 1)]]
    total = Counts()
    for name, own in counts.items():
        rows.append(_row(name, own))
        total.add(own)
    rows.append(_row("all", total))
    return "\n".join(f"| {' | '.join(row)} |" for row in rows) + "\n"


def _row(name: str, counts: Counts) -> list[str]:
    numbers = [sum(counts.outcomes.values()), counts.untrue]
    numbers += [counts.outcomes[o] for o in OUTCOMES]
    return [name, *(f"{n:,}" for n in numbers), str(len(counts.slips))]


def as_json(counts: Counts) -> str:
    """The counts as a line of a checkpoint."""
    return json.dumps(
        {
            "outcomes": counts.outcomes,
            "untrue": counts.untrue,
            "slips": [[s.name, s.seed, s.attempt, s.broken, s.steps] for s in counts.slips],
        }
    )


def from_json(line: str) -> Counts:
    """The counts of a line of a checkpoint."""
    found = json.loads(line)
    slips = [Slip(n, s, a, tuple(b), tuple(x)) for n, s, a, b, x in found["slips"]]
    return Counts(Counter(found["outcomes"]), found["untrue"], slips)
