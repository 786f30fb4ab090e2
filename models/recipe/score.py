"""Error rates of diacritization, and what they count.

Letters of words that are vowelled in the reference, case endings included:

* DER, the diacritic error rate: the share of those letters whose marks differ from the reference's;
* WER, the word error rate: the share of those words with a wrong mark on any letter, or a letter that changed;
* changed: the share of lines whose *letters* came out otherwise than they went in.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import SequenceMatcher

from models.recipe.marks import ARABIC_LETTER, split


@dataclass
class Score:
    """Running counts over lines."""

    lines: int = 0
    changed: int = 0
    letters: int = 0
    wrong_letters: int = 0
    words: int = 0
    wrong_words: int = 0

    def add(self, reference: str, output: str) -> None:
        """Count one line; ``output`` is a model's answer to ``reference`` without its marks."""
        letters, wanted = split(reference)
        out_letters, got = split(output)
        found: list[int | None] = [None] * len(letters)
        if out_letters == letters:
            found = list(got)
        else:
            for a, b, size in SequenceMatcher(None, letters, out_letters, autojunk=False).get_matching_blocks():
                found[a : a + size] = got[b : b + size]
        self.lines += 1
        self.changed += out_letters.split() != letters.split()
        for word in re.finditer(r"\S+", letters):
            places = [i for i in range(*word.span()) if ARABIC_LETTER.match(letters[i])]
            if any(wanted[i] for i in places):
                wrong = sum(found[i] != wanted[i] for i in places)
                self.letters += len(places)
                self.wrong_letters += wrong
                self.words += 1
                self.wrong_words += wrong > 0

    @property
    def der(self) -> float:
        """0..1."""
        return self.wrong_letters / max(1, self.letters)

    @property
    def wer(self) -> float:
        """0..1."""
        return self.wrong_words / max(1, self.words)

    def as_dict(self) -> dict[str, float | int]:
        return {"der": self.der, "wer": self.wer, "changed": self.changed, "lines": self.lines}


def character_error(reference: str, output: str) -> float:
    """Edit operations over the length of ``reference``, 0 for equal strings (an upper bound by matching blocks)."""
    if reference == output:
        return 0.0
    same = sum(b.size for b in SequenceMatcher(None, reference, output, autojunk=False).get_matching_blocks())
    return (max(len(reference), len(output)) - same) / max(1, len(reference))
