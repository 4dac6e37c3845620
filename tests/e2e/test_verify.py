"""``qsage validate --proof`` and ``qsage verify``, as a user sees them."""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO, Any

import pytest

from qsage_validate.errors import Exit
from qsage_validate.formats.source import sample_path
from qsage_validate.proving import formula_cnf
from qsage_validate.proving.formula_cnf import Derivation
from tests.e2e.conftest import Qsage, Ran

LEVELS = ("--level", "dependencies", "--level", "formula", "--level", "rules")
# Clauses that anyone refutes, and their proof.
TRIVIAL = "p cnf 1 2\n1 0\n-1 0\n"
TRIVIAL_PROOF = "3 0 1 2 0\n"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory, repository: Path) -> Path:
    """A folder with Tic's formula, certificate and proofs, to be copied."""
    from tests.support.commands import run_qsage

    folder = tmp_path_factory.mktemp("made")
    for suffix in ("qcir", "aig"):
        shutil.copy(repository / "certificates" / f"tic.{suffix}", folder)
    files = (str(folder / "tic.qcir"), "--cert", str(folder / "tic.aig"))
    assert run_qsage(["validate", *files, *LEVELS, "--proof", str(folder / "proof")]) == 0
    return folder


@pytest.fixture
def bundle(made: Path, tmp_path: Path) -> Path:
    """The proofs beside their inputs, in the working directory."""
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    return tmp_path / "proof"


def manifest(bundle: Path) -> dict[str, Any]:
    data = json.loads((bundle / "manifest.json").read_text())
    assert isinstance(data, dict)
    return data


def change(bundle: Path, edit: Callable[[dict[str, Any]], object]) -> None:
    data = manifest(bundle)
    edit(data)
    (bundle / "manifest.json").write_text(json.dumps(data))


def put(bundle: Path, name: str, text: str) -> None:
    """Replace a file, and its hash in the manifest."""
    (bundle / name).write_text(text)
    digest = hashlib.sha256(text.encode()).hexdigest()
    change(bundle, lambda data: data["files"][name].update(sha256=digest))


def verify(qsage: Qsage, *options: object) -> Ran:
    return qsage("verify", "proof", "--checker", "qsage", *options)


# -- Writing ---------------------------------------------------------------------------------


