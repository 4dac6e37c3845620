"""Mutators of layouts: the comments that say what the variables of a formula mean."""

from __future__ import annotations

import re
from dataclasses import replace
from random import Random

from tests.support.liars.draft import Draft, mutator
from tests.support.liars.formula import Formula
from tests.support.liars.recipes import changed_game, model_lines, random_game


def _set(draft: Draft, lines: list[str]) -> Draft:
    return replace(draft, formula=draft.formula.with_layout(lines), harmless=False)


def _split(draft: Draft) -> tuple[list[str], list[str]]:
    """The lines of the layout: those that say something, and names of gates and the model."""
    lines = draft.formula.layout()
    rest = [x for x in lines if x.startswith(("gate ", "model "))]
    return [x for x in lines if not x.startswith(("gate ", "model "))], rest


def with_constant(formula: Formula, value: bool) -> tuple[Formula, int]:
    """The formula with a gate that has this value always, and its number (QCIR only)."""
    if formula.clauses is not None:
        return formula, formula.variables[0]
    new = formula.largest + 1
    gates = {**formula.gates, new: ("and" if value else "or", ())}
    return replace(formula, gates=gates), new


def _literal(draft: Draft, rng: Random) -> tuple[Draft, int]:
    """Some literal of the formula, or a constant."""
    formula = draft.formula
    if rng.random() < 0.25:
        formula, gate = with_constant(formula, rng.random() < 0.5)
        return replace(draft, formula=formula), gate
    return draft, rng.choice(formula.literals) * rng.choice((1, 1, -1))


_WORD = re.compile(r'"(?:[^"\\]|\\.)*"|\[|\]|[^\s\[\]]+')


def words(line: str) -> list[str]:
    """The words of a line; brackets stand alone, quoted texts are one."""
    return _WORD.findall(line)


def join(tokens: list[str]) -> str:
    """The line of some words."""
    return re.sub(r"\[ | \]", lambda m: m.group().strip(), " ".join(tokens))


def _moves(lines: list[str]) -> list[int]:
    return [k for k, x in enumerate(lines) if x.startswith("move ")]


@mutator("layout:drop", rare=True)
def drop(draft: Draft, rng: Random) -> Draft | None:
    """A line goes."""
    lines, rest = _split(draft)
    if not lines:
        return None
    del lines[rng.randrange(len(lines))]
    return _set(draft, [*lines, *rest])


@mutator("layout:double", rare=True)
def double(draft: Draft, rng: Random) -> Draft | None:
    """A line comes twice."""
    lines, rest = _split(draft)
    if not lines:
        return None
    lines.insert(rng.randint(0, len(lines)), rng.choice(lines))
    return _set(draft, [*lines, *rest])


@mutator("layout:swap-lines")
def swap_lines(draft: Draft, rng: Random) -> Draft | None:
    """Two lines of a kind change their content behind the first two words."""
    lines, rest = _split(draft)
    kind = rng.choice(("move ", "state ", "goal ", "indicators ", "list "))
    places = [k for k, x in enumerate(lines) if x.startswith(kind)]
    if len(places) < 2:
        return None
    a, b = rng.sample(places, 2)
    keep = 2 if rng.random() < 0.7 else 3 if kind == "move " else 2
    left, right = words(lines[a]), words(lines[b])
    lines[a] = join([*left[:keep], *right[keep:]])
    lines[b] = join([*right[:keep], *left[keep:]])
    return _set(draft, [*lines, *rest])


@mutator("layout:player", rare=True)
def player(draft: Draft, rng: Random) -> Draft | None:
    """One move belongs to the other player, or all of them to one."""
    lines, rest = _split(draft)
    places = _moves(lines)
    if not places:
        return None
    one = rng.choice(("black", "white"))
    chosen = places if rng.random() < 0.3 else [rng.choice(places)]
    for k in chosen:
        tokens = words(lines[k])
        if len(chosen) == 1:
            one = "white" if "black" in tokens[:3] else "black"
        lines[k] = join([one if t in ("black", "white") else t for t in tokens])
    return _set(draft, [*lines, *rest])


