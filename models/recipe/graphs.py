"""The graphs of a tier as torch modules to trace: IMF v1's ``encoder``, ``decoder`` and ``decoder-kv``, and ``draft``.

Shapes: B batch, S source bytes, L characters, N fed tokens, P past, D width, V vocabulary.

The graphs take byte ids only, so what training receives ready-made (which bytes make a character, how far the output
has come in the source) is computed inside them, from the ids.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from models.recipe.marks import LABELS
from models.recipe.model import BYTE_IDS, EOS, PAD, Tier, step_of

#: Byte b is id b + 3.
OFFSET = 3
#: A shadda and a vowel, two bytes each, are the most that follows a letter.
INSERTED = 4
#: Ids of UTF-8 continuation bytes, 0x80 to 0xBF.
CONTINUATION_FIRST, CONTINUATION_LAST = 0x80 + 3, 0xBF + 3


class EncoderGraph(nn.Module):
    """``input_ids`` [B,S] -> ``last_hidden_state`` [B,S,D]: a character's state, and the byte, for each byte."""

    def __init__(self, tier: Tier) -> None:
        super().__init__()
        self.tier = tier

    def forward(self, ids: Tensor) -> Tensor:
        ids = ids.clamp(max=BYTE_IDS - 1)
        follows = ((ids >= CONTINUATION_FIRST) & (ids <= CONTINUATION_LAST)).long()
        nothing = torch.zeros_like(follows[:, :1])
        before = torch.cat((nothing, follows[:, :-1]), 1)
        earlier = torch.cat((nothing, before[:, :-1]), 1)
        offset = follows * (1 + before * (1 + earlier))  # place of a byte in its character, 0..3
        present = (ids != PAD).to(torch.float32)
        leads = (1 - follows) * (ids != PAD).long()
        owner = (leads.cumsum(1) - 1).clamp(min=0)  # [B,S]
        characters = torch.arange(ids.shape[1], device=ids.device)[: owner.max() + 1]
        belongs = (owner[:, None, :] == characters[None, :, None]).to(torch.float32) * present[:, None, :]  # [B,L,S]
        embedded = belongs @ self.tier.encoder.embed(ids + offset * BYTE_IDS)
        keep = belongs.sum(2).clamp(max=1)
        states = self.tier.encoder(embedded, keep)
        return belongs.transpose(1, 2) @ states + self.tier.token(ids)


class DecoderGraph(nn.Module):
    """``input_ids`` [B,N], ``encoder_hidden_states`` [B,S,D] -> ``logits`` [B,N,V]."""

    def __init__(self, tier: Tier) -> None:
        super().__init__()
        self.tier = tier

    def forward(self, ids: Tensor, rows: Tensor) -> Tensor:
        before = torch.cat((torch.zeros_like(ids[:, :1]), ids[:, :-1]), 1)
        logits, _ = self.tier.decode(ids, step_of(ids, before).cumsum(1), rows)
        return logits


class KvDecoderGraph(nn.Module):
    """As :class:`DecoderGraph`, with pasts. The last pair [B,1,P,1] holds the place after each token, and the token."""

    def __init__(self, tier: Tier) -> None:
        super().__init__()
        self.tier = tier

    def forward(self, ids: Tensor, rows: Tensor, *pasts: Tensor) -> tuple[Tensor, ...]:
        pairs = [(pasts[i], pasts[i + 1]) for i in range(0, len(pasts), 2)]
        *layers, (places, tokens) = pairs
        start = torch.zeros_like(ids[:, :1])
        last_place = torch.cat((start, places[:, 0, :, 0].long()), 1)[:, -1:]
        last_token = torch.cat((start, tokens[:, 0, :, 0].long()), 1)[:, -1:]
        before = torch.cat((last_token, ids[:, :-1]), 1)
        place = last_place + step_of(ids, before).cumsum(1)
        logits, presents = self.tier.decode(ids, place, rows, layers)
        place_row, token_row = place.to(torch.float32), ids.to(torch.float32)
        count = torch.cat((places, place_row[:, None, :, None]), 2)
        fed = torch.cat((tokens, token_row[:, None, :, None]), 2)
        return (logits, *(tensor for pair in presents for tensor in pair), count, fed)


class DraftGraph(nn.Module):
    """``input_ids`` [B,S], ``encoder_hidden_states`` [B,S,D] -> ``insertions`` [B,S,4]: a draft in one pass.

    The ids to insert after each source byte, 0 for none: the marks that the encoder, which decides them, would put.
    No part of IMF v1, whose runtimes pass it over; here it drafts for the decoder of the same file.
    """

    def __init__(self, tier: Tier) -> None:
        super().__init__()
        self.tier = tier
        table = [[byte + OFFSET for byte in label.encode()] for label in LABELS]
        self.register_buffer("table", torch.tensor([ids + [PAD] * (INSERTED - len(ids)) for ids in table]))

    def forward(self, ids: Tensor, rows: Tensor) -> Tensor:
        states = rows - self.tier.token(ids)
        labels = self.tier.marks(states).argmax(-1)
        follows = ((ids >= CONTINUATION_FIRST) & (ids <= CONTINUATION_LAST)).long()
        inside = torch.cat((follows[:, 1:], torch.zeros_like(follows[:, :1])), 1)  # the character goes on
        labels = labels * (1 - inside) * (ids > EOS).long()
        return self.table[labels]  # type: ignore[index]


def kv_names(layers: int, prefix: str) -> list[str]:
    """``past_key_0``, ``past_value_0``, … with one pair more than there are layers (the count)."""
    return [f"{prefix}_{part}_{i}" for i in range(layers + 1) for part in ("key", "value")]


def examples(tier: Tier) -> tuple[Tensor, Tensor, list[Tensor]]:
    """Ids [1,7], rows [1,S,D] and pasts of five tokens to trace with."""
    shape = tier.shape
    rows = EncoderGraph(tier)(torch.tensor([[0xD9 + 3, 0x82 + 3, 0x20 + 3, 0xD9 + 3, 0x88 + 3, 1]]))
    past = torch.zeros(1, shape.heads, 5, shape.width // shape.heads)
    count = torch.arange(5.0).view(1, 1, 5, 1)
    pasts = [past] * (2 * shape.decoder_layers) + [count, torch.full_like(count, 35.0)]
    return torch.tensor([[35, 36, 37, 38, 39, 40, 41]]), rows, pasts
