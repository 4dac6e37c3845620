"""BDDL, the board-game domain definition language of Shaik and van de Pol."""