@mutator("layout:players", rare=True)
def players(draft: Draft, rng: Random) -> Draft | None:
    """All moves belong to the other player."""
    lines, rest = _split(draft)
    other = {"black": "white", "white": "black"}
    for k in _moves(lines):
        lines[k] = join([other.get(t, t) for t in words(lines[k])])
    return _set(draft, [*lines, *rest])


@mutator("layout:last-ply", rare=True)
def last_ply(draft: Draft, rng: Random) -> Draft | None:
    """The last move goes, or the first, with its state; or another one comes."""
    lines, rest = _split(draft)
    places = _moves(lines)
    if not places:
        return None
    way = rng.randrange(4)
    if way == 0:
        gone = {places[-1]}
        states = [k for k, x in enumerate(lines) if x.startswith("state ")]
        if states and rng.random() < 0.8:
            gone.add(states[-1])
        own = f"indicators {words(lines[places[-1]])[1]} "
        gone |= {k for k, x in enumerate(lines) if x.startswith(own)}
        lines = [x for k, x in enumerate(lines) if k not in gone]
        places = _moves(lines)
        if places and rng.random() < 0.7:
            lines[places[-1]] = re.sub(r" stop -?\d+", "", lines[places[-1]])
    elif way == 1:
        extra = words(lines[rng.choice(places)])
        extra[1] = str(len(places) + 1)
        lines.insert(places[-1] + 1, join(extra))
        states = [k for k, x in enumerate(lines) if x.startswith("state ")]
        if states and rng.random() < 0.8:
            last = words(lines[states[-1]])
            last[1] = str(int(last[1]) + 1) if last[1].isdigit() else last[1]
            lines.insert(states[-1] + 1, join(last))
    elif way == 2:
        # Renumbered, as if the first move had not been.
        del lines[places[0]]
        for ply, k in enumerate(_moves(lines), start=1):
            tokens = words(lines[k])
            tokens[1] = str(ply)
            lines[k] = join(tokens)
    else:
        tokens = words(lines[rng.choice(places)])
        tokens[1] = str(rng.randint(0, len(places) + 1))
        lines[rng.choice(places)] = join(tokens)
    return _set(draft, [*lines, *rest])


@mutator("layout:empty-ply", rare=True)
def empty_ply(draft: Draft, rng: Random) -> Draft | None:
    """A move has no bits any more, or those of another move."""
    lines, rest = _split(draft)
    places = _moves(lines)
    if not places:
        return None
    k = rng.choice(places)
    if rng.random() < 0.6:
        lines[k] = re.sub(r"(code|literals|x|y|action) \[[^\]]*\]", r"\1 []", lines[k])
    else:
        other = lines[rng.choice(places)]
        bits = re.findall(r"\[[^\]]*\]", other)
        found = iter(bits)
        lines[k] = re.sub(r"\[[^\]]*\]", lambda m: next(found, m.group()), lines[k])
    return _set(draft, [*lines, *rest])


@mutator("layout:number")
def number(draft: Draft, rng: Random) -> Draft | None:
    """A number somewhere becomes another literal, or is negated."""
    draft, literal = _literal(draft, rng)
    lines, rest = _split(draft)
    places = [k for k, x in enumerate(lines) if re.search(r"\d", x) and "list" not in x[:4]]
    if not places:
        return None
    k = rng.choice(places)
    tokens = words(lines[k])
    at = [j for j, t in enumerate(tokens) if re.fullmatch(r"-?\d+", t)]
    if not at:
        return None
    j = rng.choice(at)
    tokens[j] = str(-int(tokens[j])) if rng.random() < 0.2 else str(literal)
    lines[k] = join(tokens)
    return _set(draft, [*lines, *rest])


