"""A JSON object read field by field, so that what stands in a file is checked before it becomes a dataclass."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, TypeGuard


class MalformedError(Exception):
    """Something in a record is not what its kind promises; ``str(error)`` says what. It never leaves this package."""


def parse(line: bytes) -> Fields:
    """One line of JSON as an object's fields."""
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        raise MalformedError("is no JSON") from None
    if not isinstance(found, dict):
        raise MalformedError("is no JSON object")
    return Fields(found)


def write(fields: Mapping[str, Any]) -> str:
    """One line of JSON, without its line break; readable as it stands, unless it holds half characters."""
    text = json.dumps(fields, ensure_ascii=False)
    try:
        text.encode()
    except UnicodeEncodeError:  # lone surrogates cannot be written as UTF-8, but their escapes can
        return json.dumps(fields)
    return text


class Fields:
    """The fields of one object; each method raises MalformedError where the value is missing or of another type."""

    def __init__(self, found: Mapping[str, Any]) -> None:
        self._found = found

    def has(self, name: str) -> bool:
        """Whether the field is there, with a value that is not null."""
        return self._found.get(name) is not None

    def text(self, name: str) -> str:
        """A string."""
        value = self._found.get(name)
        return value if isinstance(value, str) else self._wrong(name, "a text")

    def flag(self, name: str) -> bool:
        """True or false."""
        value = self._found.get(name)
        return value if isinstance(value, bool) else self._wrong(name, "true or false")

    def count(self, name: str) -> int:
        """A whole number, at least 0."""
        value = self._found.get(name)
        return value if _is_count(value) else self._wrong(name, "a whole number")

    def number(self, name: str) -> float:
        """Any number."""
        value = self._found.get(name)
        return float(value) if _is_number(value) else self._wrong(name, "a number")

    def counts(self, name: str) -> tuple[int, ...]:
        """A list of whole numbers."""
        value = self._found.get(name)
        ok = isinstance(value, list) and all(map(_is_count, value))
        return tuple(value) if ok and value is not None else self._wrong(name, "a list of whole numbers")

    def numbers(self, name: str) -> tuple[float, ...]:
        """A list of numbers."""
        value = self._found.get(name)
        ok = isinstance(value, list) and all(map(_is_number, value))
        return tuple(map(float, value)) if ok and value is not None else self._wrong(name, "a list of numbers")

    def inner(self, name: str) -> Fields:
        """An object."""
        value = self._found.get(name)
        return Fields(value) if isinstance(value, dict) else self._wrong(name, "an object")

    def inners(self, name: str) -> tuple[Fields, ...]:
        """A list of objects."""
        value = self._found.get(name)
        ok = isinstance(value, list) and all(isinstance(each, dict) for each in value)
        return tuple(map(Fields, value)) if ok and value is not None else self._wrong(name, "a list of objects")

    def texts(self, name: str) -> dict[str, str]:
        """An object whose values are strings."""
        value = self._found.get(name)
        ok = isinstance(value, dict) and all(isinstance(each, str) for each in value.values())
        return dict(value) if ok and value is not None else self._wrong(name, "an object of texts")

    def _wrong(self, name: str, wanted: str) -> Any:
        raise MalformedError(f"has no {name!r} that is {wanted}")


def _is_count(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_number(value: object) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool)
