"""A run with its result and where it was made, as a line of a results file."""

from __future__ import annotations

from dataclasses import dataclass

from qsage_validate.bench.run import Json, Run, RunResult, result_from_json, run_from_json


@dataclass(frozen=True, slots=True)
class Record:
    """A run that was made: on which machine (an identifier), when (UTC, ISO 8601)."""

    run: Run
    result: RunResult
    machine: str
    when: str

    def as_json(self) -> Json:
        """The fields of the line."""
        return {
            "kind": "run",
            "run": self.run.as_json(),
            "result": self.result.as_json(),
            "machine": self.machine,
            "when": self.when,
        }


def record_from_json(fields: Json) -> Record:
    """The record of :meth:`Record.as_json`; raises ``ValueError`` with what was expected."""
    machine, when = fields.get("machine"), fields.get("when")
    if not isinstance(machine, str) or not isinstance(when, str):
        raise ValueError("texts for 'machine' and 'when'")
    run, result = run_from_json(fields.get("run")), result_from_json(fields.get("result"))
    return Record(run, result, machine, when)