@mutator("layout:bits", rare=True)
def bits(draft: Draft, rng: Random) -> Draft | None:
    """A bit list is shorter, longer or turned round."""
    draft, literal = _literal(draft, rng)
    lines, rest = _split(draft)
    places = [k for k, x in enumerate(lines) if "[" in x]
    if not places:
        return None
    k = rng.choice(places)
    found = list(re.finditer(r"\[([^\]]*)\]", lines[k]))
    one = rng.choice(found)
    items = one[1].split()
    way = rng.randrange(4)
    if way == 0 and items:
        items.pop(rng.randrange(len(items)))
    elif way == 1:
        items.insert(rng.randint(0, len(items)), str(literal))
    elif way == 2:
        items.reverse()
    else:
        items = []
    lines[k] = f"{lines[k][: one.start()]}[{' '.join(items)}]{lines[k][one.end() :]}"
    return _set(draft, [*lines, *rest])


@mutator("layout:stop")
def stop(draft: Draft, rng: Random) -> Draft | None:
    """Stops: one goes, comes, or is another literal; or all are one constant."""
    draft, literal = _literal(draft, rng)
    lines, rest = _split(draft)
    places = _moves(lines)
    if not places:
        return None
    chosen = places if rng.random() < 0.3 else [rng.choice(places)]
    gone = rng.random() < 0.3
    for k in chosen:
        bare = re.sub(r" stop -?\d+", "", lines[k])
        lines[k] = bare if gone else f"{bare} stop {literal}"
    return _set(draft, [*lines, *rest])


@mutator("layout:indicators", rare=True)
def indicators(draft: Draft, rng: Random) -> Draft | None:
    """Indicators: a line goes, comes, or names one literal (that of a move, say)."""
    draft, literal = _literal(draft, rng)
    lines, rest = _split(draft)
    places = _moves(lines)
    if not places:
        return None
    old = [k for k, x in enumerate(lines) if x.startswith("indicators ")]
    way = rng.randrange(3)
    numbers = re.findall(r"-?\d+", lines[rng.choice(places)].split(None, 3)[-1])
    if numbers and rng.random() < 0.5:
        literal = int(rng.choice(numbers))
    if way == 0 and old:
        del lines[rng.choice(old)]
    elif way == 1 and old:
        for k in old if rng.random() < 0.5 else [rng.choice(old)]:
            ply = words(lines[k])[1]
            lines[k] = f"indicators {ply} preconditions [{literal}]"
    else:
        ply = words(lines[rng.choice(places)])[1]
        lines.append(f"indicators {ply} preconditions [{literal}]")
    return _set(draft, [*lines, *rest])


@mutator("layout:legal", rare=True)
def legal(draft: Draft, rng: Random) -> Draft | None:
    """Literals of legality: they go, or are all one literal."""
    draft, literal = _literal(draft, rng)
    lines, rest = _split(draft)
    places = [k for k in _moves(lines) if "list" in lines[k]]
    if not places:
        return None
    k = rng.choice(places)
    count = rng.randint(1, 5)
    bare = re.sub(r" legal \[[^\]]*\]", "", lines[k])
    if rng.random() < 0.7:
        stop = re.search(r" stop -?\d+", bare)
        tail = stop.group() if stop else ""
        bare = re.sub(r" stop -?\d+", "", bare) + f" legal [{literal}*{count}]{tail}"
    lines[k] = bare
    return _set(draft, [*lines, *rest])


@mutator("layout:verdict")
def verdict(draft: Draft, rng: Random) -> Draft | None:
    """The verdict is another literal."""
    draft, literal = _literal(draft, rng)
    lines, rest = _split(draft)
    lines = [x for x in lines if not x.startswith("verdict ")]
    return _set(draft, [*lines, f"verdict {literal}", *rest])