def test_the_manifest_has_hashes_theorems_and_what_else_they_rest_on(bundle: Path) -> None:
    data = manifest(bundle)
    assert data["schema"] == 1
    proofs = ["formula.cnf", "formula.lrat", "rules.cnf", "rules.lrat"]
    game = ["domain.bddl", "problem.bddl", "game.aig", "game.cnf", "game.lrat"]
    assert sorted(data["files"]) == sorted(proofs + game)
    assert data["verified"]["game"] == game[:2]
    assert data["verified"]["statement"].startswith("black_wins = true: ")
    for name, fact in data["files"].items():
        content = (bundle / name).read_bytes()
        assert fact == {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
    for role, name in (("formula", "tic.qcir"), ("certificate", "tic.aig")):
        fact = data["inputs"][role]
        assert fact["path"] == f"../{name}"
        digest = hashlib.sha256((bundle.parent / name).read_bytes()).hexdigest()
        assert fact["sha256"] == digest
    formula, rules = data["theorems"]
    assert formula["statement"].startswith("No values of the universal variables")
    assert "dependencies" in formula["checked beside the proof"][0]
    assert rules["statement"].startswith("Black wins httt 4x4 tic within 5 plies")
    assert [claim["ply"] for claim in rules["claims"]] == sorted(c["ply"] for c in rules["claims"])
    for theorem in data["theorems"]:
        header = (bundle / theorem["cnf"]).read_text().partition("\n")[0]
        assert header == f"p cnf {theorem['variables']} {theorem['clauses']}"
        assert "c" not in (bundle / theorem["cnf"]).read_text().replace("p cnf", "")
        for ranges, most in (("variable ranges", "variables"), ("clause ranges", "clauses")):
            assert theorem[ranges][0]["first"] == 1
            assert theorem[ranges][-1]["last"] == theorem[most]


def test_a_former_bundle_is_replaced_as_a_whole(qsage: Qsage, bundle: Path) -> None:
    done = qsage(
        "validate", "tic.qcir", "--cert", "tic.aig", "--level", "formula", "--proof", "proof"
    )
    assert done.code == Exit.FINE
    assert sorted(os.listdir(bundle)) == ["formula.cnf", "formula.lrat", "manifest.json"]
    assert sorted(os.listdir(".")) == ["proof", "tic.aig", "tic.qcir"], "nothing is left behind"
    assert "proof: proof: formula (1,457 clauses" in done.err


@pytest.mark.parametrize("where", ["new", "empty", "proof"])
def test_where_nothing_is_proved_nothing_is_written(qsage: Qsage, bundle: Path, where: str) -> None:
    Path("empty").mkdir()
    before = {path: path.read_bytes() for path in bundle.iterdir()}
    formula = Path("tic.qcir").read_text()
    Path("other.qcir").write_text(formula.replace("\noutput(", "\noutput(-"))
    done = qsage(
        "validate", "other.qcir", "--cert", "tic.aig", "--level", "formula", "--proof", where
    )
    assert done.code == Exit.REFUTED
    assert "no proof is written" in done.err
    assert not Path("new").exists()
    assert not os.listdir("empty")
    assert {path: path.read_bytes() for path in bundle.iterdir()} == before


def test_a_folder_of_something_else_is_refused(
    qsage: Qsage, bundle: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("full").mkdir()
    Path("full/letter").write_text("dear")
    Path("file").write_text("")
    shutil.copytree(bundle, "mixed")
    Path("mixed/letter").write_text("dear")
    shutil.copytree(bundle, "broken")
    Path("broken/manifest.json").write_text("{}")
    for where, text in (
        ("full", "which has files and no manifest.json"),
        ("file", "found a file, expected a folder that can be written"),
        ("mixed", "with letter, which is of no bundle"),
        ("broken", "which is no bundle"),
        (".", "in which the input tic.qcir is"),
        ("nowhere/proof", "No such file or directory"),
    ):
        done = qsage("validate", "tic.qcir", "--cert", "tic.aig", *LEVELS, "--proof", where)
        assert (done.code, done.out) == (Exit.BAD_INPUT, ""), where
        assert text in done.err
        assert done.err.count("\n") == 1
    monkeypatch.chdir(bundle)
    names = "../tic.qcir", "--cert", "../tic.aig"
    done = qsage("validate", *names, *LEVELS, "--proof", ".")
    assert "the working folder, expected another one" in done.err
    monkeypatch.chdir("..")
    assert Path("full/letter").read_text() == Path("mixed/letter").read_text() == "dear"


# -- What is verified ------------------------------------------------------------------------


def test_a_bundle_is_verified(qsage: Qsage, bundle: Path) -> None:
    done = verify(qsage)
    assert done.code == Exit.FINE
    assert "formula.cnf is unsatisfiable (accepted by qsage)" in done.out
    assert "rules.cnf is the CNF of the inputs: made again, equal" in done.out
    assert "not in the CNF: which variables a reply reads" in done.out
    assert done.out.splitlines()[-1] == (
        "proof: verified: the CNFs are unsatisfiable, and are those of the inputs (formula, rules)"
    )
    done = verify(qsage, "--json")
    data = json.loads(done.out)
    assert data["verdict"] == "verified"
    assert [each["cnf_of_the_inputs"] for each in data["theorems"]] == ["same", "same"]
    assert all(each["unsatisfiable"] for each in data["theorems"])


def test_a_file_is_no_bundle(qsage: Qsage, bundle: Path) -> None:
    done = qsage("verify", "tic.qcir")
    assert done.code == Exit.BAD_INPUT
    assert done.err == "tic.qcir: found a file, expected a folder with manifest.json\n"


def test_without_the_inputs_only_the_clauses_are_verified(qsage: Qsage, bundle: Path) -> None:
    os.mkdir("elsewhere")
    for name in ("tic.qcir", "tic.aig"):
        os.rename(name, f"elsewhere/{name}")
    done = verify(qsage)
    assert done.code == Exit.UNDECIDED
    assert "formula.cnf is unsatisfiable" in done.out
    assert "not compared with the inputs: formula: " in done.out
    assert "rules: the theorem is not known" in done.out
    assert "Black wins" not in done.out
    assert "verified: the CNFs" not in done.out
    done = verify(qsage, "--cnf-only")
    assert done.code == Exit.FINE
    assert "whether they are those of the inputs was not asked" in done.out
    done = verify(qsage, "--formula", "elsewhere/tic.qcir", "--cert", "elsewhere/tic.aig")
    assert done.code == Exit.FINE
    assert "are those of the inputs" in done.out
    done = verify(qsage, "--meta", "elsewhere/tic.qcir")
    assert done.code == Exit.BAD_INPUT
    assert "found --meta, but the bundle was made without such a file" in done.err


def test_a_moved_bundle_finds_its_inputs_beside_it(qsage: Qsage, bundle: Path) -> None:
    os.mkdir("far")
    for name in ("proof", "tic.qcir", "tic.aig"):
        os.rename(name, f"far/{name}")
    assert qsage("verify", "far/proof", "--checker", "qsage").code == Exit.FINE


def test_clauses_of_something_else_prove_nothing(qsage: Qsage, bundle: Path) -> None:
    """Forged with all hashes: the clauses are refuted, and are not those of the formula."""
    for name in ("formula", "rules", "game"):
        put(bundle, f"{name}.cnf", TRIVIAL)
        put(bundle, f"{name}.lrat", TRIVIAL_PROOF)
    done = verify(qsage)
    assert done.code == Exit.REFUTED
    assert "formula.cnf is unsatisfiable" in done.out
    assert "rules.cnf is not the CNF of the inputs" in done.out
    assert "Black wins" not in done.out
    assert done.out.splitlines()[-1] == "proof: refuted"


@pytest.mark.parametrize(
    "edit",
    [
        lambda data: data["theorems"][1].update(statement="White wins"),
        lambda data: data["theorems"][0]["checked beside the proof"].clear(),
        lambda data: data["theorems"][1]["claims"].pop(),
        lambda data: data["theorems"][0]["variable ranges"][0].update(meaning="moves"),
        lambda data: data["theorems"][0].update(sentence="White wins"),
    ],
)
def test_a_theorem_that_the_inputs_do_not_give_is_refuted(
    qsage: Qsage, bundle: Path, edit: Callable[[dict[str, Any]], object]
) -> None:
    change(bundle, edit)
    done = verify(qsage)
    assert done.code == Exit.REFUTED
    assert "is not the CNF of the inputs" in done.out
    assert "White wins" not in done.out


def test_without_coq_the_theorem_of_the_rules_in_coq_is_checked_as_far_as_it_can_be(
    qsage: Qsage, bundle: Path
) -> None:
    done = verify(qsage)
    assert done.code == Exit.FINE
    shown = done.out.partition("\ngame: ")[2].splitlines()
    assert shown[:3] == [
        "black_wins = true: by the rules of domain.bddl and problem.bddl Black wins",
        "  game.cnf is unsatisfiable (accepted by qsage)",
        "  game.cnf is the CNF of the inputs: made again, equal",
    ]
    assert shown[3].startswith("  not in the CNF: that these clauses are those of the rules in Coq")
    game = json.loads(verify(qsage, "--json").out)["game"]
    assert (game["unsatisfiable"], game["cnf_of_the_inputs"]) == (True, "same")


@pytest.mark.parametrize(
    "edit",
    [
        lambda bundle: change(bundle, lambda data: data["verified"].update(statement="White wins")),
        lambda bundle: change(bundle, lambda data: data["verified"].update(player="white")),
        lambda bundle: change(bundle, lambda data: data["verified"].update(guess="no")),
        lambda bundle: put(bundle, "domain.bddl", (bundle / "domain.bddl").read_text() + "\n"),
        lambda bundle: put(bundle, "game.cnf", TRIVIAL),
        lambda bundle: put(bundle, "game.lrat", TRIVIAL_PROOF),
    ],
)
def test_a_theorem_of_the_rules_in_coq_that_the_inputs_do_not_give_is_refuted(
    qsage: Qsage, bundle: Path, edit: Callable[[Path], object]
) -> None:
    edit(bundle)
    done = verify(qsage)
    assert done.code == Exit.REFUTED
    assert "game.cnf is not the CNF of the inputs" in done.out or "not shown that" in done.out
    assert "White wins" not in done.out


def test_files_that_are_not_those_of_the_manifest_are_refuted(qsage: Qsage, bundle: Path) -> None:
    Path("proof/letter").write_text("dear")
    done = verify(qsage)
    assert (done.code, done.out.splitlines()[0]) == (
        Exit.REFUTED,
        "refuted: letter: not in the manifest",
    )
    os.remove("proof/letter")
    text = (bundle / "rules.lrat").read_text()
    (bundle / "rules.lrat").write_text(text + "\n")
    assert "refuted: rules.lrat: not the file of the manifest" in verify(qsage).out
    os.remove(bundle / "rules.lrat")
    done = verify(qsage)
    assert done.code == Exit.REFUTED
    assert "refuted: rules.lrat: not there" in done.out
    (bundle / "rules.lrat").write_text(text)
    Path("tic.aig").write_bytes(Path("tic.aig").read_bytes() + b"c\nanother comment\n")
    done = verify(qsage)
    assert done.code == Exit.REFUTED
    assert "tic.aig is not the file that the bundle was made from" in done.out


def test_a_proof_that_does_not_hold_is_refuted_with_its_line(qsage: Qsage, bundle: Path) -> None:
    lines = (bundle / "rules.lrat").read_text().splitlines(keepends=True)
    at = next(k for k, line in enumerate(lines) if " d " not in line)
    put(bundle, "rules.lrat", "".join(lines[:at] + lines[at + 1 :]))
    done = verify(qsage, "--json")
    assert done.code == Exit.REFUTED
    rules = json.loads(done.out)["theorems"][1]
    assert not rules["unsatisfiable"]
    assert rules["cnf_of_the_inputs"] == "same"
    assert "rules.lrat:" in rules["checkers"][0]["reason"]
    put(bundle, "rules.lrat", "no proof\n")
    done = verify(qsage)
    assert done.code == Exit.BAD_INPUT
    assert "rules.lrat:1: found 'no proof', expected numbers" in done.err
    assert done.err.count("\n") == 1


@pytest.mark.parametrize(
    ("edit", "text"),
    [
        (lambda data: data.update(schema=2), "found '2', expected a whole number"),
        (lambda data: data.pop("files"), "found no 'files'"),
        (lambda data: data.update(files=[]), "found a list for 'files'"),
        (lambda data: data["files"].pop("rules.cnf"), "found no 'rules.cnf'"),
        (lambda data: data["files"]["rules.cnf"].update(sha256="0"), "found '0', expected 64 hex"),
        (lambda data: data.update(theorems=[]), "found no theorem"),
        (lambda data: data.update(theorems=[3]), "found a number, expected an object"),
        (lambda data: data["theorems"][0].update(level="trace"), "found 'trace', expected one of"),
        (
            lambda data: data["theorems"][0].update(cnf="../x.cnf"),
            "found '../x.cnf', expected one of",
        ),
        (lambda data: data["theorems"][0].update(level="boards"), "found 'formula.cnf', expected"),
        (lambda data: data["files"].update({"x.cnf": {}}), "found the name 'x.cnf', expected"),
        (lambda data: data["levels"].update(chess="proved"), "found the name 'chess', expected"),
        (lambda data: data.update(theorem="White wins"), "found the name 'theorem', expected"),
        (lambda data: data["theorems"][0].update(statement=None), "found null for 'statement'"),
        (lambda data: data["inputs"]["formula"].pop("path"), "found no 'path'"),
        (lambda data: data["inputs"].update(dialect="none"), "found 'none', expected one of"),
        (lambda data: data["inputs"].update(game="httt"), "found a text for 'game'"),
        (lambda data: data.update(trust="much"), "found 'much', expected one of"),
    ],
)
def test_a_malformed_manifest_is_bad_input(
    qsage: Qsage, bundle: Path, edit: Callable[[dict[str, Any]], object], text: str
) -> None:
    change(bundle, edit)
    done = verify(qsage)
    assert (done.code, done.out) == (Exit.BAD_INPUT, "")
    assert re.match(r"proof/manifest\.json:\d+:\d+: found ", done.err)
    assert text in done.err
    assert done.err.count("\n") == 1


def test_a_second_theorem_of_a_level_is_bad_input(qsage: Qsage, bundle: Path) -> None:
    """The sentence of the one would be shown with what the other proves."""

    def second(data: dict[str, Any]) -> None:
        data["theorems"].insert(0, data["theorems"][1] | {"statement": "White wins chess."})

    change(bundle, second)
    done = verify(qsage)
    assert (done.code, done.out) == (Exit.BAD_INPUT, "")
    assert "found a second theorem of level rules, expected one theorem a level" in done.err


def test_two_fields_with_one_name_are_bad_input(qsage: Qsage, bundle: Path) -> None:
    path = bundle / "manifest.json"
    text = path.read_text()
    path.write_text(text.replace('"statement":', '"statement": "White wins",\n "statement":', 1))
    done = verify(qsage)
    assert (done.code, done.out) == (Exit.BAD_INPUT, "")
    assert "found 'statement' twice in an object, expected each name once" in done.err


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"\xff", b"[" * 100_000, b'{"schema": 1}'])
def test_what_is_no_manifest_is_bad_input(qsage: Qsage, bundle: Path, content: bytes) -> None:
    (bundle / "manifest.json").write_bytes(content)
    done = verify(qsage)
    assert (done.code, done.out) == (Exit.BAD_INPUT, "")
    assert done.err.startswith("proof/manifest.json:")
    assert done.err.count("\n") == 1


