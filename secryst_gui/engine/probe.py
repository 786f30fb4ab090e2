"""Asked once when a model is opened: may one pass over several tokens stand for several passes over one?

It may if the pass is *causal* (a later token changes nothing before it; an exporter may have traced the graph with a
single token and lost the mask) and if it *agrees* with single steps. Floating-point graphs agree up to rounding. How
far apart the two framings came is measured here; a verdict whose gap is not clearly above that is a near-tie, decided
again by single steps. Where not a bit differs, over every residue of the lengths that kernels work in, there are no
near-ties. A graph that quantizes activations with one scale for a whole pass does not agree even so: there several per
cent of the verdicts differ, at any gap, and single steps alone can be trusted.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from secryst_gui.engine.decoder import Decoder
from secryst_gui.engine.session import Array
from secryst_gui.engine.tokens import EOS, OFFSET, encode
from secryst_gui.errors import DecodeError

#: Read by every model: two scripts, a digit, a space.
TEXT = "قال abc 1"
STEPS = 9
#: A near-tie is a gap below so many times the largest difference that the probe saw between the framings.
MARGIN = 32
#: Below this share of the largest logit a difference is rounding; above it the graphs compute different things.
TOLERANCE = 0.02
#: The probe is short: the difference is taken to be at least one unit in the last place of the largest logit.
LEAST_ULPS = 1
#: Where tokens are quantized by themselves, rounding of the last bit rarely moves a value by a whole quantization step,
#: and the logits with it. So many tokens are fed twice, once over a source disturbed by this share, a hundred times
#: what rounding does, so that every token meets many such moves. A gap is a near-tie below so many times the largest
#: difference (two logits may move apart), and below this share of the largest logit, whatever was seen.
LONG, DISTURBED, MOVES, LEAST_SHARE = 96, 1e-5, 3, 0.015
#: The sizes of passes over those tokens.
FRAMES = (2, 5, 9, 17, 33)


@dataclass(frozen=True)
class Probe:
    """``reason``: why a pass over several tokens is not trusted, or None. ``near_tie``: a gap, in logits."""

    vocabulary: int
    reason: str | None
    near_tie: float

    @property
    def multi_token(self) -> bool:
        return self.reason is None


def probe_sequence() -> list[int]:
    """The tokens that are fed after the start token."""
    return [token for token in encode(TEXT) if token != EOS][: STEPS - 1]


def probe(decoder: Decoder, passing: Decoder, hidden: Array) -> Probe:
    """Compare passes of ``passing`` with single steps of ``decoder`` over ``hidden``, the encoded :data:`TEXT`."""
    sequence = probe_sequence()
    steps = decoder.state(decoder.read(hidden), single=True).logits(sequence, STEPS).astype(np.float64)
    vocabulary = steps.shape[-1]
    if passing.quantizes_per_pass():
        return Probe(vocabulary, "it quantizes all tokens of a pass with one scale, which changes their rounding", 0.0)
    source = passing.read(hidden)
    whole = passing.state(source, single=False).logits(sequence, STEPS).astype(np.float64)
    other = [*sequence[:-1], sequence[-1] + 1]
    changed = passing.state(source, single=False).logits(other, STEPS).astype(np.float64)
    size = float(np.abs(steps).max())
    difference = float(np.abs(whole - steps).max())
    leak = float(np.abs(whole - changed)[:-1].max())
    if not np.isfinite(size):
        return Probe(vocabulary, "its logits are not finite", 0.0)
    if leak > TOLERANCE * size:
        return Probe(vocabulary, "in a pass over several tokens, later ones change the verdicts on earlier ones", 0.0)
    if difference > TOLERANCE * size:
        return Probe(vocabulary, "a pass over several tokens disagrees with single steps", 0.0)
    unit = float(np.finfo(np.float16 if decoder.session.dtype("logits") is np.float16 else np.float32).eps)
    near_tie = MARGIN * max(difference, leak, LEAST_ULPS * unit * size)
    if max(difference, leak) == 0.0 and _agree_to_the_bit(decoder, passing, hidden):
        near_tie = 0.0
    elif passing is not decoder:
        near_tie = max(near_tie, MOVES * _moves(decoder, passing, hidden), LEAST_SHARE * size)
    return Probe(vocabulary, None, near_tie)


def _long_sequence() -> list[int]:
    """Tokens of any bytes, to be fed after the start token."""
    return [OFFSET + (at * at * 7 + at * 13) % 251 for at in range(LONG - 1)]


def _agree_to_the_bit(decoder: Decoder, passing: Decoder, hidden: Array) -> bool:
    """Whether single steps, and passes of every size in :data:`FRAMES`, give the same logits.

    No, where the model cannot write as many tokens.
    """
    sequence = _long_sequence()
    try:
        steps = decoder.state(decoder.read(hidden), single=True).logits(sequence, LONG)
        for size in FRAMES:
            state = passing.state(passing.read(hidden), single=False)
            for end in range(size, LONG + 1, size):
                if not np.array_equal(state.logits(sequence[: end - 1], size), steps[end - size : end]):
                    return False
    except DecodeError:
        return False
    return True


def _moves(decoder: Decoder, passing: Decoder, hidden: Array) -> float:
    """The largest difference of a logit between single steps, and passes over the disturbed source, for any bytes."""
    sequence = _long_sequence()
    steps = decoder.state(decoder.read(hidden), single=True).logits(sequence, LONG)
    noise = np.random.default_rng(0).choice((-DISTURBED, DISTURBED), hidden.shape)
    disturbed = (hidden * (1 + noise)).astype(hidden.dtype)
    state = passing.state(passing.read(disturbed), single=False)
    blocks = [state.logits(sequence[: end - 1], STEPS) for end in range(STEPS, LONG + 1, STEPS)]
    rows = np.concatenate(blocks).astype(np.float64)
    return float(np.abs(rows - steps[: len(rows)]).max())