@mutator("layout:promises")
def promises(draft: Draft, rng: Random) -> Draft | None:
    """What the formula promises of itself: conclusive, illegal, one-sided, the code."""
    lines, rest = _split(draft)
    way = rng.randrange(4)
    if way == 0:
        had = [x for x in lines if x.startswith("conclusive ")]
        lines = [x for x in lines if not x.startswith("conclusive ")]
        if not had or rng.random() < 0.7:
            lines.append(f"conclusive {rng.choice(('true', 'false'))}")
    elif way == 1:
        lines = [x for x in lines if not x.startswith("illegal ")]
        word = rng.choice(("loses", "ignored", "replaced", ""))
        passes = " black-passes" if rng.random() < 0.4 else ""
        lines += [f"illegal {word}{passes}"] if word else []
    elif way == 2:
        at = [k for k, x in enumerate(lines) if x.startswith("atoms ")]
        if not at:
            return None
        k = at[0]
        on = lines[k].endswith(" one-sided")
        lines[k] = lines[k].removesuffix(" one-sided") + ("" if on else " one-sided")
    else:
        change = {"open-white": "occupied-white", "occupied-white": "open-white"}
        found = [k for k, x in enumerate(lines) if x.split()[-1:] and x.split()[-1] in change]
        if not found:
            return None
        k = found[0]
        last = lines[k].split()[-1]
        lines[k] = lines[k].removesuffix(last) + change[last]
    return _set(draft, [*lines, *rest])


@mutator("layout:list", rare=True)
def listed(draft: Draft, rng: Random) -> Draft | None:
    """A list loses an item, has two in the other order, or one twice."""
    lines, rest = _split(draft)
    places = [k for k, x in enumerate(lines) if x.startswith("list ")]
    if not places:
        return None
    k = rng.choice(places)
    tokens = words(lines[k])
    if len(tokens) < 4:
        return None
    a, b = rng.sample(range(2, len(tokens)), 2)
    way = rng.randrange(4)
    if way == 0:
        del tokens[a]
    elif way == 1:
        tokens[a], tokens[b] = tokens[b], tokens[a]
    elif way == 2:
        tokens[a] = tokens[b]
    else:
        tokens.append(rng.choice(("zz", tokens[a])))
    lines[k] = join(tokens)
    return _set(draft, [*lines, *rest])


@mutator("layout:coding", rare=True)
def coding(draft: Draft, rng: Random) -> Draft | None:
    """Code for literals, or the reverse; action names or the board in another way."""
    lines, rest = _split(draft)
    way = rng.randrange(3)
    if way == 0:
        places = [k for k in _moves(lines) if "list" in lines[k]]
        if not places:
            return None
        k = rng.choice(places)
        change = {"code": "literals", "literals": "code"}
        lines[k] = join([change.get(t, t) for t in words(lines[k])])
    else:
        head = "board " if way == 1 else "actions "
        places = [k for k, x in enumerate(lines) if x.startswith(head)]
        if not places:
            return None
        k = rng.choice(places)
        tokens = words(lines[k])
        if way == 1:
            at = rng.choice((1, 2))
            tokens[at] = str(max(1, int(tokens[at]) + rng.choice((-1, 1))))
        elif len(tokens) > 3 and rng.random() < 0.5:
            tokens[2], tokens[3] = tokens[3], tokens[2]
        elif rng.random() < 0.5:
            tokens.append("zz")
        else:
            tokens.pop()
        lines[k] = join(tokens)
    return _set(draft, [*lines, *rest])


@mutator("layout:state", rare=True)
def state(draft: Draft, rng: Random) -> Draft | None:
    """States: one goes, is empty, or says what another one says."""
    draft, literal = _literal(draft, rng)
    lines, rest = _split(draft)
    places = [k for k, x in enumerate(lines) if x.startswith("state ")]
    if not places:
        return None
    k = rng.choice(places)
    tokens = words(lines[k])
    way = rng.randrange(4)
    if way == 0:
        del lines[k]
    elif way == 1 and "[" in lines[k]:
        lines[k] = join([*tokens[:2], "[", "]"])
    elif way == 2:
        other = words(lines[rng.choice(places)])
        lines[k] = join([*tokens[:2], *other[2:]])
    elif "[" in lines[k]:
        lines = [re.sub(r"\[.*\]", "[]", x) if x.startswith("state ") else x for x in lines]
    else:
        lines[k] = f"{tokens[0]} {tokens[1]} {literal} {literal}"
    return _set(draft, [*lines, *rest])


