"""The program ``qsage-verified``: what it proves, what it refuses, and what it says.

The tests are skipped where it is not built (``python3 dev.py verified``), those of proofs where
there is no Coq.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from qsage_validate.errors import Exit, UsageError
from qsage_validate.formats.qcir import parse_nested, parse_qcir
from qsage_validate.formats.writing import qcir_text
from qsage_validate.games.bddl.rules import BddlGame
from qsage_validate.games.positional.rules import PositionalGame
from qsage_validate.problems.load import Files
from qsage_validate.problems.validated import load_to_validate
from qsage_validate.proving import theorems
from qsage_validate.proving.bundle import read_manifest
from qsage_validate.proving.theorems import find_program, verified_theorems, write_theorem
from qsage_validate.proving.verified_games import rules_in_coq, unroll
from research.benchmarks import verified_fuzz
from tests.support.commands import run_qsage

pytestmark = pytest.mark.slow

PROGRAM = find_program()
COQ_OF_THE_EXTRACTION = "8.16"
SAMPLES = ("tic", "hex", "evader", "domineering", "connect3", "breakthrough")
QCIR = "#QCIR-G14\nexists(e)\nforall(u)\nexists(x)\noutput(g)\ng = xor(u, x)\n"
AIGER = "aag 1 1 0 2 0\n2\n0\n3\ni0 u\no0 e\no1 x\n"

needs_program = pytest.mark.skipif(
    PROGRAM is None, reason="qsage-verified is not built: python3 dev.py verified"
)
needs_coq = pytest.mark.skipif(shutil.which("coqc") is None, reason="coqc is not installed")


def ask(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    assert PROGRAM is not None
    return subprocess.run(
        [PROGRAM, *map(str, arguments)], capture_output=True, text=True, check=False
    )


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """A formula, a certificate, and the proof of their clauses."""
    (tmp_path / "f.qcir").write_text(QCIR)
    (tmp_path / "c.aag").write_text(AIGER)
    cnf = tmp_path / "c.cnf"
    assert ask(tmp_path / "f.qcir", tmp_path / "c.aag", "--cnf", cnf).returncode == 0
    runner = verified_fuzz.Runner(str(tmp_path), str(PROGRAM))
    assert runner.proved([str(tmp_path / "f.qcir")], str(tmp_path / "c.aag"), [])
    return tmp_path


# -- Verdicts --------------------------------------------------------------------------------


@needs_program
@pytest.mark.parametrize("seed", [11, 12])
def test_random_formulas_and_games_agree_with_brute_force(
    seed: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.argv", ["verified_fuzz.py", "--cases", "90", "--seed", str(seed)])
    assert verified_fuzz.main() == 0
    assert "no disagreement" in capsys.readouterr().out
    kinds = {(key[0], key[2]) for key in verified_fuzz.STATISTICS}
    for kind in ("qcir", "qdimacs", "dqdimacs", "nested", "game bddl", "game positional"):
        assert (kind, "proved") in kinds
        assert (kind, "loses") in kinds


@needs_program
def test_a_fuzz_finds_a_checker_that_proves_everything(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    liar = tmp_path / "liar"
    liar.write_text(
        f'#!/bin/sh\ncase "$*" in *--cnf*) exec {PROGRAM} "$@";; esac\necho PROVED: anything\n'
    )
    liar.chmod(0o755)
    monkeypatch.setattr(verified_fuzz, "find_program", lambda: str(liar))
    monkeypatch.setattr("sys.argv", ["verified_fuzz.py", "--cases", "40"])
    assert verified_fuzz.main() == 1
    assert "case " in capsys.readouterr().out


@needs_program
@pytest.mark.parametrize("name", SAMPLES)
def test_the_unrolling_is_that_of_coq_gate_by_gate(
    repository: Path, tmp_path: Path, name: str
) -> None:
    folder = repository / "certificates"
    problem = load_to_validate(Files(str(folder / f"{name}.qcir"), None))
    assert isinstance(problem.game, BddlGame)
    same_unrolling(problem.game, tmp_path)


@needs_program
def test_the_unrolling_of_positional_games_is_that_of_coq(tmp_path: Path) -> None:
    from random import Random

    for seed in range(30):
        same_unrolling(PositionalGame(verified_fuzz.random_positional(Random(seed))), tmp_path)


def same_unrolling(game: BddlGame | PositionalGame, folder: Path) -> None:
    rules = rules_in_coq(game)
    assert not isinstance(rules, str)
    for name, text in rules.files.items():
        (folder / name).write_text(text)
    target = folder / "u.qcir"
    done = ask(*(folder / name for name in rules.files), "--qcir", target)
    assert done.returncode == 0, done.stderr
    theirs, ours = parse_qcir(target.read_text()), unroll(rules).formula
    assert theirs.merged_scopes() == ours.merged_scopes()
    assert theirs.gates == ours.gates
    assert theirs.output == ours.output


# -- Quantifier gates ------------------------------------------------------------------------

NESTED = """#QCIR-G14
exists(a)
output(o)
p = or(u, x, a)
q = exists(x; p)
r = forall(u; q)
s = or(y, a)
t = exists(y; s)
z = xor(r, t)
o = or(z, r)
"""


@pytest.fixture
def nested(tmp_path: Path) -> Path:
    """A bundle of a true formula with quantifier gates, two of which are used in both ways."""
    formula, certificate = tmp_path / "n.qcir", tmp_path / "n.aag"
    formula.write_text(NESTED)
    assert run_qsage(["certify", str(formula), "-o", str(certificate)]) == 0
    levels = ("--level", "dependencies", "--level", "formula", "--proof", str(tmp_path / "b"))
    assert run_qsage(["validate", str(formula), str(certificate), *levels]) == 0
    return tmp_path / "b"


@needs_program
def test_a_formula_with_quantifier_gates_is_verified_as_it_stands(nested: Path) -> None:
    (about_formula,) = verified_theorems(read_manifest(str(nested)))
    assert (about_formula.sentence, about_formula.proved) == ("n.qcir is true", True)


@needs_program
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("r = forall(u; q)", "r = exists(u; q)"),
        ("q = exists(x; p)", "q = forall(x; p)"),
        ("q = exists(x; p)", "q = exists(x; -p)"),
        ("q = exists(x; p)", "q = exists(y; p)"),
        ("t = exists(y; s)", "t = exists(x; s)"),
        ("o = or(z, r)", "o = and(z, r)"),
        ("output(o)", "output(-o)"),
        ("exists(a)", "forall(a)"),
    ],
)
def test_a_prenex_form_of_another_formula_proves_nothing(
    nested: Path, tmp_path: Path, old: str, new: str
) -> None:
    text = (tmp_path / "n.qcir").read_text()
    form = parse_qcir(text)
    made = parse_nested(text)
    assert made is not None
    (tmp_path / "p.qcir").write_text(qcir_text(form))
    (tmp_path / "p.uses").write_text(theorems.uses_text(made, form))
    rest = ("--prenex", tmp_path / "p.qcir", tmp_path / "p.uses", tmp_path / "n.aag")
    proof = nested / "formula.lrat"
    assert ask(tmp_path / "n.qcir", *rest, proof).stdout.startswith("PROVED: ")
    assert text.count(old) == 1
    (tmp_path / "n.qcir").write_text(text.replace(old, new))
    done = ask(tmp_path / "n.qcir", *rest, proof)
    assert (done.returncode, done.stdout) == (1, "NOT PROVED\n"), done.stderr


@needs_program
@pytest.mark.parametrize("text", ["use a\n", "root x\n", "free zz\n", "use p 1 p ; ; ; \n", "?"])
def test_malformed_uses_are_one_line(nested: Path, tmp_path: Path, text: str) -> None:
    (tmp_path / "p.qcir").write_text(qcir_text(parse_qcir(NESTED)))
    (tmp_path / "p.uses").write_text(text)
    done = ask(
        tmp_path / "n.qcir", "--prenex", tmp_path / "p.qcir", tmp_path / "p.uses",
        tmp_path / "n.aag", nested / "formula.lrat",
    )  # fmt: skip
    assert done.returncode == Exit.BAD_INPUT
    (line,) = done.stderr.splitlines()
    assert "p.uses: found" in line


# -- Liars -----------------------------------------------------------------------------------


@needs_program
def test_a_function_that_looks_to_its_right_is_not_proved(small: Path) -> None:
    formula = (small / "f.qcir").read_text().replace("forall(u)\nexists(x)", "exists(x)\nforall(u)")
    (small / "f.qcir").write_text(formula)
    done = ask(small / "f.qcir", small / "c.aag", small / "p.lrat")
    assert (done.returncode, done.stdout) == (1, "NOT PROVED\n")


@needs_program
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("exists(x)", "exists(e)"),  # a variable twice
        ("g = xor", "u = xor"),  # a gate with a variable's name
        ("output(g)", "output(-g)"),
        ("xor(u, x)", "xor(u, e)"),
        ("xor(u, x)", "and(u, x)"),
        ("output(g)", "output(h)"),
        ("g = xor(u, x)", "g = xor(h, x)\nh = or(u)"),  # before it is defined
    ],
)
def test_another_formula_is_not_proved_by_the_proof(small: Path, old: str, new: str) -> None:
    (small / "f.qcir").write_text(QCIR.replace(old, new))
    assert ask(small / "f.qcir", small / "c.aag", small / "p.lrat").returncode in (1, 2)


@needs_program
@pytest.mark.parametrize("keep", [0.0, 0.3, 0.7])
def test_a_proof_that_is_cut_is_refused(small: Path, keep: float) -> None:
    proof = (small / "p.lrat").read_text()
    (small / "p.lrat").write_text(proof[: int(len(proof) * keep)])
    done = ask(small / "f.qcir", small / "c.aag", small / "p.lrat")
    assert done.returncode in (1, 2)
    assert len((done.stdout + done.stderr).splitlines()) == 1


@needs_program
def test_hints_to_later_or_missing_clauses_prove_nothing(small: Path) -> None:
    for steps in (
        "9 0 9 0\n",
        "9 0 10 0\n10 0 9 0\n",
        "9 0 99999 0\n",
        "9 0 1 -2 0\n",
        "9 d 1 0\n",
    ):
        (small / "p.lrat").write_text(steps)
        assert ask(small / "f.qcir", small / "c.aag", small / "p.lrat").returncode in (1, 2)


@needs_program
def test_each_file_is_compared_with_what_was_read(tmp_path: Path) -> None:
    """What the text of a file cannot mean for the reader is refused, not guessed."""
    for text in (
        QCIR + "exists(y)\n",
        QCIR.replace("output(g)\n", "") + "output(g)\n",
        QCIR.replace("xor(u, x)", "xor(u; x)"),
        QCIR.replace("g = xor(u, x)", "g = exists(y; x)"),
        "",
        "p cnf 1 2\ne 1 0\n1 0\n",
        "p cnf 1 1\ne 1 0\n2 0\n",
        "p cnf 1 1\ne 1\n",
    ):
        (tmp_path / "f.qcir").write_text(text)
        (tmp_path / "c.aag").write_text("aag 0 0 0 0 0\n")
        (tmp_path / "p.lrat").write_text("")
        done = ask(tmp_path / "f.qcir", tmp_path / "c.aag", tmp_path / "p.lrat")
        assert done.returncode in (1, 2), text
        assert len((done.stdout + done.stderr).splitlines()) == 1, text


@needs_program
@pytest.mark.parametrize(
    "text",
    [
        "",
        "aag 1 1 0 2\n",
        "aag 1 1 1 2 0\n2\n0\n3\n",
        "aag 1 1 0 1 0\n9\n0\ni0 u\no0 e\n",
        "aag 1 1 0 1 0\n2\n9\ni0 u\no0 e\n",
        "aag 2 1 0 1 1\n2\n4\n4 9 2\ni0 u\no0 e\n",
        "aag 3 1 0 1 1\n2\n4\n4 6 2\ni0 u\no0 e\n",
        "aag 1 1 0 1 0\n2\n0\ni0 x\no0 e\n",
        "aig 2 1 0 1 1\n4\n",
        "aag 1 -1 0 1 0\n",
    ],
)
def test_a_malformed_certificate_is_one_line(small: Path, text: str) -> None:
    (small / "c.aag").write_text(text)
    done = ask(small / "f.qcir", small / "c.aag", small / "p.lrat")
    assert done.returncode == Exit.BAD_INPUT
    (line,) = done.stderr.splitlines()
    assert line.startswith("qsage-verified: ")
    assert "c.aag: found" in line


@needs_program
def test_a_folder_in_the_place_of_a_file_is_one_line(small: Path) -> None:
    for words in ((small, small / "c.aag", small / "p.lrat"), (small / "f.qcir", small, small)):
        done = ask(*words)
        assert (done.returncode, len(done.stderr.splitlines())) == (Exit.BAD_INPUT, 1)
        assert "found a folder, expected a file" in done.stderr


# -- Bundles ---------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def bundles(repository: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The proofs of the samples; in Domineering, Black does not win."""
    folder = tmp_path_factory.mktemp("bundles")
    for name in SAMPLES:
        for suffix in ("qcir", "aig"):
            shutil.copy(repository / "certificates" / f"{name}.{suffix}", folder)
        files = (str(folder / f"{name}.qcir"), str(folder / f"{name}.aig"))
        levels = ("--level", "dependencies", "--level", "formula", "--level", "rules")
        assert run_qsage(["validate", *files, *levels, "--proof", str(folder / name)]) == 0
    return folder


