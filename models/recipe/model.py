"""The tier's architecture: a letter-level encoder and a byte-level decoder that knows its place in the source.

Shapes: B batch, L characters, S source bytes, N fed tokens, P past, H heads, D width, V vocabulary (384).

Why it looks like this. The contract of IMF v1 is bytes in, bytes out, one token a step, but the *problem* is one
decision per letter. So

* the encoder pools the bytes of a character into one row (a table for each byte position, summed), works on the
  L characters, and spreads the result back over the S bytes. Half the positions, a quarter of the attention;
* the decoder does not search the source by attention: it counts. The place in the source is the number of bytes
  fed so far, less the bytes of vowel marks (a mark is in the output only). The rows at the place, one before and two
  before enter the decoder's input, so copying a letter cannot drift, however long the text is;
* the count needs one number per fed token and the token before it; both travel in one extra pair of
  ``past_key``/``past_value`` of shape [B,1,P,1], which every conforming runtime passes along unread.

Positions are ALiBi biases (Press et al. 2022, arxiv.org/abs/2108.12409), two-sided in the encoder, so that lines
longer than those seen in training still work; a depthwise convolution (Gulati et al. 2020, "Conformer",
arxiv.org/abs/2005.08100) gives the encoder its neighbourhood early in training.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

from models.recipe.marks import LABELS

VOCABULARY = 384
PAD, EOS = 0, 1
#: Byte ids run from 3 to 258; a character has at most four bytes, and each position has a table of its own.
CHARACTER_BYTES = 4
BYTE_IDS = 259
#: Ids of 0xD9 (which opens every mark) and of the second bytes 0x8B..0x92 (U+064B to U+0652).
MARK_LEAD = 0xD9 + 3
MARK_FIRST, MARK_LAST = 0x8B + 3, 0x92 + 3


@dataclass(frozen=True)
class Shape:
    """Sizes of a tier."""

    width: int = 256
    heads: int = 4
    encoder_layers: int = 5
    encoder_ff: int = 768
    decoder_layers: int = 4
    decoder_ff: int = 384
    kernel: int = 7

    def as_dict(self) -> dict[str, int]:
        return asdict(self)


TIERS = {
    "verifier": Shape(),
    "drafter": Shape(width=128, heads=2, encoder_layers=4, encoder_ff=384, decoder_layers=1, decoder_ff=256),
}


def slopes(heads: int) -> Tensor:
    """ALiBi slopes [H,1,1], from local to nearly global."""
    return torch.tensor([2.0 ** -(1 + 7 * i / max(1, heads - 1)) for i in range(heads)]).view(heads, 1, 1)


class Attention(nn.Module):
    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.heads = shape.heads
        self.depth = shape.width // shape.heads
        self.norm = nn.LayerNorm(shape.width)
        self.query = nn.Linear(shape.width, shape.width, bias=False)
        self.key = nn.Linear(shape.width, shape.width, bias=False)
        self.value = nn.Linear(shape.width, shape.width, bias=False)
        self.out = nn.Linear(shape.width, shape.width, bias=False)

    def split(self, x: Tensor) -> Tensor:
        return x.unflatten(2, (self.heads, self.depth)).transpose(1, 2)  # [B,H,N,D/H]

    def forward(
        self, x: Tensor, bias: Tensor, past: tuple[Tensor, Tensor] | None = None
    ) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        """``x`` [B,N,D], additive ``bias`` [B or 1,H,N,P+N]; returns the residual and the present key and value."""
        x = self.norm(x)
        query, key, value = self.split(self.query(x)), self.split(self.key(x)), self.split(self.value(x))
        if past is not None:
            key, value = torch.cat((past[0], key), 2), torch.cat((past[1], value), 2)
        if torch.onnx.is_in_onnx_export():
            weights = torch.softmax(query @ key.transpose(2, 3) * self.depth**-0.5 + bias, -1)
            mixed = weights @ value
        else:
            mixed = functional.scaled_dot_product_attention(query, key, value, attn_mask=bias)
        return self.out(mixed.transpose(1, 2).flatten(2)), (key, value)


class FeedForward(nn.Module):
    def __init__(self, width: int, inner: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.up = nn.Linear(width, inner)
        self.down = nn.Linear(inner, width)

    def forward(self, x: Tensor) -> Tensor:
        return self.down(functional.relu(self.up(self.norm(x))).square())


class Neighbourhood(nn.Module):
    """A depthwise convolution over characters."""

    def __init__(self, width: int, kernel: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.mix = nn.Conv1d(width, width, kernel, padding=kernel // 2, groups=width)

    def forward(self, x: Tensor, keep: Tensor) -> Tensor:
        return self.mix((self.norm(x) * keep).transpose(1, 2)).transpose(1, 2)


class Encoder(nn.Module):
    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.embed = nn.Embedding(CHARACTER_BYTES * BYTE_IDS, shape.width)
        self.layers = nn.ModuleList(
            nn.ModuleList(
                (
                    Neighbourhood(shape.width, shape.kernel),
                    Attention(shape),
                    FeedForward(shape.width, shape.encoder_ff),
                )
            )
            for _ in range(shape.encoder_layers)
        )
        self.norm = nn.LayerNorm(shape.width)
        self.register_buffer("slopes", slopes(shape.heads), persistent=False)

    def forward(self, embedded: Tensor, keep: Tensor, dropout: float = 0.0) -> Tensor:
        """``embedded`` [B,L,D], ``keep`` [B,L] 1.0 for characters and 0.0 for padding; returns states [B,L,D]."""
        place = torch.arange(embedded.shape[1], device=embedded.device, dtype=embedded.dtype)
        bias = -(place[None, :] - place[:, None]).abs() * self.slopes  # [H,L,L]
        bias = bias[None] + (keep[:, None, None, :] - 1) * 1e4
        x = embedded
        for near, attention, forward in self.layers:  # type: ignore[misc]
            x = x + near(x, keep[:, :, None])
            x = x + functional.dropout(attention(x, bias)[0], dropout)
            x = x + functional.dropout(forward(x), dropout)
        return self.norm(x)


class Tier(nn.Module):
    """Encoder, decoder and the head that reads a character's marks off the encoder (training only)."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.shape = shape
        self.encoder = Encoder(shape)
        self.marks = nn.Linear(shape.width, len(LABELS))
        self.token = nn.Embedding(VOCABULARY, shape.width)
        self.aligned = nn.Linear(3 * shape.width, shape.width, bias=False)
        self.layers = nn.ModuleList(
            nn.ModuleList((Attention(shape), FeedForward(shape.width, shape.decoder_ff)))
            for _ in range(shape.decoder_layers)
        )
        self.norm = nn.LayerNorm(shape.width)
        self.head = nn.Linear(shape.width, VOCABULARY, bias=False)
        self.register_buffer("slopes", slopes(shape.heads), persistent=False)
        for name, parameter in self.named_parameters():
            if "embed" in name or "token" in name:
                nn.init.normal_(parameter, std=0.5 if "token" in name else 0.3)
            elif name.endswith(("out.weight", "down.weight", "down.bias")):
                nn.init.zeros_(parameter)

    def encode(self, characters: Tensor, dropout: float = 0.0) -> Tensor:
        """``characters`` [B,L,4] byte ids, 0 where a character has fewer bytes; returns states [B,L,D]."""
        offsets = torch.arange(CHARACTER_BYTES, device=characters.device) * BYTE_IDS
        present = (characters != PAD).unsqueeze(-1)
        embedded = (self.encoder.embed(characters + offsets) * present).sum(2)
        return self.encoder(embedded, present[:, :, 0, 0].to(embedded.dtype), dropout)  # type: ignore[no-any-return]

    def rows(self, states: Tensor, owner: Tensor, source: Tensor) -> Tensor:
        """One row for each source byte: its character's state plus the byte itself. ``owner``, ``source`` [B,S]."""
        spread = torch.gather(states, 1, owner[:, :, None].expand(-1, -1, states.shape[2]))
        return spread + self.token(source)  # [B,S,D]

    def decode(
        self,
        tokens: Tensor,
        place: Tensor,
        rows: Tensor,
        pasts: list[tuple[Tensor, Tensor]] | None = None,
    ) -> tuple[Tensor, list[tuple[Tensor, Tensor]]]:
        """``tokens``, ``place`` [B,N], ``rows`` [B,S,D]; returns logits [B,N,V] and the presents of each layer."""
        seen = []
        for back in range(3):
            index = (place - back).clamp(min=0)
            index = torch.minimum(index, torch.full_like(index, 0) + rows.shape[1] - 1)
            row = torch.gather(rows, 1, index[:, :, None].expand(-1, -1, rows.shape[2]))
            seen.append(row * (place >= back)[:, :, None].to(row.dtype))
        x = self.token(tokens) + self.aligned(torch.cat(seen, 2))
        past = pasts[0][0].shape[2] if pasts else 0
        total = past + tokens.shape[1]
        at = torch.arange(total, device=x.device)
        gap = (at[None, :] - at[past:, None]).to(x.dtype)  # [N,P+N], positive in the future
        bias = gap.clamp(max=0) * self.slopes + (gap > 0).to(x.dtype) * -1e4
        presents = []
        for number, (attention, forward) in enumerate(self.layers):  # type: ignore[misc]
            mixed, present = attention(x, bias[None], pasts[number] if pasts else None)
            x = x + mixed
            x = x + forward(x)
            presents.append(present)
        return self.head(self.norm(x)), presents


def step_of(tokens: Tensor, before: Tensor) -> Tensor:
    """How each fed token moves the place in the source: +1, and -1 for the byte that completes a mark.

    ``tokens`` and ``before`` (the token fed before each) [B,N]. A mark's first byte moved the place by one; its
    second takes that back. The start token moves nothing.
    """
    completes = (before == MARK_LEAD) & (tokens >= MARK_FIRST) & (tokens <= MARK_LAST)
    return torch.where(completes, -1, 1) * (tokens != PAD).long()