@mutator("layout:goal")
def goal(draft: Draft, rng: Random) -> Draft | None:
    """A goal's claim goes, or is another one's."""
    lines, rest = _split(draft)
    places = [k for k, x in enumerate(lines) if x.startswith("goal ")]
    if not places:
        return None
    k = rng.choice(places)
    if rng.random() < 0.5:
        del lines[k]
    else:
        names = ("black-x", "black-y", "white-x", "white-y", "black-condition", "counterexample")
        tokens = words(lines[k])
        tokens[1] = rng.choice(names)
        lines[k] = join(tokens)
    return _set(draft, [*lines, *rest])


# --- Lies that fit together --------------------------------------------------------------------


def _bits_of(line: str) -> list[int]:
    """The variables of a move, from its bit lists (runs are not taken apart)."""
    own = re.sub(r" (legal \[[^\]]*\]|stop -?\d+)", "", line)
    inner = " ".join(re.findall(r"\[([^\]]*)\]", own))
    if re.search(r"[.*/]", inner):
        found: list[int] = []
        for word in inner.split():
            if match := re.fullmatch(r"(\d+)\.\.(\d+)(?:/(\d+))?", word):
                found += range(int(match[1]), int(match[2]) + 1, int(match[3] or 1))
            elif re.fullmatch(r"-?\d+", word):
                found.append(abs(int(word)))
        return found
    return [abs(int(word)) for word in inner.split()]


def _fresh(formula: Formula, beside: int) -> tuple[Formula, int]:
    """The formula with a new variable in the block of another one."""
    new = formula.largest + 1
    prefix = tuple(
        (kind, (*block, new) if beside in block else block) for kind, block in formula.prefix
    )
    size = new if formula.clauses is not None else formula.size
    return replace(formula, prefix=prefix, size=size), new


@mutator("layout:dummy")
def dummy(draft: Draft, rng: Random) -> Draft | None:
    """The variables of a move are new ones that the matrix does not have."""
    lines, rest = _split(draft)
    places = _moves(lines)
    universal = draft.formula.universal
    if not places:
        return None
    k = rng.choice(places)
    bits = [v for v in _bits_of(lines[k]) if v in universal]
    if not bits:
        return None
    chosen = bits if rng.random() < 0.6 else [rng.choice(bits)]
    formula = draft.formula
    named: dict[int, int] = {}
    for v in dict.fromkeys(chosen):
        formula, named[v] = _fresh(formula, v)
    draft = replace(draft, formula=formula)
    head, mark, tail = lines[k].partition(" legal ")
    signed = [int(w) for w in re.findall(r"(?<=[\[ ])-?\d+(?=[\] ])", head)]
    if any(re.search(r"\.\.|\*", part) for part in re.findall(r"\[([^\]]*)\]", head)):
        spelt = " ".join(str(named.get(v, v)) for v in bits)
        head = re.sub(r"\[[^\]]*\]", f"[{spelt}]", head, count=1)
    elif signed:
        head = re.sub(
            r"(?<=[\[ ])(-?)(\d+)(?=[\] ])",
            lambda m: m[1] + str(named.get(int(m[2]), int(m[2]))),
            head,
        )
    lines[k] = head + mark + tail
    return _set(draft, [*lines, *rest])


