"""What stands around the code is true: citation, workflow, hooks, container and paper."""

from __future__ import annotations

import ast
import re
import shlex
from typing import Any

import pytest
import yaml

from qsage_validate import __version__
from tests.support.places import REPOSITORY

from .test_packaging import PROJECT, PYTHONS


def text(name: str) -> str:
    return (REPOSITORY / name).read_text(encoding="utf-8")


def dev_commands() -> dict[str, Any]:
    """``COMMANDS`` and ``GATE`` of ``dev.py``, as they are written."""
    found = {}
    for node in ast.parse(text("dev.py")).body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            found[node.targets[0].id] = node.value
    commands, gate = found["COMMANDS"], found["GATE"]
    assert isinstance(commands, ast.Dict)
    assert isinstance(gate, ast.Tuple)
    programs = [ast.unparse(step).split("(")[2].split(",")[0].strip("'") for step in gate.elts]
    return {"commands": {ast.literal_eval(k) for k in commands.keys if k}, "programs": programs}


def runs(line: str) -> None:
    """Fail unless ``line`` is a command of ``dev.py``; behind ``run``, a program of the gate."""
    _, script, command, *rest = shlex.split(line)
    known = dev_commands()
    assert script == "dev.py"
    assert command in known["commands"]
    if command == "run":
        assert rest[0] in known["programs"]


def test_the_citation_names_this_release() -> None:
    citation = yaml.safe_load(text("CITATION.cff"))
    assert {"cff-version", "message", "title", "authors", "type"} <= citation.keys()
    assert citation["version"] == __version__
    assert citation["license"] == PROJECT["project"]["license"] == "MIT"
    assert text("LICENSE").startswith("MIT License")
    for reference in citation["references"]:
        assert {"type", "title", "authors", "year"} <= reference.keys()


def test_the_workflow_runs_the_gate_on_every_supported_python() -> None:
    workflow = yaml.safe_load(text(".github/workflows/check.yml"))
    job = workflow["jobs"]["check"]
    matrix = job["strategy"]["matrix"]
    assert matrix["os"] == ["ubuntu-latest", "macos-latest"]
    assert set(PYTHONS) <= set(matrix["python"])
    lines = [step["run"] for step in job["steps"] if "run" in step]
    assert lines == ["python dev.py check --full"]
    runs(lines[0])


def test_the_hooks_run_steps_of_the_gate() -> None:
    config = yaml.safe_load(text(".pre-commit-config.yaml"))
    (repository,) = config["repos"]
    assert repository["repo"] == "local"  # the gate's own versions, no second list of pins
    for hook in repository["hooks"]:
        assert hook["language"] == "system"
        runs(hook["entry"])


def test_the_container_is_built_from_what_is_there() -> None:
    lines = text("Dockerfile").splitlines()
    images = [line.split()[1] for line in lines if line.startswith("FROM ")]
    for image in images:
        match = re.fullmatch(r"python:(3\.\d+)-slim", image)
        assert match is not None
        assert match[1] in PYTHONS
    extras = re.findall(r"/source\[(\w+)\]", text("Dockerfile"))
    assert extras
    assert set(extras) <= set(PROJECT["project"]["optional-dependencies"])
    (command,) = (yaml.safe_load(line[4:]) for line in lines if line.startswith("CMD "))
    assert command[0] in PROJECT["project"]["scripts"]


def test_the_paper_has_its_sections_and_cites_what_there_is() -> None:
    _, front, body = text("research/paper.md").split("---\n", 2)
    head = yaml.safe_load(front)
    assert {"title", "tags", "authors", "affiliations", "date", "bibliography"} <= head.keys()
    for section in (
        *("Summary", "Statement of need", "State of the field", "Software design"),
        *("Research impact", "Acknowledgements", "References"),
    ):
        assert f"\n# {section}\n" in body
    assert 750 <= len(body.split()) <= 1750
    bibliography = text(f"research/{head['bibliography']}")
    entries = dict(re.findall(r"^@\w+\{(\w+),\n(.*?)^\}", bibliography, re.M | re.S))
    assert set(re.findall(r"@(\w+)", body)) == set(entries)
    for name, fields in entries.items():
        for field in ("author", "title", "year"):
            assert re.search(rf"\b{field}\s*=", fields), f"{name} has no {field}"


@pytest.mark.parametrize("name", ["wrong-answer", "fault", "question"])
def test_issue_templates_ask_for_what_a_report_needs(name: str) -> None:
    form = yaml.safe_load(text(f".github/ISSUE_TEMPLATE/{name}.yml"))
    assert {"name", "description", "labels", "body"} == form.keys()
    asked = {field["id"] for field in form["body"] if field["validations"]["required"]}
    assert asked >= ({"question"} if name == "question" else {"command", "expected", "version"})
    assert len({field["id"] for field in form["body"]}) == len(form["body"])


def table() -> list[list[str]]:
    """The rows of "Where a new thing goes", cell by cell."""
    (_, rest) = text("CONTRIBUTING.md").split("## Where a new thing goes\n")
    rows = [line for line in rest.split("\n## ")[0].splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in rows[1:]]


@pytest.mark.parametrize("row", table(), ids=lambda row: row[0])
def test_contributing_names_what_is_there(row: list[str]) -> None:
    _, written, registered, tested = row
    package = REPOSITORY / "qsage_validate"
    for path in re.findall(r"`([a-z_/]+/)`", written):
        assert (package / path).is_dir(), path
    for names, path in re.findall(r"((?:`\w+`(?:, | and | or )?)+) in `([\w/]+\.py)`", registered):
        source = (package / path).read_text(encoding="utf-8")
        for name in re.findall(r"\w+", names.replace(" and ", " ").replace(" or ", " ")):
            assert re.search(rf"^(?:class |def )?{name}\b", source, re.M), f"{name} in {path}"
    assert re.search(r"`\w", registered)
    for path in re.findall(r"`(tests/[\w/.]+)`", tested):
        assert (REPOSITORY / path).exists(), path
    assert "`tests/" in tested


@pytest.mark.parametrize("name", ["CODE_OF_CONDUCT.md", "SECURITY.md", "CONTRIBUTING.md"])
def test_pages_for_people_link_to_what_is_there(name: str) -> None:
    for target in re.findall(r"\]\(([^)#\s]+)", text(name)):
        assert target.startswith("https://") or (REPOSITORY / target).exists(), target
