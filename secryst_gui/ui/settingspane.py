"""The settings dock: which pair, and how it decodes. It holds no model, only choices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QSignalBlocker, Qt, Signal, Slot
from PySide6.QtGui import QPaintEvent, QStandardItem, QStandardItemModel
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDockWidget,
    QFormLayout,
    QFrame,
    QLabel,
    QScrollArea,
    QSizePolicy,
    QSpinBox,
    QStyle,
    QStyleOptionComboBox,
    QStylePainter,
    QWidget,
)

from secryst_gui.ui.choices import (
    Choice,
    default_drafter,
    default_verifier,
    drafter_choices,
    pick,
    problems,
    verifier_choices,
)
from secryst_gui.ui.labels import Caption
from secryst_gui.ui.memory import DEFAULT_BLOCK_SIZE, MAX_BLOCK_SIZE, MAX_THREADS, MIN_BLOCK_SIZE
from secryst_gui.ui.requests import BuiltinDrafter, DrafterChoice, Pair

if TYPE_CHECKING:
    from pathlib import Path

    from secryst_gui.artifacts import Listing

SHOWN_PROBLEMS = 3


class ChoiceCombo(QComboBox):
    """A combo box over `Choice` values; those with a problem are greyed and carry it as their tooltip."""

    def __init__(self, name: str, accessible: str) -> None:
        super().__init__()
        self.setObjectName(name)
        self.setAccessibleName(accessible)
        self.view().setAccessibleName(f"{accessible}: choices")
        # The longest id must not widen the dock: the box elides, its list does not.
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(12)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setMaxVisibleItems(16)
        self.setPlaceholderText("none yet")
        self._choices: list[Choice] = []

    @property
    def choices(self) -> tuple[Choice, ...]:
        """What the list holds, in its order."""
        return tuple(self._choices)

    @property
    def value(self) -> DrafterChoice | None:
        """The chosen value."""
        return self.chosen.value if self.chosen else None

    def set_choices(self, choices: Sequence[Choice], value: DrafterChoice | None) -> None:
        """Fill the list and choose ``value``, without telling anyone that something changed."""
        with QSignalBlocker(self):
            self._choices = list(choices)
            model = QStandardItemModel(self)
            for choice in choices:
                item = QStandardItem(choice.label if choice.usable else f"{choice.label} – not usable here")
                item.setEnabled(choice.usable)
                item.setToolTip(choice.told)
                item.setData(choice.told, Qt.ItemDataRole.AccessibleDescriptionRole)
                model.appendRow(item)
            self.setModel(model)
            rows = [row for row, choice in enumerate(choices) if choice.value == value]
            self.setCurrentIndex(rows[0] if rows else -1)
            self.describe()
            view = self.view()
            view.setMinimumWidth(view.sizeHintForColumn(0) + 2 * view.frameWidth() + 24)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the box with its text shortened in the middle: Qt would cut a long id off."""
        painter = QStylePainter(self)
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        style = self.style()
        if self.currentIndex() < 0:
            option.currentText = self.placeholderText()
        room = style.subControlRect(
            QStyle.ComplexControl.CC_ComboBox, option, QStyle.SubControl.SC_ComboBoxEditField, self
        ).width()
        option.currentText = self.fontMetrics().elidedText(option.currentText, Qt.TextElideMode.ElideMiddle, room - 6)
        painter.drawComplexControl(QStyle.ComplexControl.CC_ComboBox, option)
        painter.drawControl(QStyle.ControlElement.CE_ComboBoxLabel, option)

    def choose(self, value: DrafterChoice) -> None:
        """Choose as a user would."""
        for row, choice in enumerate(self._choices):
            if choice.value == value and choice.usable:
                self.setCurrentIndex(row)
                self.describe()

    @property
    def chosen(self) -> Choice | None:
        """The chosen line."""
        row = self.currentIndex()
        return self._choices[row] if 0 <= row < len(self._choices) else None

    def describe(self) -> None:
        """Let the tooltip say what is chosen."""
        told = self.chosen.told if self.chosen else ""
        self.setToolTip(told)
        self.setAccessibleDescription(told)