@mutator("layout:take-over")
def take_over(draft: Draft, rng: Random) -> Draft | None:
    """A move is the other player's, and its variables have the other quantifier."""
    lines, rest = _split(draft)
    places = _moves(lines)
    if not places:
        return None
    k = rng.choice(places)
    bits = set(_bits_of(lines[k])) & set(draft.formula.universal)
    other = {"black": "white", "white": "black"}
    tokens = words(lines[k])
    lines[k] = join([other.get(t, t) for t in tokens])
    prefix: list[tuple[bool, tuple[int, ...]]] = []
    for kind, block in draft.formula.prefix:
        stay = tuple(v for v in block if v not in bits)
        turn = tuple(v for v in block if v in bits)
        prefix += [(kind, stay)] if stay else []
        prefix += [(not kind, turn)] if turn else []
    draft = replace(draft, formula=replace(draft.formula, prefix=tuple(prefix)))
    return _set(draft, [*lines, *rest])


@mutator("layout:spare-ply")
def spare_ply(draft: Draft, rng: Random) -> Draft | None:
    """A ply more, of new variables, at the end of layout and prefix or anywhere in it."""
    lines, rest = _split(draft)
    places = _moves(lines)
    if not places:
        return None
    black = rng.random() < 0.5
    like = [k for k in places if f" {'black' if black else 'white'} " in lines[k]]
    if not like:
        return None
    k = rng.choice(like)
    size = len(dict.fromkeys(_bits_of(lines[k])))
    formula = draft.formula
    new = tuple(range(formula.largest + 1, formula.largest + 1 + size))
    prefix = list(formula.prefix)
    at = len(prefix) if rng.random() < 0.6 else rng.randint(0, len(prefix))
    prefix.insert(at, (not black, new))
    most = max(new, default=formula.size)
    formula = replace(
        formula, prefix=tuple(b for b in prefix if b[1]), size=max(formula.size, most)
    )
    fresh = iter(new)
    named = {v: next(fresh) for v in dict.fromkeys(_bits_of(lines[k]))}
    bare = re.sub(r" (legal \[[^\]]*\]|stop -?\d+)", "", lines[k])
    if re.search(r"\.\.|\*", " ".join(re.findall(r"\[([^\]]*)\]", bare))):
        bare = re.sub(r"\[[^\]]*\]", f"[{' '.join(map(str, new))}]", bare, count=1)
    else:
        bare = re.sub(
            r"(?<=[\[ ])(-?)(\d+)(?=[\] ])",
            lambda m: m[1] + str(named.get(int(m[2]), int(m[2]))),
            bare,
        )
    tokens = words(bare)
    tokens[1] = str(len(places) + 1)
    lines.insert(places[-1] + 1, join(tokens))
    states = [j for j, x in enumerate(lines) if x.startswith("state ")]
    if states:
        last = words(lines[states[-1]])
        last[1] = str(len(places) + 1)
        lines.insert(states[-1] + 1, join(last))
    return _set(replace(draft, formula=formula), [*lines, *rest])


@mutator("layout:hide-states")
def hide_states(draft: Draft, rng: Random) -> Draft | None:
    """The literals of the states are new variables, or constants."""
    lines, rest = _split(draft)
    places = [k for k, x in enumerate(lines) if x.startswith("state ")]
    if not places:
        return None
    formula = draft.formula
    last = formula.variables[-1]
    chosen = places if rng.random() < 0.5 else [rng.choice(places)]
    constant = formula.clauses is None and rng.random() < 0.5
    for k in chosen:
        pieces: list[str] = []
        for word in words(lines[k])[2:]:
            if re.fullmatch(r"-?[1-9]\d*", word):
                if constant:
                    formula, literal = with_constant(formula, rng.random() < 0.5)
                else:
                    formula, literal = _fresh(formula, last)
                word = str(literal)
            pieces.append(word)
        lines[k] = join([*words(lines[k])[:2], *pieces])
    return _set(replace(draft, formula=formula), [*lines, *rest])


