"""Training batches: segments made to look like what people type, as byte ids.

What a classical corpus never shows is made here: no punctuation, no space before it, single words, digits, Latin,
brackets, emoji, strange strings, repeated words, very long lines. All of it must be copied.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor

from models.recipe.marks import ARABIC_LETTER, UNKNOWN, join, split, without_gaps
from models.recipe.model import EOS, step_of

Pair = tuple[str, list[int]]
#: How often a source is drawn, against its share of the characters.
WEIGHTS = {"first": 1.0, "lines": 3.0, "taught": 0.7}
#: The letters of Arabic, each as likely as another: some are rare in texts, hamzas on their seats above all.
_LETTERS = [chr(code) for code in (*range(0x0621, 0x063B), *range(0x0641, 0x064B))]
_LATIN = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
_DIGITS = ("0123456789", "٠١٢٣٤٥٦٧٨٩")
_SIGNS = [*".,:;!?()[]{}«»\"'/\\-–—_+=*&%$#@<>|~^`…،؛؟٪•→€£°©", "...", "()", "??", "!!", " - ", "://"]
_EMOJI = [*"😀😂❤🙏👍🌙🕌📚✅🔥🎉☕⭐", "❤️", "👍🏽", "👨‍👩‍👧"]
_OTHER = [*"éüñçøßабвгдежзשלוםไทยខ្មែរ漢字かな한글αβγδپچگڤیک"]


#: Blocks to draw any character from, so that every byte is copied: Latin, Greek, Cyrillic, Hebrew, Arabic digits and
#: letters, Indic, Thai, signs and arrows, kana, Chinese, Korean, emoji.
_BLOCKS = (
    *((0xA1, 0x02FF), (0x0370, 0x058F), (0x05D0, 0x05EA), (0x0660, 0x066F), (0x0671, 0x06D3), (0x06F0, 0x06FF)),
    *((0x0904, 0x0939), (0x0E01, 0x0E2E), (0x2010, 0x27BF), (0x3041, 0x30FF), (0x4E00, 0x9FFF), (0xAC00, 0xD7A3)),
    (0x1F300, 0x1FAFF),
)


def _any(rng: random.Random) -> str:
    return chr(rng.randint(*rng.choice(_BLOCKS)))


def _foreign(rng: random.Random) -> str:
    """A stranger: a token that carries no marks, or a word that no text has."""
    if rng.random() < 0.3:
        return "".join(_any(rng) for _ in range(rng.randint(1, 3)))
    if rng.random() < 0.3:
        return "".join(rng.choices(_LETTERS, k=rng.randint(1, 6)))
    kind = rng.random()
    if kind < 0.35:
        return "".join(rng.choices(rng.choice(_DIGITS), k=rng.randint(1, 8)))
    if kind < 0.6:
        return "".join(rng.choices(_LATIN, k=rng.randint(1, 10)))
    if kind < 0.75:
        return "".join(rng.choices(_SIGNS, k=rng.randint(1, 3)))
    if kind < 0.85:
        return "".join(rng.choices(_EMOJI, k=rng.randint(1, 2)))
    if kind < 0.95:
        digits = rng.choice(_DIGITS)
        mark = rng.choice([".", ",", "/", ":", "-", "٫", "%"])
        return mark.join("".join(rng.choices(digits, k=rng.randint(1, 4))) for _ in range(rng.randint(2, 3)))
    return "".join(rng.choices(_OTHER + list(_LATIN), k=rng.randint(1, 6)))


def _labels(stranger: str) -> list[int]:
    """No marks; on Arabic letters nobody knows which."""
    return [UNKNOWN if ARABIC_LETTER.match(letter) else 0 for letter in stranger]


def _words(pair: Pair) -> list[Pair]:
    letters, labels = pair
    return [(letters[m.start() : m.end()], labels[m.start() : m.end()]) for m in re.finditer(r"\S+", letters)]


def _joined(words: list[Pair]) -> Pair:
    return " ".join(w for w, _ in words), [x for i, (_, ls) in enumerate(words) for x in ([0] * (i > 0) + ls)]


def _without(pair: Pair, pattern: str) -> Pair:
    drop = {i for match in re.finditer(pattern, pair[0]) for i in range(match.start(), match.end())}
    kept = [i for i in range(len(pair[0])) if i not in drop]
    return "".join(pair[0][i] for i in kept), [pair[1][i] for i in kept]


def _wrapped(word: Pair, rng: random.Random) -> Pair:
    left, right = rng.choice(["()", "[]", "«»", '""', "''", "{}", "“”", ("", "."), ("", "!"), ("", ":"), ("#", "")])
    return left + word[0] + right, [0] * len(left) + word[1] + [0] * len(right)


def vary(pair: Pair, rng: random.Random, foreign: float = 0.12) -> Pair:
    """One everyday variation of a segment (often the segment itself). ``foreign``: how often strangers are put in."""
    if rng.random() < 0.45:
        pair = _without(pair, r"\s+(?=[،.؛؟!:,])")
    if rng.random() < 0.25:
        pair = _joined(_words(_without(pair, r"[^\w\s]")))
    words = _words(pair)
    if not words:
        return pair
    if rng.random() < 0.2:
        start = rng.randrange(len(words))
        words = words[start : start + rng.choice([1, 1, 1, 2, 2, 3, 4, 5, 6])]
    if rng.random() < 0.02:
        words = [w for w in words for _ in range(rng.randint(1, 3))]
    if rng.random() < foreign:
        for _ in range(rng.randint(1, 3)):
            stranger = _foreign(rng)
            words.insert(rng.randint(0, len(words)), (stranger, _labels(stranger)))
    if rng.random() < 0.1:
        at = rng.randrange(len(words))
        words[at] = _wrapped(words[at], rng)
    if rng.random() < 0.015:
        words = [(stranger, _labels(stranger)) for stranger in (_foreign(rng) for _ in range(rng.randint(1, 6)))]
    return _joined(words)


@dataclass(frozen=True)
class Batch:
    """Ids of a batch; the decoder's part is empty for encoder-only training."""

    characters: Tensor  # [B,L,4]
    labels: Tensor  # [B,L], -100 where nothing is learnt
    source: Tensor  # [B,S]
    owner: Tensor  # [B,S], the character each byte belongs to
    tokens: Tensor  # [B,N], fed
    targets: Tensor  # [B,N], -100 for padding
    place: Tensor  # [B,N]

    @property
    def real(self) -> Tensor:
        """[B,L], true for characters, false for the end and for padding."""
        return self.characters[:, :, 0] > EOS

    def to(self, device: str) -> Batch:
        return self if device == "cpu" else Batch(*(getattr(self, name).to(device) for name in self.__annotations__))


