from __future__ import annotations

import base64
import hashlib
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest

from qsage_validate.arena.open import open_engine
from qsage_validate.errors import Undecided
from qsage_validate.games.languages import load_game
from qsage_validate.games.positional.harary import harary_model
from qsage_validate.games.protocol import Player
from qsage_validate.kernel.certificate import CircuitCertificate
from qsage_validate.play.match import PlayMatch
from qsage_validate.problems.load import BoardProblem, Files, load
from qsage_validate.problems.validated import facts_from_json, file_facts
from qsage_validate.proving.html_report import (
    Statistics,
    first_refuted_play,
    groups_of,
    html_report,
    statistics_of,
    steps_of_finding,
)
from qsage_validate.proving.levels import Level
from qsage_validate.proving.report import Conclusions, Statement, StatementSubject, ValidationReport
from qsage_validate.proving.run import LevelResult
from qsage_validate.render.svg import Bar, bar_chart
from qsage_validate.validation.finding import (
    Finding,
    FindingKind,
    Proved,
    Refuted,
    Unsupported,
    Verdict,
)
from qsage_validate.validation.proofs import prove_rules
from tests.support.certifying import certify_game
from tests.support.plays import with_flipped_fanin

VOID = {"meta", "br", "link", "img", "hr", "input"}


