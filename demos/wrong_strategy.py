"""A strategy with one flipped function: the proof fails, and a play shows how it loses."""

from pathlib import Path

import qsage_validate as qs

strategy = qs.load("sample:tic")
strategy.save("right.aag", formula="tic.qcir")

# In ASCII AIGER the outputs follow the inputs; an odd literal is the negation of the even one.
lines = Path("right.aag").read_text().splitlines()
first_output = 1 + int(lines[0].split()[2])
lines[first_output] = str(int(lines[first_output]) ^ 1)

wrong = qs.load("tic.qcir", "\n".join([*lines, ""]).encode())
report = wrong.validate(["formula", "rules"])
print(report.verdict)
for finding in report.findings:
    print(finding.text)
    print(finding.moves)

attack = wrong.attack(games=50, seed=1)
print(f"random plays: {attack.losses} of {attack.games} lost, {len(attack.findings)} findings")
