"""What a trace says before its first event: which program, which models, which options, which text, when."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from secryst_gui.records.fields import Fields, MalformedError

if TYPE_CHECKING:
    from secryst_gui.artifacts import Manifest
    from secryst_gui.engine import DecodeOptions

FORMAT, VERSION = "secryst-trace", 1


@dataclass(frozen=True)
class ModelRecord:
    """A model that took part: its id (``lookup`` and ``head`` for drafters without a file), its precision, and the
    sha256 of each of its graphs as its manifest states them; without a file both are empty.
    """

    id: str
    precision: str = ""
    sha256: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, manifest: Manifest) -> ModelRecord:
        """The record of an artifact."""
        return cls(manifest.id, manifest.precision, dict(manifest.sha256))

    def __str__(self) -> str:
        return f"{self.id} ({self.precision})" if self.precision and not self.id.endswith(self.precision) else self.id

    def as_fields(self) -> dict[str, Any]:
        """For JSON."""
        return {"id": self.id, "precision": self.precision, "sha256": dict(self.sha256)}


@dataclass(frozen=True)
class TraceHeader:
    """The first line of a trace.

    ``app``: the program's version. ``block_size``: K, or None where it was chosen for each block. ``input``: the text,
    or None while it is read line by line from a pipe (then each line is told by a `SourceLine`). ``time``: when the
    run began, with its time zone.
    """

    app: str
    verifier: ModelRecord
    drafters: tuple[ModelRecord, ...]
    block_size: int | None
    options: DecodeOptions
    input: str | None
    time: datetime

    @property
    def drafter(self) -> str:
        """Who drafts, in words: ``none`` for the verifier alone."""
        return ", ".join(map(str, self.drafters)) or "none"

    def as_fields(self) -> dict[str, Any]:
        """For JSON; ``time`` in UTC."""
        return {
            "format": FORMAT,
            "version": VERSION,
            "app": self.app,
            "time": self.time.astimezone(UTC).isoformat(),
            "verifier": self.verifier.as_fields(),
            "drafters": [each.as_fields() for each in self.drafters],
            "block_size": self.block_size,
            "options": asdict(self.options),
            "input": self.input,
        }


def read_header(fields: Fields) -> TraceHeader:
    """The header in ``fields``, whose format and version have been looked at; MalformedError where it is damaged."""
    from secryst_gui.engine import DecodeOptions

    chosen = fields.inner("options")
    options = DecodeOptions(
        max_len=chosen.count("max_len") if chosen.has("max_len") else None,
        raw=chosen.flag("raw"),
        guard=chosen.flag("guard") if chosen.has("guard") else None,
        window_bytes=chosen.count("window_bytes"),
        confidence=chosen.number("confidence") if chosen.has("confidence") else None,
    )
    return TraceHeader(
        app=fields.text("app"),
        verifier=_model(fields.inner("verifier")),
        drafters=tuple(map(_model, fields.inners("drafters"))),
        block_size=fields.count("block_size") if fields.has("block_size") else None,
        options=options,
        input=fields.text("input") if fields.has("input") else None,
        time=_time(fields.text("time")),
    )


def _model(fields: Fields) -> ModelRecord:
    return ModelRecord(fields.text("id"), fields.text("precision"), fields.texts("sha256"))


def _time(text: str) -> datetime:
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        raise MalformedError("has no 'time' that is a date") from None
    return found if found.tzinfo else found.replace(tzinfo=UTC)