class Outline(HTMLParser):
    """Checks nesting, and gathers what tests ask for."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.tags: list[str] = []
        self.ids: list[str] = []
        self.headings: list[str] = []
        self.attributes: list[tuple[str, str]] = []
        self.texts: list[str] = []
        self.feed(page)
        self.close()
        assert not self.open, f"left open: {self.open}"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        if tag in ("td", "th", "li", "p"):
            self.texts.append(" ")
        self.attributes += [(name, value or "") for name, value in attrs]
        self.ids += [value or "" for name, value in attrs if name == "id"]
        if tag in ("h1", "h2", "h3"):
            self.headings.append("")
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop() == tag, f"</{tag}> closes another element"

    def handle_data(self, data: str) -> None:
        if self.open[-1:] == ["script"]:
            return
        if self.open and self.open[-1] in ("h1", "h2", "h3"):
            self.headings[-1] += data
        self.texts.append(data)

    @property
    def text(self) -> str:
        return " ".join("".join(self.texts).split())


def report_of(*verdicts: Verdict, **changes: object) -> ValidationReport:
    levels = zip(Level, verdicts, strict=False)
    results = tuple(LevelResult(lvl, v, 1.25, {"clauses": 32112}) for lvl, v in levels)
    report = ValidationReport("f.qcir with f.aig", results, SAID)
    return replace(report, **changes)  # type: ignore[arg-type]


SAID = Conclusions((Statement(StatementSubject.GAME, "Black wins within 5 plies", (Level.RULES,)),))

FINE = (
    Proved("every function reads to its left"),
    Proved("by SAT"),
    Undecided("1,000 plays were won"),
    Proved("all 195 plays"),
    Proved("by SAT, ply by ply"),
    Proved("by SAT, once more"),
    Unsupported("no goals"),
)


@pytest.fixture(scope="module")
def tic(repository: Path) -> BoardProblem:
    folder = repository / "certificates"
    return load(Files(str(folder / "tic.qcir"), str(folder / "tic.aig"))).on_board


@pytest.fixture(scope="module")
def numbers(tic: BoardProblem) -> Statistics:
    found = statistics_of(tic)
    return found


@pytest.fixture(scope="module")
def broken(tic: BoardProblem) -> tuple[BoardProblem, Refuted]:
    """The first damaged certificate that the rules refute by a play."""
    certificate, game = tic.certificate, tic.game
    assert isinstance(certificate, CircuitCertificate)
    assert tic.formula is not None
    assert tic.layout is not None
    for gate in range(certificate.aig.num_gates):
        damaged = with_flipped_fanin(certificate, gate)
        verdict = prove_rules(tic.formula, tic.layout, damaged, game).verdict  # type: ignore[arg-type]
        if isinstance(verdict, Refuted) and len(verdict.findings[0].moves) > 1:
            return replace(tic, certificate=damaged), verdict
    raise AssertionError("no damage matters")


# The page of the shipped sample: what it consists of, in order.


def test_the_page_of_the_sample(tic: BoardProblem, numbers: Statistics) -> None:
    page = html_report(report_of(*FINE), tic, numbers)
    outline = Outline(page)
    assert outline.headings == [
        "httt 4x4 tic: Skolem certificate for Black",
        "Levels of the validation",
        "Key positions",
        "Start and main line",
        "The same in one diagram",
        "The strategy in numbers",
        "How long plays last",
        "Most frequent replies",
        "Files and versions",
        "How to reproduce",
        "Reading the boards",
    ]
    # A board for the start and each of five plies, one diagram, one chart.
    assert outline.tags.count("svg") == 8
    assert outline.tags.count("figure") == 7
    assert "1. Black b2" in outline.text
    assert "Black wins: reached its goal" in outline.text
    for row in ("Positions in them, the start included 284", "5 plies of at most 5"):
        assert row in outline.text
    files = tic.files
    for path in (files.formula, files.certificate):
        assert path is not None
        digest = hashlib.sha256(Path(path).read_bytes()).hexdigest()
        assert outline.text.count(digest) == 2  # in the table, and for sha256sum
        assert f"{Path(path).stat().st_size:,}" in outline.text
    assert "qsage validate sample:tic.qcir --cert sample:tic.aig" in outline.text


def test_the_statistics_of_the_sample(numbers: Statistics) -> None:
    assert numbers.exact
    assert (numbers.plays, numbers.positions, numbers.early, numbers.lost) == (195, 284, 0, 0)
    assert (numbers.depth, numbers.bound) == (5, 5)
    assert sum(row.won for row in numbers.by_ply) == 195
    # One answer to the start, to each of 15 moves, and to each of 13 after that.
    assert numbers.answers == 1 + 15 + 195
    assert [row.positions for row in numbers.by_ply] == [1, 1, 15, 15, 126, 126]
    assert sum(times for _, times in numbers.replies) == numbers.answers
    data = numbers.to_dict()
    assert data["main_line"] == [step.move for step in numbers.main_line[1:]]


def test_nothing_comes_from_elsewhere(tic: BoardProblem, numbers: Statistics) -> None:
    page = html_report(report_of(*FINE), tic, numbers)
    outline = Outline(page)
    forbidden = {"link", "img", "iframe", "object", "embed", "base", "form", "image"}
    assert not forbidden & set(outline.tags)
    # One script, that of the steps, which the policy names by its hash.
    assert outline.tags.count("script") == 1
    (script,) = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'" in page
    names = {name for name, _ in outline.attributes}
    assert not names & {"src", "href", "xlink:href", "srcset", "action", "background"}
    assert not [name for name in names if name.startswith("on")]
    addresses = set(re.findall(r"[a-z]+://[^\s\"'<]+", page))
    assert addresses == {"http://www.w3.org/2000/svg"}
    assert "@import" not in page
    assert set(re.findall(r"url\(([^)]*)", page)) <= {
        f"#{identifier}" for identifier in outline.ids
    }


def test_ids_are_unique_and_drawings_well_formed(tic: BoardProblem, numbers: Statistics) -> None:
    page = html_report(report_of(*FINE), tic, numbers)
    outline = Outline(page)
    assert len(outline.ids) == len(set(outline.ids))
    for drawing in re.findall(r"<svg.*?</svg>", page, re.DOTALL):
        root = ElementTree.fromstring(drawing)
        labels = (root.get("aria-labelledby") or "").split()
        assert {e.get("id") for e in root.iter()} >= set(labels)
        assert len(labels) == 2
    for labelled in (v for name, v in outline.attributes if name == "aria-labelledby"):
        assert set(labelled.split()) <= set(outline.ids)


def test_each_level_is_told_with_its_word_and_time() -> None:
    outline = Outline(html_report(report_of(*FINE)))
    for level, verdict in zip(Level, FINE, strict=False):
        assert level.value in outline.text
        assert str(verdict).partition(": ")[2].lower() in outline.text.lower()
    for word in ("proved", "undecided", "not applicable"):
        assert f"{word} 1.25" in outline.text.replace("\xa0", " ")
    assert "clauses: 32,112" in outline.text
    assert "Not checked" not in outline.text


def test_levels_that_were_not_run_are_named() -> None:
    outline = Outline(html_report(report_of(*FINE[:2])))
    assert "Not checked: random plays, all plays, rules, boards, encoding." in outline.text
    outline = Outline(html_report(report_of(*FINE[:2], interrupted=True)))
    assert "(the validation was interrupted)" in outline.text
    assert "Verdict: interrupted" in outline.text


@pytest.mark.parametrize(
    ("verdicts", "word"),
    [
        (FINE[:2], "valid"),
        (FINE, "undecided"),
        ((Refuted((Finding(FindingKind.VERDICT_DIFFERS, 0, "x"),)),), "refuted"),
    ],
)
def test_verdict_and_last_line_are_quoted(verdicts: tuple[Verdict, ...], word: str) -> None:
    report = report_of(*verdicts, blame="the certificate" if word == "refuted" else "")
    outline = Outline(html_report(report))
    assert f"Verdict: {word}" in outline.text
    assert report.last_line in outline.text
    assert ("the certificate" in outline.text) is (word == "refuted")


def test_the_same_validation_gives_the_same_page(tic: BoardProblem, numbers: Statistics) -> None:
    report = report_of(*FINE)
    again = statistics_of(tic)
    assert html_report(report, tic, numbers) == html_report(report, tic, again)


HOSTILE = "</style></title><script>alert('1')</script><b a=\"x\">&amp;\x00\ud800\n"


def test_hostile_names_stay_text() -> None:
    finding = Finding(
        FindingKind.BOARD_DIFFERS, 1, HOSTILE, rule=HOSTILE, moves=(HOSTILE,), replay=HOSTILE
    )
    report = ValidationReport(
        HOSTILE,
        (
            LevelResult(Level.FORMULA, Proved(HOSTILE), 0.0, {HOSTILE: HOSTILE}),
            LevelResult(Level.RULES, Refuted((finding,)), 0.0, {"list": [HOSTILE, {"a": 1}]}),
        ),
        Conclusions((Statement(StatementSubject.GAME, HOSTILE, (Level.RULES,)),)),
        blame=HOSTILE,
        facts={
            HOSTILE: HOSTILE,
            "command": HOSTILE,
            "version": HOSTILE,
            "model warnings": [HOSTILE],
            "files": {HOSTILE: {"bytes": 1, "sha256": HOSTILE}},
        },
    )
    page = html_report(report)
    assert page.isprintable() or "\x00" not in page
    page.encode("utf-8")
    outline = Outline(page)
    assert outline.tags.count("script") == 1
    assert "b" not in outline.tags
    assert outline.tags.count("title") == 1
    assert "alert('1')" in outline.text


def test_the_refuted_play_is_shown_step_by_step(broken: tuple[BoardProblem, Refuted]) -> None:
    problem, verdict = broken
    report = report_of(*FINE[:4], verdict)
    played = first_refuted_play(report, problem)
    assert played is not None
    moves = played.finding.moves
    assert len(played.steps) > len(moves)
    assert [step.player for step in played.steps[1:4]] == [Player.BLACK, Player.WHITE, Player.BLACK]
    assert any(played.finding.text in step.remarks for step in played.steps)
    page = html_report(report, problem, statistics_of(problem))
    outline = Outline(page)
    # It stands before all else but the verdict, and begins at the step that is wrong.
    assert outline.headings[1:3] == ["The refuting play", "Levels of the validation"]
    assert outline.text.index("Verdict: refuted") < outline.text.index("The refuting play")
    assert page.count('<figure class="first">') == 1
    assert "Conclusion" not in outline.text  # Nobody said who is to blame.
    assert f"Play: {' '.join(moves)}" in outline.text


def test_findings_of_one_kind_stand_together() -> None:
    def lost(*moves: str) -> Finding:
        return Finding(FindingKind.END_DIFFERS, len(moves), "White wins", moves=moves)

    other = Finding(FindingKind.LEGALITY_DIFFERS, 1, "it is forbidden", rule="open(?x,?y)")
    long, short = lost("a(1,1)", "b(1,1)", "c(1,1)"), lost("d(1,1)")
    results = (
        LevelResult(Level.RANDOM, Refuted((long, other, short)), 0.0),
        LevelResult(Level.EXHAUSTIVE, Refuted((short,)), 0.0),
    )
    groups = groups_of((r, f) for r in results for f in r.findings)
    assert [g.kind for g in groups] == [FindingKind.END_DIFFERS, FindingKind.LEGALITY_DIFFERS]
    ends, legality = groups
    # What two levels found alike is told once, and the shortest play first.
    assert ends.findings == (short, long)
    assert ends.levels == ((Level.RANDOM.value, 2), (Level.EXHAUSTIVE.value, 1))
    assert legality.findings == (other,)
    text = Outline(html_report(ValidationReport("f", results, SAID))).text
    assert "random plays: 2, all plays: 1" in text
    assert "1 more like it" in text
    assert text.index("Play: d(1,1)") < text.index("Play: a(1,1) b(1,1) c(1,1)")
    assert "Rule: open(?x,?y)" in text


def test_many_findings_of_one_kind_are_cut_off() -> None:
    many = tuple(Finding(FindingKind.END_DIFFERS, 1, f"end {k}") for k in range(30))
    text = Outline(html_report(report_of(Refuted(many)))).text
    assert "29 more like it" in text
    assert "And 9 more, all of them in --json." in text
    assert "end 20" in text
    assert "end 21" not in text


def test_boards_of_the_formula_have_the_sides_of_the_rules(repository: Path) -> None:
    folder = repository / "certificates"
    problem = load(Files(str(folder / "hex.qcir"), str(folder / "hex.aig")))
    found = statistics_of(problem.on_board)
    boards = [step.board for step in found.main_line]
    assert {board.top for board in boards if board is not None} == {Player.BLACK}
    assert "Black connects top and bottom" in html_report(report_of(*FINE), problem, found)


def test_a_play_without_a_certificate_is_shown_by_the_rules(tic: BoardProblem) -> None:
    moves = ("occupy(1,1)", "occupy(2,1)", "occupy(1,1)")
    finding = Finding(FindingKind.END_DIFFERS, 3, "the formula accepts it", moves=moves)
    steps, source = steps_of_finding(finding, None, tic.game)
    assert "rules" in source
    assert [step.ply for step in steps] == [0, 1, 2, 3]
    assert "open" in steps[-1].remarks[0]
    # This certificate answers otherwise, so its own play is another one.
    assert steps_of_finding(finding, tic) == (steps, source)
    nothing, why = steps_of_finding(finding)
    assert nothing == ()
    assert "no layout" in why
    outline = Outline(html_report(report_of(Refuted((finding,)))))
    assert outline.tags.count("li") >= len(moves)


@pytest.mark.parametrize("mark", ["!", " !illegal"])
def test_marks_behind_moves_are_understood(tic: BoardProblem, mark: str) -> None:
    start = PlayMatch(open_engine(tic)).frames[1].move
    finding = Finding(
        FindingKind.VERDICT_DIFFERS, 2, "the verdict differs", moves=(str(start), f"{start}{mark}")
    )
    steps, source = steps_of_finding(finding, tic)
    assert "decoded from the formula" in source
    assert any("Let happen" in remark for remark in steps[2].remarks)


def test_who_moves_is_said_by_the_layout() -> None:
    """Black makes ply 1, White 2 and 3, Black 4 and 5."""
    turns = tuple(Player.BLACK if player == "B" else Player.WHITE for player in "BWWBB")
    model = replace(harary_model("domino", 3, 3, maker_breaker=True), turns=turns)
    made = certify_game(model, "cor-ladder")
    rules = load_game(made.encoding.model)
    problem = BoardProblem(
        Files(), made.encoding.qbf, made.certificate, made.encoding.layout, rules
    )
    found = statistics_of(problem)
    assert [row.player for row in found.by_ply] == [None, *turns][: len(found.by_ply)]
    for line in (found.main_line, found.deepest_line):
        assert [step.player for step in line] == [None, *turns][: len(line)]


def test_a_page_of_a_certificate_whose_functions_look_left_does_not_advise_to_look_right(
    tic: BoardProblem,
) -> None:
    """What is validated is loaded without that check, which is a level."""
    loaded = replace(tic, files=replace(tic.files, unchecked_dependencies=True))
    assert "--peeking" not in html_report(report_of(*FINE), loaded)
    wrong = Finding(FindingKind.VERDICT_DIFFERS, 2, "a lie")
    assert "--peeking" in html_report(report_of(Refuted((wrong,))), loaded)


def test_large_strategies_are_lower_bounds(tic: BoardProblem) -> None:
    part = statistics_of(tic, budget=20)
    assert part is not None
    assert not part.exact
    outline = Outline(html_report(report_of(*FINE), tic, part))
    assert "Counts are lower bounds" in outline.text
    assert f"≥ {part.plays}" in outline.text


def test_the_bare_game_has_a_page_without_boards(tmp_path: Path) -> None:
    formula = tmp_path / "f.qcir"
    formula.write_text("#QCIR-14\nexists(1)\nforall(2)\noutput(3)\n3 = or(1, 2)\n")
    certificate = tmp_path / "f.aag"
    certificate.write_text("aag 1 1 0 1 0\n2\n1\ni0 2\no0 1\n")
    problem = load(Files(str(formula), str(certificate)))
    finding = Finding(FindingKind.VERDICT_DIFFERS, 2, "a lie", moves=("1=1", "2=0"))
    outline = Outline(html_report(report_of(Refuted((finding,))), problem))
    assert "svg" not in outline.tags
    assert "1. Black 1=1" in outline.text


def test_files_as_they_were_read_are_told(tic: BoardProblem) -> None:
    facts = file_facts(tic.files)
    assert [Path(fact.path).name for fact in facts] == ["tic.qcir", "tic.aig"]
    told = {fact.path: fact.to_dict() for fact in facts}
    assert facts_from_json(told) == facts
    assert facts_from_json({"x": "digest", 3: {}}) == ()
    changed = {"old.qcir": {"bytes": 12, "sha256": "ab" * 32}}
    outline = Outline(html_report(report_of(*FINE, facts={"files": changed}), tic))
    assert "old.qcir" in outline.text
    assert facts[0].sha256 not in outline.text


def test_bars_are_as_high_as_their_numbers() -> None:
    root = ElementTree.fromstring(
        bar_chart(
            [Bar("1", 0), Bar("2", 50), Bar("3", 75, 25)], title="<t>", axis="&", identifier="c"
        )
    )
    bars = [e for e in root.iter() if e.tag.endswith("rect") and e.get("x")]
    heights = [float(e.get("height", "")) for e in bars]
    assert len(heights) == 3
    assert heights[1] == pytest.approx(1.5 * heights[0], abs=0.02)
    assert heights[2] == pytest.approx(0.5 * heights[0], abs=0.02)
    assert "3: 75 and 25 not as promised" in (root.findtext("{*}desc") or "")
    ElementTree.fromstring(bar_chart([], title="t", axis="a"))
