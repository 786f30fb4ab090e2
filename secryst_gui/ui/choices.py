"""Which verifiers and drafters can be chosen, and in one sentence why another cannot. Pure functions, no widgets."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from secryst_gui.ui.requests import BuiltinDrafter, DrafterChoice

if TYPE_CHECKING:
    from secryst_gui.artifacts import Listing

#: The graph of a zip that drafts a whole output at once.
DRAFT_HEAD = "draft.onnx"


@dataclass(frozen=True, slots=True)
class Choice:
    """One line of a combo box: what it is, where it is; with a ``problem`` it is shown but cannot be chosen."""

    value: DrafterChoice
    label: str
    detail: str
    place: str = ""
    problem: str | None = None

    @property
    def told(self) -> str:
        """All there is to say about it, the problem first."""
        return "\n".join(part for part in (self.problem, self.detail, self.place) if part)

    @property
    def usable(self) -> bool:
        """Whether it can be chosen."""
        return self.problem is None


def verifier_choices(listings: Sequence[Listing]) -> list[Choice]:
    """Every artifact found, usable ones first; a broken one says what is wrong with it."""
    return _usable_first(Choice(one.path, _label(one), _detail(one), _place(one), one.problem) for one in listings)


def drafter_choices(verifier: Listing | None, listings: Sequence[Listing]) -> list[Choice]:
    """Every other artifact, judged against the verifier, the model-free drafter, and none; usable ones first."""
    from secryst_gui.artifacts import drafters_for

    judged: Sequence[tuple[Listing, str | None]]
    if verifier is None:
        judged = [(one, one.problem or "Choose a verifier first") for one in listings]
    else:
        judged = drafters_for(verifier, listings)
    models = [Choice(one.path, _label(one), _detail(one), _place(one), problem) for one, problem in judged]
    builtin = [Choice(BuiltinDrafter.AUTO, "Auto", "Whichever drafter pays most, chosen for each block as it goes.")]
    if verifier is not None and _has_head(verifier):
        told = "The verifier's own file outlines the whole output in one pass."
        builtin.append(Choice(BuiltinDrafter.HEAD, "Draft head", told))
    builtin += [
        Choice(BuiltinDrafter.LOOKUP, "Lookup (model-free)", "Copies letters of the source and phrases seen before."),
        Choice(BuiltinDrafter.NONE, "None (verifier alone)", "The verifier decodes one token at a time."),
    ]
    return [*(one for one in models if one.usable), *builtin, *(one for one in models if not one.usable)]


def default_verifier(listings: Sequence[Listing]) -> Path | None:
    """Without a starter pair: the largest model that another one can draft for, else the largest that works."""
    from secryst_gui.artifacts import drafters_for

    usable = [one for one in listings if one.problem is None and one.manifest is not None]

    def merit(one: Listing) -> tuple[bool, int]:
        return any(problem is None for _, problem in drafters_for(one, usable)), one.size

    return max(usable, key=merit).path if usable else None


def default_drafter(verifier: Listing, listings: Sequence[Listing]) -> DrafterChoice:
    """Without a starter pair: the smallest model that fits, since a cheap draft is what pays; else lookup."""
    from secryst_gui.artifacts import fitting

    smallest = fitting(verifier, listings)[:1]
    return smallest[0].path if smallest else BuiltinDrafter.LOOKUP


def pick(choices: Sequence[Choice], *preferred: DrafterChoice | None) -> DrafterChoice | None:
    """The first of the preferred values that can be chosen; None when none can."""
    usable = [one.value for one in choices if one.usable]
    return next((value for value in preferred if value in usable), None)


def problems(choices: Iterable[Choice]) -> list[str]:
    """One line for each choice that cannot be chosen: which, and why."""
    return [f"{one.label}: {one.problem}" for one in choices if one.problem is not None]


def _has_head(one: Listing) -> bool:
    return one.manifest is not None and DRAFT_HEAD in one.manifest.sha256


def _usable_first(choices: Iterable[Choice]) -> list[Choice]:
    return sorted(choices, key=lambda one: not one.usable)  # sorted is stable: the store's order stays otherwise


def _label(one: Listing) -> str:
    if one.manifest is None:
        return one.filename
    name, precision = one.manifest.id, one.manifest.precision
    return name if name.endswith(precision) else f"{name} · {precision}"


def _detail(one: Listing) -> str:
    megabytes = f"{one.size / 1e6:.1f} MB"
    if one.manifest is None:
        return megabytes
    parts = [one.manifest.task, one.manifest.precision, megabytes, one.manifest.license]
    return " · ".join(part for part in parts if part)


def _place(one: Listing) -> str:
    return f"Ships with this program: {one.path}" if one.shipped else str(one.path)