# -- Checkers of others ----------------------------------------------------------------------


def program(name: str, script: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Put a program of that name at the front of the path."""
    folder = Path("bin")
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(f"#!/bin/sh\n{script}\n")
    (folder / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(folder.resolve()), prepend=os.pathsep)


@pytest.mark.parametrize(
    ("name", "script", "code", "answer"),
    [
        ("lrat-check", "echo c VERIFIED", Exit.FINE, "verified"),
        ("lrat-check", "echo c VERIFIED; exit 1", Exit.UNDECIDED, "gave up"),
        ("lrat-check", "true", Exit.UNDECIDED, "gave up"),
        ("lrat-check", "echo not VERIFIED", Exit.UNDECIDED, "gave up"),
        ("lrat-check", "echo c FAILED: multiple literals", Exit.REFUTED, "refuted"),
        ("lrat-check", "echo c VERIFIED; echo c FAILED", Exit.REFUTED, "refuted"),
        ("lrat-check", "sleep 60", Exit.UNDECIDED, "gave up"),
        ("lrat-check", "kill -SEGV $$", Exit.UNDECIDED, "gave up"),
        ("drat-trim", "echo s VERIFIED", Exit.FINE, "verified"),
        ("drat-trim", "echo s NOT VERIFIED", Exit.REFUTED, "refuted"),
        (
            "acl2",
            "cp proof.cnf x; tail -n +2 x > proved.txt; echo s VERIFIED",
            Exit.FINE,
            "verified",
        ),
        ("acl2", "echo 1 0 > proved.txt; echo s VERIFIED", Exit.REFUTED, "refuted"),
        ("acl2", "echo s FAILED", Exit.REFUTED, "refuted"),
        ("acl2", "echo HARD ACL2 ERROR in X", Exit.REFUTED, "refuted"),
    ],
)
def test_only_the_words_of_a_checker_count(
    qsage: Qsage,
    bundle: Path,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    script: str,
    code: Exit,
    answer: str,
) -> None:
    program(name, script, monkeypatch)
    done = qsage("verify", "proof", "--checker", name, "--cnf-only", "--timeout", "1", "--json")
    assert done.code == code, done
    for theorem in json.loads(done.out)["theorems"]:
        assert [each["answer"] for each in theorem["checkers"]] == [answer]
        assert theorem["unsatisfiable"] == (answer == "verified")


def test_a_checker_of_drat_gets_steps_without_numbers(
    qsage: Qsage, bundle: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program("drat-trim", 'cp "$2" got; echo s VERIFIED', monkeypatch)
    assert qsage("verify", "proof", "--checker", "drat-trim", "--cnf-only").code == Exit.FINE
    lines = Path("got").read_text().splitlines()
    assert lines[-1] == "0"
    steps = (bundle / "game.lrat").read_text().splitlines()
    added = [line.partition(" ")[2].partition(" 0 ")[0] for line in steps if " d " not in line]
    assert [line.removesuffix(" 0") for line in lines if line[0] != "d"][:-1] == added[:-1]
    assert any(line.startswith("d ") for line in lines)


def test_checkers_that_are_not_there_are_told(
    qsage: Qsage, bundle: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")
    for name, text in (("lrat-check", "is not installed"), ("other", "expected one of qsage")):
        done = qsage("verify", "proof", "--checker", name)
        assert (done.code, done.out) == (Exit.BAD_INPUT, "")
        assert text in done.err
    done = qsage("verify", "proof", "--cnf-only", "--formula", "tic.qcir")
    assert done.code == Exit.BAD_INPUT
    done = qsage("verify", "nowhere")
    assert done.code == Exit.BAD_INPUT
    assert "nowhere/manifest.json: found no such file" in done.err


@pytest.mark.parametrize("name", ["lrat-check", "drat-trim", "acl2"])
def test_checkers_of_others_accept_what_holds_and_nothing_else(
    qsage: Qsage, bundle: Path, name: str
) -> None:
    if shutil.which(name) is None:
        pytest.skip(f"{name} is not installed: docs/how-to/verify.md says how")
    done = qsage("verify", "proof", "--checker", name)
    assert done.code == Exit.FINE, done
    # Without the last clause, that some claim is wrong, the CNF is satisfiable.
    clauses = (bundle / "rules.cnf").read_text().splitlines()
    put(bundle, "rules.cnf", "\n".join([*clauses[:-1], clauses[-2], ""]))
    done = qsage("verify", "proof", "--checker", name, "--cnf-only", "--json")
    assert done.code == Exit.REFUTED
    assert not json.loads(done.out)["theorems"][1]["unsatisfiable"]


@pytest.mark.parametrize("name", [b"f\xff.qcir", b"a\nb.qcir"])
def test_any_name_of_a_file_is_proved_and_verified(qsage: Qsage, name: bytes) -> None:
    path = os.fsdecode(name)
    shutil.copy(sample_path("sample:tic.qcir"), path)
    done = qsage(
        "validate", path, "sample:tic.aig", "--level", "formula", "--proof", "proof"
    )  # fmt: skip
    assert done.code == Exit.FINE, done.err
    done = verify(qsage)
    assert done.code == Exit.FINE, done.err
    assert "are those of the inputs" in done.out


def test_a_proof_that_the_disk_has_no_room_for_is_an_error_with_the_folder(
    qsage: Qsage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """CaDiCaL says nothing of a file that it cannot write to."""

    read = formula_cnf._read

    def cut(derivation: Derivation, file: IO[bytes], numbers: Sequence[int]) -> None:
        written = file.read()
        read(derivation, io.BytesIO(written[: len(written) // 2]), numbers)

    monkeypatch.setattr(formula_cnf, "_read", cut)
    words = ("validate", "sample:tic", "sample:tic.aig", "--level", "formula", "--proof", "proof")
    done = qsage(*words)
    assert done.code == Exit.BAD_INPUT
    assert "expected a folder for temporary files (TMPDIR) with room" in done.err
    assert not os.path.exists("proof")