@needs_program
@pytest.mark.parametrize("name", SAMPLES)
def test_each_sample_is_verified_as_a_formula_and_as_a_game(bundles: Path, name: str) -> None:
    wins = name != "domineering"
    value = str(wins).lower()
    about_formula, about_game = verified_theorems(read_manifest(str(bundles / name)))
    assert (about_formula.proved, about_game.proved) == (True, True)
    assert about_formula.sentence == f"{name}.qcir is {value}"
    assert about_game.sentence.startswith(f"black_wins = {value}:")


@needs_program
def test_the_text_of_another_game_in_a_bundle_is_seen(bundles: Path, tmp_path: Path) -> None:
    shutil.copytree(bundles, tmp_path, dirs_exist_ok=True)
    problem = tmp_path / "tic" / "problem.bddl"
    problem.write_text(problem.read_text().replace("4 4", "5 4"))
    manifest = read_manifest(str(tmp_path / "tic"))
    _, about_game = verified_theorems(manifest)
    assert about_game.proved is None
    assert about_game.reason == "problem.bddl is not the text of the inputs' game"
    # By its hash it is seen before anything is asked.
    assert run_qsage(["verify", str(tmp_path / "tic"), "--checker", "coq"]) == Exit.REFUTED


@needs_program
def test_clauses_that_are_not_those_of_the_verified_unrolling_are_seen(
    bundles: Path, tmp_path: Path
) -> None:
    shutil.copytree(bundles, tmp_path, dirs_exist_ok=True)
    cnf = tmp_path / "tic" / "game.cnf"
    lines = cnf.read_text().splitlines(keepends=True)
    lines[5] = "1 2 3 0\n"
    cnf.write_text("".join(lines))
    _, about_game = verified_theorems(read_manifest(str(tmp_path / "tic")))
    assert about_game.proved is None
    assert about_game.reason.startswith(
        "game.cnf:6: the clauses of the verified unrolling are others"
    )


