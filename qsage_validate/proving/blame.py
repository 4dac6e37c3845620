"""The blame for a refutation: model, encoding, the solver's answer, or the certificate."""

from __future__ import annotations

from collections.abc import Sequence

from qsage_validate.games.protocol import Player
from qsage_validate.proving.levels import Level
from qsage_validate.proving.run import LevelResult
from qsage_validate.validation.finding import FindingKind
from qsage_validate.validation.verdict import Proved, Refuted


def blame(
    results: Sequence[LevelResult], claims: Player | None, winner: Player | None, warnings: int
) -> str:
    """A sentence fragment that names what is wrong; empty when nothing is.

    ``claims`` is the player whose win the certificate claims, ``winner`` the player who wins
    by a search on the rules (``None``: not known), ``warnings`` how many things about the
    model itself are doubtful (Definition 9's conditions among them).

    The order of the questions is the design's: a formula that does not say what the rules say
    is at fault whatever a certificate does with it; a certificate that fails a right formula is
    wrong by itself, or because it claims what is not so.
    """
    verdicts = {result.level: result.verdict for result in results}

    def failed(*levels: Level) -> bool:
        """True if one of the levels found something else than a broken assertion."""
        found = (verdicts.get(level) for level in levels)
        findings = (f for own in found if isinstance(own, Refuted) for f in own.findings)
        return any(f.kind is not FindingKind.ASSERTION_BROKEN for f in findings)

    def passed(level: Level) -> bool:
        return isinstance(verdicts.get(level), Proved)

    doubts = " (the model itself is doubtful: see its warnings)" if warnings else ""
    if failed(Level.ENCODING):
        found = [f for r in results if r.level is Level.ENCODING for f in r.findings]
        if any(finding.kind is FindingKind.LAYOUT_DIFFERS for finding in found):
            return "the layout is wrong: it does not fit the formula or the game" + doubts
        return "the encoding is wrong: the formula, read by its layout, is not this game's" + doubts
    wrong_certificate = failed(Level.DEPENDENCIES, Level.FORMULA)
    if wrong_certificate and claims is not None and winner is claims.other:
        if passed(Level.ENCODING):
            return (
                f"the solver's answer is wrong: by the rules {winner} wins, "
                "and no certificate of the opposite can be right"
            )
        return (
            "the certificate is wrong: it does not prove the formula; by the rules "
            f"{winner} wins, so that none can if the formula is this game's"
        )
    if wrong_certificate:
        return "the certificate is wrong: it does not prove the formula"
    kinds = {finding.kind for result in results for finding in result.findings}
    if FindingKind.LAYOUT_DIFFERS in kinds:
        return "the layout is wrong: it does not say what the formula's variables are"
    if failed(Level.RANDOM, Level.EXHAUSTIVE, Level.RULES):
        if passed(Level.FORMULA) and not passed(Level.DEPENDENCIES):
            return (
                "the plays are not what was promised; run the dependencies level to tell whether "
                "the certificate proves the formula"
            )
        if passed(Level.FORMULA):
            return (
                "the encoding, its layout or the model is wrong: the certificate proves the "
                f"formula, and {'the rules' if failed(Level.RULES) else 'plays'} disagree with it"
                + doubts
            )
        return "the plays are not what was promised; run the formula level to tell why"
    if failed(Level.BOARDS):
        won = " although the strategy wins by the rules" if passed(Level.RULES) else ""
        return f"the formula's boards or its legality are not those of the rules{won}" + doubts
    if failed(Level.TRACE):
        return "the solver's trace is wrong: it proves nothing"
    if FindingKind.ASSERTION_BROKEN in kinds:
        return "what is asserted does not hold in every play"
    if warnings:
        return "nothing failed, but the model is doubtful: see its warnings"
    return ""
