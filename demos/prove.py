"""From a game to a proof that its strategy wins: search, certify, validate, save."""

import qsage_validate as qs

game = qs.game("breakthrough", size=(2, 4), second=True, depth=9)
print(qs.solve(game))

strategy = qs.certify(game)
print(strategy)

report = strategy.validate()
for name, result in report.levels.items():
    print(f"{name:13} {result.word:8} {result.said}")
print("; ".join(report.statements))

strategy.save("breakthrough.aig", formula="breakthrough.qcir")
report.save_html("breakthrough.html")