@needs_program
def test_trust_verified_says_what_was_verified(
    bundles: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = (str(bundles / "domineering.qcir"), str(bundles / "domineering.aig"))
    levels = ("--level", "dependencies", "--level", "formula", "--level", "rules")
    assert run_qsage(["validate", *files, *levels, "--trust", "verified"]) == 0
    *_, formula, game = capsys.readouterr().out.splitlines()
    assert formula == "verified in Coq: domineering.qcir is false"
    assert game == (
        "verified in Coq: black_wins = false: by the rules of domain.bddl and problem.bddl "
        "Black does not win"
    )
    assert run_qsage(["validate", *files, "--level", "random", "--trust", "verified"]) == 3


@needs_program
@pytest.mark.parametrize(
    ("formula", "certificate", "meta", "problem"),
    [
        (
            "quabs/httt-3x3_3_domino.qcir",
            "quabs/httt-3x3_3_domino.aig",
            "quabs/httt-3x3_3_domino.meta",
            "3x3_3_domino.ig",
        ),
        (
            "pedant-cnf/httt_4_4_tic/certificate.cnf",
            None,
            "pedant-cnf/httt_4_4_tic/viz_meta_out",
            "4x4_5_tic.ig",
        ),
    ],
    ids=["QuAbS", "Pedant"],
)
def test_the_certificates_of_strangers_win_by_the_rules_in_coq(
    shared_data: Path,
    capsys: pytest.CaptureFixture[str],
    formula: str,
    certificate: str | None,
    meta: str,
    problem: str,
) -> None:
    files = shared_data / "certificates"
    games = shared_data / "bddl" / "httt"
    words = ["validate", str(files / formula)]
    words += [] if certificate is None else ["--cert", str(files / certificate)]
    words += ["--meta", str(files / meta)]
    words += ["--game", str(games / "domain.ig"), str(games / problem)]
    assert run_qsage([*words, "--level", "rules", "--trust", "verified"]) == 0
    last = capsys.readouterr().out.splitlines()[-1]
    assert last.startswith("verified in Coq: black_wins = true")


@needs_program
def test_a_certificate_beyond_the_memory_is_refused_before_it_is_read(tmp_path: Path) -> None:
    if not Path("/proc/meminfo").is_file():
        pytest.skip("the system does not say how much memory there is")
    (tmp_path / "f.qcir").write_text(QCIR)
    (tmp_path / "c.aag").write_text("aag 900000000 1 0 0 0\n")
    done = ask(tmp_path / "f.qcir", tmp_path / "c.aag", tmp_path / "none.lrat")
    assert done.returncode == Exit.UNDECIDED
    assert "of memory are there" in done.stderr


def test_without_the_program_one_line_says_how_to_get_it(
    bundles: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(theorems, "_CHECKOUT", tmp_path / "nothing")
    for words in (
        ["verify", str(bundles / "tic"), "--checker", "coq"],
        ["verify", str(bundles / "tic"), "--theorem", str(tmp_path / "T.v")],
        ["validate", str(bundles / "tic.qcir"), str(bundles / "tic.aig"), "--trust", "verified"],
    ):
        assert run_qsage(words) == Exit.BAD_INPUT
        (line,) = capsys.readouterr().err.splitlines()
        assert "python3 dev.py verified" in line
    assert list(tmp_path.iterdir()) == []


def test_a_program_of_another_version_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    other = tmp_path / "qsage-verified"
    other.write_text("#!/bin/sh\necho qsage-verified 0\n")
    other.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    with pytest.raises(UsageError, match=f"expected qsage-verified {theorems.VERSION}"):
        theorems.require_program()


# -- Coq -------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def theories(repository: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """The theories, compiled in a folder of their own, and what Coq said."""
    folder = tmp_path_factory.mktemp("theories")
    for file in (repository / "verified" / "theories").iterdir():
        if file.suffix == ".v" or file.name == "ORDER":
            shutil.copy(file, folder)
    said = ""
    for name in (folder / "ORDER").read_text().split():
        done = coqc(folder, f"{name}.v")
        assert done.returncode == 0, done.stderr
        said += done.stdout
    return folder, said


def coqc(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["coqc", "-q", "-w", "none", "-Q", str(folder), "Verified", *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )


@needs_coq
def test_the_theorems_are_proved_without_axioms(theories: tuple[Path, str]) -> None:
    _, said = theories
    assert said.count("Closed under the global context") == 10
    assert "Axioms" not in said
    text = "".join(path.read_text() for path in theories[0].glob("*.v"))
    assert not re.search(r"\b(Axiom|Admitted|admit|Parameter|Conjecture)\b", text)


@needs_coq
def test_the_ocaml_that_is_checked_in_is_what_coq_extracts(
    theories: tuple[Path, str], repository: Path
) -> None:
    version = subprocess.run(["coqc", "--version"], capture_output=True, text=True, check=True)
    if f"version {COQ_OF_THE_EXTRACTION}" not in version.stdout:
        pytest.skip(f"the OCaml was extracted by Coq {COQ_OF_THE_EXTRACTION}")
    for name in ("core.ml", "core.mli"):
        ours = (repository / "verified" / "ocaml" / name).read_text()
        assert (theories[0] / name).read_text() == ours


@needs_coq
@needs_program
@pytest.mark.parametrize("name", ["tic", "domineering"])
def test_coq_accepts_the_theorem_by_itself(
    bundles: Path, theories: tuple[Path, str], name: str
) -> None:
    target = theories[0] / f"{name}.v"
    said = write_theorem(read_manifest(str(bundles / name)), str(target))
    title = said.split()[-1]
    done = coqc(theories[0], target.name)
    assert done.returncode == 0, done.stderr
    assert "Closed under the global context" in done.stdout
    # A liar's file, whose theorem says the opposite, is refused.
    text = target.read_text()
    assert f"Theorem {title} : black_wins the_game = " in text
    wrong = text.replace("= true.\nProof", "= false.\nProof").replace(
        "= false.\nProof", "= true.\nProof" if name == "domineering" else "= false.\nProof"
    )
    assert wrong != text
    (theories[0] / "Liar.v").write_text(wrong)
    assert coqc(theories[0], "Liar.v").returncode != 0


@needs_coq
@needs_program
def test_coq_accepts_the_theorem_of_quantifier_gates(
    nested: Path, theories: tuple[Path, str]
) -> None:
    target = theories[0] / "n.v"
    write_theorem(read_manifest(str(nested)), str(target))
    assert "Theorem true_n : nested_true formula." in target.read_text()
    done = coqc(theories[0], target.name)
    assert done.returncode == 0, done.stderr
    assert "Closed under the global context" in done.stdout
    # Another order of the quantifiers is no prenex form of the formula.
    wrong = target.read_text().replace("[(All, 4)] (P 6)", "[(Ex, 4)] (P 6)")
    assert wrong != target.read_text()
    (theories[0] / "Liar.v").write_text(wrong)
    assert coqc(theories[0], "Liar.v").returncode != 0


@needs_program
def test_a_theorem_that_is_too_long_is_refused_before_it_is_written(tmp_path: Path) -> None:
    clauses = 60_000
    text = f"p cnf {clauses} {clauses}\n" + "".join(
        f"{k} {k % clauses + 1} -{(k + 7) % clauses + 1} 0\n" for k in range(1, clauses + 1)
    )
    (tmp_path / "f.qdimacs").write_text(text)
    functions = "".join("1\n" for _ in range(clauses))
    symbols = "".join(f"o{k} {k + 1}\n" for k in range(clauses))
    (tmp_path / "c.aag").write_text(f"aag 0 0 0 {clauses} 0\n{functions}{symbols}")
    (tmp_path / "p.lrat").write_text("")
    target = tmp_path / "T.v"
    done = ask(tmp_path / "f.qdimacs", tmp_path / "c.aag", "--theorem", target, tmp_path / "p.lrat")
    assert done.returncode == Exit.UNDECIDED
    assert "too long for Coq" in done.stderr
    assert not target.exists()