class SettingsPane(QDockWidget):
    """Verifier, drafter, K, threads, raw. ``pair_changed`` when another pair or thread count should be loaded."""

    pair_changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Settings", parent)
        self.setObjectName("settingsPane")
        self.setAccessibleName("Settings")
        self._listings: tuple[Listing, ...] = ()
        self._starter: tuple[Listing, Listing] | None = None

        self.verifier = ChoiceCombo("verifierCombo", "Verifier")
        self.drafter = ChoiceCombo("drafterCombo", "Drafter")
        for combo in (self.verifier, self.drafter):
            combo.setEnabled(False)  # until the models are known
        self.block_size = _spin("blockSizeSpin", "Block size K", MIN_BLOCK_SIZE, MAX_BLOCK_SIZE)
        self.block_size.setValue(DEFAULT_BLOCK_SIZE)
        self.block_size.setSuffix(" tokens")
        self.block_size.setToolTip("How many tokens the drafter proposes for one pass of the verifier")
        self.adaptive = QCheckBox("&Adaptive: K chosen for each block")
        self.adaptive.setObjectName("adaptiveCheck")
        self.adaptive.setAccessibleName("Adaptive block size")
        self.adaptive.setToolTip("Longer blocks while drafts are accepted, shorter ones while they are not")
        self.adaptive.setChecked(True)
        self.threads = _spin("threadsSpin", "Threads", 0, MAX_THREADS)
        self.threads.setSpecialValueText("automatic")
        self.threads.setToolTip(
            "Threads of the runtime; automatic takes one for small models and all cores for large ones"
        )
        self.raw = QCheckBox("&Raw text, not normalised")
        self.raw.setObjectName("rawCheck")
        self.raw.setAccessibleName("Raw text, not normalised")
        self.raw.setToolTip("Marks already in the text stay; otherwise they are removed first, as the models expect")
        self._verifier_caption = Caption()
        self._drafter_caption = Caption()
        self._problems = Caption()
        self._problems.setObjectName("modelProblems")

        form = QFormLayout()
        form.setRowWrapPolicy(QFormLayout.RowWrapPolicy.WrapAllRows)
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        form.setContentsMargins(10, 8, 10, 10)
        form.setVerticalSpacing(5)
        for text, field, caption in (
            ("&Verifier", self.verifier, self._verifier_caption),
            ("&Drafter", self.drafter, self._drafter_caption),
            ("Block size &K", self.block_size, None),
            ("&Threads", self.threads, None),
        ):
            label = QLabel(text)
            label.setBuddy(field)
            form.addRow(label, field)
            if caption is not None:
                form.addRow(caption)
            if field is self.block_size:
                form.addRow(self.adaptive)
        form.addRow(self.raw)
        form.addRow(self._problems)
        content = QWidget()
        content.setLayout(form)
        area = QScrollArea()
        area.setObjectName("settingsScroll")
        area.setAccessibleName("Settings")
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        area.setWidgetResizable(True)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setWidget(content)
        self.setWidget(area)
        self.setMinimumWidth(220)

        self.verifier.currentIndexChanged.connect(self._verifier_chosen)
        self.drafter.currentIndexChanged.connect(self._drafter_chosen)
        self.threads.valueChanged.connect(self._threads_chosen)
        self.adaptive.toggled.connect(self._explain)
        self._explain()

    @property
    def pair(self) -> Pair | None:
        """The chosen pair; None while no verifier can be chosen."""
        verifier, drafter = self.verifier.value, self.drafter.value
        if verifier is None or isinstance(verifier, BuiltinDrafter) or drafter is None:
            return None
        return Pair(verifier, drafter)

    @property
    def chosen_block_size(self) -> int | None:
        """K, or None where it is chosen for each block."""
        return None if self.adaptive.isChecked() else self.block_size.value()

    @property
    def problems(self) -> str:
        """What the pane says about models that cannot be chosen."""
        return self._problems.plain

    def offer(
        self,
        listings: Sequence[Listing],
        starter: tuple[Listing, Listing] | None,
        verifier: Path | None,
        drafter: DrafterChoice | None,
    ) -> None:
        """Fill both lists; the given verifier and drafter are chosen where they can be, else the starter pair."""
        self._listings, self._starter = tuple(listings), starter
        choices = verifier_choices(listings)
        chosen = pick(choices, verifier, starter[0].path if starter else None, default_verifier(listings))
        self.verifier.set_choices(choices, chosen)
        self._offer_drafters(drafter)

    def _offer_drafters(self, wanted: DrafterChoice | None) -> None:
        verifier = next((one for one in self._listings if one.path == self.verifier.value), None)
        choices = drafter_choices(verifier, self._listings)
        if verifier is None:
            self.drafter.set_choices(choices, None)
        else:
            starter = self._starter[1].path if self._starter else None
            chosen = pick(choices, wanted, starter, default_drafter(verifier, self._listings))
            self.drafter.set_choices(choices, chosen)
        self.verifier.setEnabled(any(one.usable for one in self.verifier.choices))
        self.drafter.setEnabled(verifier is not None)
        self._explain()

    @Slot()
    def _explain(self) -> None:
        for combo, caption in ((self.verifier, self._verifier_caption), (self.drafter, self._drafter_caption)):
            caption.setText(combo.chosen.detail if combo.chosen else "")
        alone = self.drafter.value is BuiltinDrafter.NONE
        self.block_size.setEnabled(not alone and not self.adaptive.isChecked())
        self.adaptive.setEnabled(not alone)
        broken = problems(self.verifier.choices)
        unfit = sum(1 for one in self.drafter.choices if not one.usable) - len(broken)
        lines = broken[:SHOWN_PROBLEMS]
        if len(broken) > SHOWN_PROBLEMS:
            lines.append(f"{len(broken) - SHOWN_PROBLEMS} more cannot be used; their entries in the list say why.")
        if unfit > 0 and self.verifier.value is not None:
            models = "1 model does" if unfit == 1 else f"{unfit} models do"
            lines.append(f"{models} not fit as drafter here; the list's entries say why.")
        self._problems.setText("\n".join(lines))

    @Slot(int)
    def _verifier_chosen(self, _row: int) -> None:
        self.verifier.describe()
        self._offer_drafters(self.drafter.value)
        self.pair_changed.emit()

    @Slot(int)
    def _drafter_chosen(self, _row: int) -> None:
        self.drafter.describe()
        self._explain()
        self.pair_changed.emit()

    @Slot(int)
    def _threads_chosen(self, _count: int) -> None:
        self.pair_changed.emit()


def _spin(name: str, accessible: str, low: int, high: int) -> QSpinBox:
    spin = QSpinBox()
    spin.setObjectName(name)
    spin.setAccessibleName(accessible)
    spin.setRange(low, high)
    return spin
