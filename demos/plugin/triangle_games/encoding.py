"""EA without the winning sets that contain another one."""

from dataclasses import replace

from qsage_validate.encodings.encoding import Encoding
from qsage_validate.encodings.explicit import encode_ea
from qsage_validate.encodings.registry import Encoder
from qsage_validate.games.positional.model import PositionalModel


def encode_smallest(model: PositionalModel) -> Encoding:
    """EA of the smallest winning sets, which say the same."""
    wins = model.black_wins
    smallest = tuple(w for w in wins if not any(v != w and v & w == v for v in wins))
    encoding = encode_ea(replace(model, black_wins=smallest))
    return replace(encoding, model=model, layout=replace(encoding.layout, encoding="ea-smallest"))


ENCODERS = {"ea-smallest": encode_smallest}
ENCODINGS = (
    Encoder("ea-smallest", "positional", "EA without sets that contain another", __name__),
)