@mutator("layout:strip")
def strip(draft: Draft, rng: Random) -> Draft | None:
    """Everything of a kind goes: states, indicators, legality, stops, goals, the verdict."""
    lines, rest = _split(draft)
    kind = rng.choice(("state", "indicators", "legal", "stop", "goal", "verdict", "symbolic"))
    if kind == "legal":
        lines = [re.sub(r" legal \[[^\]]*\]", "", x) for x in lines]
    elif kind == "stop":
        lines = [re.sub(r" stop -?\d+", "", x) for x in lines]
    elif kind in ("state", "symbolic") and any(x.startswith("symbolic x") for x in lines):
        lines = [x for x in lines if not x.startswith(("state ", "symbolic "))]
    elif kind == "state":
        lines = [
            f"{' '.join(x.split()[:2])} []" if x.startswith("state ") and "[" in x else x
            for x in lines
        ]
    else:
        lines = [x for x in lines if not x.startswith(kind + " ")]
    return _set(draft, [*lines, *rest])


# --- The model's lines ---------------------------------------------------------------------------


@mutator("lines:other-game")
def other_game(draft: Draft, rng: Random) -> Draft | None:
    """The model's lines are those of a game that differs a little."""
    if draft.subject is None:
        return None
    game = changed_game(draft.subject.game, rng)
    return _with_model(draft, model_lines(game))


@mutator("lines:any-game")
def any_game(draft: Draft, rng: Random) -> Draft | None:
    """The model's lines are those of any game of the kind."""
    if draft.subject is None:
        return None
    return _with_model(draft, model_lines(random_game(draft.subject.game.kind, rng)))


@mutator("lines:damage")
def damage(draft: Draft, rng: Random) -> Draft | None:
    """A line of the model goes, comes twice, or has another number."""
    lines = draft.formula.layout()
    own = [k for k, x in enumerate(lines) if x.startswith("model ")]
    if not own:
        return None
    k = rng.choice(own)
    way = rng.randrange(3)
    if way == 0:
        del lines[k]
    elif way == 1:
        lines.insert(rng.choice(own), lines[k])
    else:
        lines[k] = re.sub(r"\d+", lambda m: str(max(0, int(m[0]) + rng.choice((-1, 1)))), lines[k])
    return _set(draft, lines)


def _with_model(draft: Draft, model: list[str]) -> Draft:
    lines = [x for x in draft.formula.layout() if not x.startswith("model ")]
    return _set(draft, [*lines, *model])


@mutator("neutral:drop-gate-names")
def drop_gate_names(draft: Draft, rng: Random) -> Draft | None:
    """The names of gates go, which are for people."""
    lines = [x for x in draft.formula.layout() if not x.startswith("gate ")]
    return replace(draft, formula=draft.formula.with_layout(lines))


_LABELS = (
    "hex 4x4",
    "httt 3x3 tic",
    "g within 1 plies; the formula is false; Black does not win chess",
    '" within 2 plies; the formula is true; Black wins "chess',
    "the formula is true exactly when Black wins it",
)


@mutator("neutral:label")
def label(draft: Draft, rng: Random) -> Draft | None:
    """The game is called like another one, or like a sentence."""
    name = rng.choice(_LABELS)
    lines = [
        f"model name | {name}" if x.startswith("model name ") else x for x in draft.formula.layout()
    ]
    return replace(draft, formula=draft.formula.with_layout(lines))


@mutator("neutral:order")
def order(draft: Draft, rng: Random) -> Draft | None:
    """Lines stand in another order, where the order is free."""
    lines, rest = _split(draft)
    kept = (
        *("qsage-layout", "board ", "actions ", "list ", "move ", "indicators ", "goal "),
        *("state ", "atoms ", "symbolic "),
    )
    free = [x for x in lines if not x.startswith(kept)]
    fixed = [x for x in lines if x.startswith(kept)]
    rng.shuffle(free)
    return replace(draft, formula=draft.formula.with_layout([*fixed, *free, *rest]))


@mutator("neutral:spare-variable")
def spare_variable(draft: Draft, rng: Random) -> Draft | None:
    """The innermost block has an existential variable more, which nothing reads."""
    formula = draft.formula
    new = formula.largest + 1
    changed = replace(
        formula, prefix=(*formula.prefix, (False, (new,))), size=max(formula.size, new)
    )
    return replace(draft, formula=changed)