def _pad(rows: list[list[int]], fill: int) -> Tensor:
    width = max(map(len, rows))
    return torch.tensor([row + [fill] * (width - len(row)) for row in rows])


def source_ids(letters: str) -> tuple[list[list[int]], list[int], list[int]]:
    """Byte ids for each character (four each, then EOS), the flat ids, and the owner of each byte."""
    characters = [[b + 3 for b in letter.encode()] for letter in letters] + [[EOS]]
    owner = [index for index, ids in enumerate(characters) for _ in ids]
    flat = [b for ids in characters for b in ids]
    return [ids + [0] * (4 - len(ids)) for ids in characters], flat, owner


def collate(pairs: list[Pair]) -> Batch:
    characters, sources, owners, labels, fed, targets = [], [], [], [], [], []
    for letters, marks in pairs:
        chars, flat, owner = source_ids(letters)
        output = [b + 3 for b in join(letters, marks).encode()] + [EOS]
        characters.append(chars)
        sources.append(flat)
        owners.append(owner)
        labels.append([*marks, -100])
        targets.append(output)
        fed.append([0, *output[:-1]])
    length = max(map(len, characters))
    tokens = _pad(fed, 0)
    before = torch.cat((torch.zeros_like(tokens[:, :1]), tokens[:, :-1]), 1)
    return Batch(
        torch.tensor([chars + [[0] * 4] * (length - len(chars)) for chars in characters]),
        _pad(labels, -100),
        _pad(sources, 0),
        _pad(owners, 0),
        tokens,
        _pad(targets, -100),
        step_of(tokens, before).cumsum(1),
    )


def load(path: Path) -> dict[str, list[Pair]]:
    """``train.tsv`` by source name."""
    pairs: dict[str, list[Pair]] = {}
    for line in path.read_text("utf-8").splitlines():
        kind, _, text = line.partition("\t")
        letters, labels = split(text)
        pairs.setdefault(kind, []).append((letters, without_gaps(letters, labels)))
    return pairs


def stream(pairs: dict[str, list[Pair]], characters: int, seed: int, foreign: float = 0.12) -> Iterator[list[Pair]]:
    """Endless batches of about ``characters`` characters with padding, bucketed by length."""
    rng = random.Random(seed)
    kinds = list(pairs)
    weights = [WEIGHTS.get(kind, 1.0) * len(pairs[kind]) for kind in kinds]

    def draw() -> Pair:
        return vary(rng.choice(pairs[rng.choices(kinds, weights)[0]]), rng, foreign)

    while True:
        pool = []
        for _ in range(800):
            pair = draw()
            if rng.random() < 0.03:
                parts = [pair, *(draw() for _ in range(rng.randint(1, 6)))]
                pair = _joined([word for part in parts for word in _words(part)])
            if pair[0]:
                pool.append(pair)
        pool.sort(key=lambda pair: len(pair[0]))
        batches: list[list[Pair]] = [[]]
        for pair in pool:
            if batches[-1] and (len(batches[-1]) + 1) * len(pair[0]) > characters:
                batches.append([])
            batches[-1].append(pair)
        rng.shuffle(batches)
        yield from batches
