"""A model's decoder in the forms that decoding uses: for single steps, and for passes over a block.

Both are the same graph, with what depends on the source alone moved into a prologue. Where the graph quantizes a
whole pass with one scale, passes use a form that quantizes every token by itself. A rewritten form is used only if it
was checked against the untouched graph; otherwise the graph is opened as it is, and the log says why.
"""

from __future__ import annotations

import logging
import statistics
import time
from functools import cached_property
from pathlib import Path

import numpy as np

from secryst_gui.engine.decoder import Decoder, DecoderState
from secryst_gui.engine.options import EngineOptions
from secryst_gui.engine.probe import STEPS, TOLERANCE, Probe, probe, probe_sequence
from secryst_gui.engine.rewrite import Plan, planned
from secryst_gui.engine.session import Array, Interrupt, Session
from secryst_gui.errors import GraphError, SecrystError

log = logging.getLogger(__name__)


class Decoders:
    """Opens what is needed when it is needed; ``hidden`` is the encoded text of the probe."""

    def __init__(self, graph: Path, options: EngineOptions, interrupt: Interrupt, hidden: Array) -> None:
        self._graph, self._options, self._interrupt, self._hidden = graph, options, interrupt, hidden
        untouched = None
        self._plan = planned(graph) if options.rewrite else None
        if self._plan is not None and not self._plan.notes:
            untouched = self._opened(graph)
            self._plan = self._checked(self._plan, untouched)
        self._lost = False
        self.steps = self._stepping(untouched)
        self.probe = self._remembered() or self._measured()
        if options.drafting and self._plan is not None and self._plan.coarse is not None:
            self.steps = self._sooner(self._plan, self._plan.coarse)

    @cached_property
    def passes(self) -> Decoder:
        """For several tokens a call. Opened when first needed, because a drafter never does."""
        if self._plan is None or self._plan.rows is None:
            return self.steps
        try:
            return Decoder(Session(self._plan.rows, self._options, self._interrupt), self.steps.prologue)
        except GraphError as error:  # the cache was emptied since the model was opened
            log.warning("%s is verified token by token: its form for passes is gone (%s)", self._graph.name, error)
            self._lost = True
            return self.steps

    def pass_state(self, source: dict[str, Array]) -> DecoderState:
        """A fresh sequence that is fed a block a call; token by token if the form for passes was lost.

        Where the forms agree to the bit, their keys and values are the same too: a single token takes the one that is
        sooner, and the sequence goes on.
        """
        passes = self.passes
        if self.agree and not self._lost:
            return self.steps.state(source, single=False, several=passes)
        return passes.state(source, single=self._lost)

    @property
    def agree(self) -> bool:
        """Whether passes and single steps give the same numbers, to the bit."""
        return self.probe.multi_token and self.probe.near_tie == 0.0

    def _stepping(self, untouched: Decoder | None) -> Decoder:
        if self._plan is not None:
            try:
                return self._opened(self._plan.step, self._plan.prologue)
            except GraphError as error:  # the cache was emptied by someone else just now
                log.warning("%s is opened as it is: its rewritten form is gone (%s)", self._graph.name, error)
                self._plan = None
        return untouched or self._opened(self._graph)

    def _sooner(self, plan: Plan, coarse: Path) -> Decoder:
        """The decoder for single steps, or its form with rounded products if that is sooner here; measured once."""
        if plan.notes.get("coarse") is False:
            return self.steps
        rounded = self._opened(coarse, plan.prologue)
        if "coarse" not in plan.notes:
            exact_s, rounded_s = _step_seconds(self.steps, self._hidden), _step_seconds(rounded, self._hidden)
            plan.note(coarse=rounded_s < exact_s)
        return rounded if plan.notes["coarse"] else self.steps

    def _opened(self, graph: Path, prologue: Path | None = None) -> Decoder:
        early = Session(prologue, self._options, self._interrupt, whole=True) if prologue is not None else None
        return Decoder(Session(graph, self._options, self._interrupt), early)

    def _checked(self, plan: Plan, untouched: Decoder) -> Plan | None:
        """``plan``, if single steps of its forms agree with the untouched graph's; else None, and the log says why."""
        sequence = probe_sequence()
        expected = _steps(untouched, self._hidden, sequence)
        try:
            for form in (plan.step, plan.rows):
                if form is None or (form == self._graph and plan.prologue is None):
                    continue
                found = _steps(self._opened(form, plan.prologue), self._hidden, sequence)
                off = float(np.abs(found - expected).max())
                # Where activations are quantized, the last bit of a number can move a logit far: no bit may differ.
                allowed = 0.0 if plan.rows is not None else TOLERANCE * np.abs(expected).max()
                if not np.array_equal(found.argmax(-1), expected.argmax(-1)) or off > allowed:
                    log.warning("%s is opened as it is: rewritten, it is off by %.3g", self._graph.name, off)
                    return None
        except SecrystError as error:
            log.warning("%s is opened as it is: rewritten, it fails (%s)", self._graph.name, error)
            return None
        return plan

    def _remembered(self) -> Probe | None:
        notes = self._plan.notes if self._plan is not None else {}
        try:
            return Probe(int(notes["vocabulary"]), notes["reason"], float(notes["near_tie"]))
        except (KeyError, TypeError, ValueError):
            return None

    def _measured(self) -> Probe:
        found = probe(self.steps, self.passes, self._hidden)
        if self._plan is not None:
            self._plan.note(vocabulary=found.vocabulary, reason=found.reason, near_tie=found.near_tie)
        return found


def _steps(decoder: Decoder, hidden: Array, sequence: list[int]) -> Array:
    state = decoder.state(decoder.read(hidden), single=True)
    return state.logits(sequence, STEPS).astype(np.float64)


def _step_seconds(decoder: Decoder, hidden: Array) -> float:
    """The median time of a single step, the first one left out."""
    state = decoder.state(decoder.read(hidden), single=True)
    times = []
    for end in range(STEPS):
        started = time.perf_counter()
        state.logits(probe_sequence()[:end])
        times.append(time.perf_counter() - started)
    return statistics.median(times[1:])
