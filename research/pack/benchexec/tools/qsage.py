"""BenchExec's module for qsage: ``tool="tools.qsage"`` where the folder is on Python's path."""

from benchexec import result
from benchexec.tools.template import BaseTool2


class Tool(BaseTool2):
    """``qsage solve FORMULA --competition``: ``s cnf 1`` or ``s cnf 0``, exit code 10 or 20."""

    def executable(self, tool_locator):
        return tool_locator.find_executable("qsage")

    def name(self):
        return "qsage"

    def project_url(self):
        return "https://pypi.org/project/qsage-validate/"

    def version(self, executable):
        return self._version_from_tool(executable, line_prefix="qsage-validate")

    def cmdline(self, executable, options, task, rlimits):
        return [executable, "solve", task.single_input_file, "--competition", *options]

    def determine_result(self, run):
        lines = [line.strip() for line in run.output if line.startswith("s cnf")]
        said = {"s cnf 1": result.RESULT_TRUE_PROP, "s cnf 0": result.RESULT_FALSE_PROP}
        codes = {10: "s cnf 1", 20: "s cnf 0"}
        code = run.exit_code.value
        if len(lines) == 1 and codes.get(code) == lines[0]:
            return said[lines[0]]
        return result.RESULT_UNKNOWN if code == 3 else result.RESULT_ERROR
