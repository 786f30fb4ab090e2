"""The main window: texts above, plot and block table below, settings in a dock.

Deliveries from the worker are only collected as they come; a timer that runs while there is something to show takes
them over at about 30 Hz, a bounded number at a time. So a fast model cannot flood the window, and an idle window uses
no processor time.
"""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QAction, QCloseEvent, QDragEnterEvent, QDropEvent, QGuiApplication, QKeySequence
from PySide6.QtWidgets import (
    QFileDialog,
    QMainWindow,
    QMessageBox,
    QSizePolicy,
    QToolBar,
    QWidget,
)

from secryst_gui import __version__, paths
from secryst_gui.errors import InputError
from secryst_gui.records import Entry, Keep, Trace
from secryst_gui.ui import theme
from secryst_gui.ui.choices import problems
from secryst_gui.ui.files import read_text, write_text
from secryst_gui.ui.historypane import HistoryPane
from secryst_gui.ui.historyservice import HistoryAnswer, HistoryFailed, HistoryService, TraceRead, TraceSaved
from secryst_gui.ui.memory import WindowMemory
from secryst_gui.ui.recorder import RunRecorder
from secryst_gui.ui.requests import (
    Compared,
    Delivery,
    Failed,
    Loaded,
    Loading,
    Pair,
    Stopped,
    Surveyed,
    SweepEnded,
    Swept,
)
from secryst_gui.ui.service import DecodingService
from secryst_gui.ui.settingspane import SettingsPane
from secryst_gui.ui.statusline import STOP_WORDS, StatusLine
from secryst_gui.ui.workspace import Workspace

if TYPE_CHECKING:
    from secryst_gui.engine import BlockEvent, DoneEvent, LineEvent, ProgressEvent

PULSE_MS = 33
MOST_PER_PULSE = 200  # deliveries; some 10 ms of work at most
PREPARE_DELAY_MS = 250  # scrolling through a combo box must not load every model it passes


class MainWindow(QMainWindow):
    """Wires the views to one `DecodingService` and one `HistoryService`.

    ``samples`` are named texts, the first for the first start.
    """

    settled = Signal(str)  # work has ended, for better or worse; the state as shown

    def __init__(
        self, service: DecodingService, history: HistoryService, memory: WindowMemory, samples: Mapping[str, str]
    ) -> None:
        super().__init__()
        self.setObjectName("mainWindow")
        self.setWindowTitle("Secryst Desktop")
        self._service = service
        self._memory = memory
        self._samples = dict(samples)
        self._pending: deque[Delivery] = deque()
        self._surveying: int | None = None
        self._preparing: int | None = None
        self._translating: int | None = None
        self._translated: Pair | None = None  # the pair of the last translation
        self._block_size: int | None = None
        self._raw = False
        self._text = ""  # what was translated last
        self._reading = False  # a text is put into the source view that need not be translated
        self._again = False  # another text is waiting for the end of this one
        self._is_live = False  # this one was begun by typing
        self._recorder = RunRecorder()

        self.workspace = Workspace()
        self.source = self.workspace.source
        self.output = self.workspace.output
        self.plot = self.workspace.plot
        self.table = self.workspace.table
        self.message = self.workspace.message
        self.empty = self.workspace.empty
        self.settings = SettingsPane()
        self._kept = history
        self.history = HistoryPane(history)
        self.status = StatusLine()
        self.setStatusBar(self.status)
        self._build_layout()
        self._build_actions()

        self._pulse = QTimer(self)
        self._pulse.setSingleShot(True)
        self._pulse.setInterval(PULSE_MS)
        self._pulse.timeout.connect(self._take_over)
        self._prepare_timer = QTimer(self)
        self._prepare_timer.setSingleShot(True)
        self._prepare_timer.setInterval(PREPARE_DELAY_MS)
        self._prepare_timer.timeout.connect(self._prepare)

        self._service.happened.connect(self._collect)
        self.source.textChanged.connect(self._update_actions)
        self.source.paused.connect(self._typed)
        self.history.opened.connect(self._show_entry)
        self.history.keep_changed.connect(self._keep_changed)
        self._kept.answered.connect(self._kept_answered)
        self.output.textChanged.connect(self._update_actions)
        self.settings.pair_changed.connect(self._pair_changed)
        self.empty.look_again.connect(self.look_for_models)
        self._recall()
        self._update_actions()
        self.status.set_state("Looking for models…")

    @property
    def is_worker_done(self) -> bool:
        """Whether the worker thread has ended, as it does when the window is closed."""
        return self._service.is_closed

    # ------------------------------------------------------------------------------------------ building

    def _build_layout(self) -> None:
        self.setCentralWidget(self.workspace)
        self.addDockWidget(Qt.DockWidgetArea.RightDockWidgetArea, self.settings)
        self.addDockWidget(Qt.DockWidgetArea.LeftDockWidgetArea, self.history)
        self.history.hide()
        self.setAcceptDrops(True)
        self.setDockNestingEnabled(False)
        self.resize(1160, 740)
        self.resizeDocks([self.settings], [270], Qt.Orientation.Horizontal)
        order: list[QWidget] = [self.source, self.output, self.table, self.settings.verifier, self.settings.drafter]
        order += [self.settings.block_size, self.settings.adaptive, self.settings.threads, self.settings.raw]
        for before, after in itertools.pairwise(order):
            QWidget.setTabOrder(before, after)

    def _build_actions(self) -> None:
        self.translate_action = self._action("&Translate", "translateAction", "Ctrl+Return", self.translate)
        self.translate_action.setShortcuts([QKeySequence("Ctrl+Return"), QKeySequence("Ctrl+Enter")])
        self.stop_action = self._action("&Stop", "stopAction", "Esc", self.stop)
        self.copy_action = self._action("&Copy output", "copyAction", "Ctrl+Shift+C", self.copy_output)
        self.live_action = self._action("Translate while t&yping", "liveAction", "Ctrl+Shift+L", self._live_chosen)
        self.live_action.setCheckable(True)
        open_action = self._action("&Open text…", "openAction", "Ctrl+O", self.ask_for_text)
        self._save_action = self._action("&Save output…", "saveAction", "Ctrl+S", self.ask_where_to_save)
        open_trace = self._action("Open t&race…", "openTraceAction", "Ctrl+Shift+O", self.ask_for_trace)
        self._save_trace_action = self._action(
            "Save trac&e…", "saveTraceAction", "Ctrl+Shift+S", self.ask_where_to_save_trace
        )
        self._history_action = self.history.toggleViewAction()
        self._history_action.setObjectName("historyAction")
        self._history_action.setText("&History")
        self._history_action.setShortcut(QKeySequence("Ctrl+H"))
        self._history_action.setToolTip(_tip("Show or hide the history", self._history_action))
        look = self._action("&Look for models again", "lookAction", "F5", self.look_for_models)
        quit_action = self._action("&Quit", "quitAction", "Ctrl+Q", self.close)
        quit_action.setMenuRole(QAction.MenuRole.QuitRole)
        self._settings_action = self.settings.toggleViewAction()
        self._settings_action.setObjectName("settingsAction")
        self._settings_action.setText("Se&ttings")
        self._settings_action.setShortcut(QKeySequence("Ctrl+,"))
        self._settings_action.setToolTip(_tip("Show or hide the settings", self._settings_action))
        self._instruments_action = self._action("&Plot and blocks", "instrumentsAction", "Ctrl+.", self._show_details)
        self._instruments_action.setCheckable(True)
        self._instruments_action.setChecked(True)
        about = self._action("&About Secryst Desktop", "aboutAction", "", self._about)
        about.setMenuRole(QAction.MenuRole.AboutRole)

        bar = self.menuBar()
        bar.setAccessibleName("Menu")
        text_menu = bar.addMenu("Te&xt")
        text_menu.addActions([open_action, self._save_action])
        text_menu.addSeparator()
        text_menu.addActions([self.translate_action, self.stop_action, self.live_action])
        text_menu.addSeparator()
        sample_menu = text_menu.addMenu("Sa&mple text")
        for name in self._samples:
            sample = self._action(name.capitalize(), f"sample-{name}", "", self._insert_sample)
            sample.setData(name)
            sample_menu.addAction(sample)
        sample_menu.setEnabled(bool(self._samples))
        text_menu.addSeparator()
        text_menu.addAction(self.copy_action)
        text_menu.addSeparator()
        text_menu.addActions([open_trace, self._save_trace_action])
        text_menu.addSeparator()
        text_menu.addAction(quit_action)
        view_menu = bar.addMenu("Vie&w")
        view_menu.addActions([self._settings_action, self._history_action, self._instruments_action])
        view_menu.addSeparator()
        view_menu.addAction(look)
        bar.addMenu("&Help").addAction(about)

        tools = QToolBar("Tools")
        tools.setObjectName("toolBar")
        tools.setMovable(False)
        tools.setIconSize(theme.ICON_SIZE)
        tools.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        tools.toggleViewAction().setEnabled(False)  # a hidden toolbar would be hard to get back
        tools.addActions([self.translate_action, self.stop_action])
        tools.addSeparator()
        tools.addAction(self.copy_action)
        spacer = QWidget()
        spacer.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        tools.addWidget(spacer)
        tools.addAction(self._settings_action)
        self.addToolBar(tools)
        self._tint_icons()

    def _action(self, text: str, name: str, shortcut: str, does: object) -> QAction:
        action = QAction(text, self)
        action.setObjectName(name)
        if shortcut:
            action.setShortcut(QKeySequence(shortcut))
        action.setToolTip(_tip(text.replace("&", ""), action))
        action.triggered.connect(does)
        return action

    def _tint_icons(self) -> None:
        palette = self.palette()
        self.translate_action.setIcon(theme.tinted_icon("translate", palette))
        self.stop_action.setIcon(theme.tinted_icon("stop", palette))
        self.copy_action.setIcon(theme.tinted_icon("copy", palette))
        self._settings_action.setIcon(theme.tinted_icon("settings", palette))

    # ------------------------------------------------------------------------------------------ what the user does

    @Slot()
    def look_for_models(self) -> None:
        """Ask the worker what models there are."""
        self._surveying = self._service.survey()
        if self._translating is None:
            self.status.set_state("Looking for models…")

    @Slot()
    def translate(self) -> None:
        """Decode the source text with the chosen pair; the output begins anew."""
        self._begin(live=False)

    @Slot()
    def _typed(self) -> None:
        """Typing has paused: the newest text wins."""
        if self.live_action.isChecked() and not self._reading:
            self._begin(live=True)

    @Slot(bool)
    def _live_chosen(self, chosen: bool) -> None:
        if chosen:
            self._typed()

    def _begin(self, *, live: bool) -> bool:
        """Translate what there is, unless there is nothing new; whether that has begun."""
        pair = self.settings.pair
        text = self.source.text()
        if self._translating is not None:
            if live and text != self._text:
                self._again = True  # begun as soon as the running one has ended, within one decoder call
                self._service.cancel()
            return False
        if pair is None or not text or (live and (pair, text) == (self._translated, self._text)):
            return False
        self._is_live, self._text = live, text
        self.message.dismiss()
        self.output.begin()
        self.table.begin()
        self.plot.begin(self.settings.chosen_block_size)
        self.status.clear_figures()
        self.status.set_state("Starting…")
        self._prepare_timer.stop()
        self._translated = pair
        self._block_size, self._raw = self.settings.chosen_block_size, self.settings.raw.isChecked()
        self._translating = self._service.translate(
            pair, self.settings.threads.value(), text, self._block_size, self._raw
        )
        self._update_actions()
        return True

    @Slot()
    def stop(self) -> None:
        """End the decoding within one decoder call; what was decoded so far stays."""
        if self._translating is not None:
            self.status.set_state("Stopping…")
            self._service.cancel()

    @Slot()
    def copy_output(self) -> None:
        """Put the whole output on the clipboard, with plain line breaks."""
        QGuiApplication.clipboard().setText(self.output.text())
        self.status.set_state("Output copied")

    @Slot()
    def _insert_sample(self) -> None:
        action = self.sender()
        if isinstance(action, QAction):
            self._put(self._samples[str(action.data())])

    @Slot(bool)
    def _show_details(self, shown: bool) -> None:
        self.workspace.show_instruments(shown)

    @Slot()
    def _about(self) -> None:
        QMessageBox.about(
            self,
            "About Secryst Desktop",
            f"<b>Secryst Desktop</b> {__version__}"
            "<p>Reveals the reading of a text on your own machine: a small drafter proposes, a larger "
            "verifier decides, and the output is the verifier's own.</p>"
            "<p>The font Noto Naskh Arabic is under the SIL Open Font License 1.1.</p>",
        )

    @Slot()
    def _pair_changed(self) -> None:
        self._prepare_timer.start()
        self._update_actions()

    @Slot()
    def _prepare(self) -> None:
        """Load the chosen pair ahead of the translation; a running one is left to end first."""
        pair = self.settings.pair
        if pair is None or self._translating is not None or self._surveying is not None:
            return
        self._service.cancel()  # an earlier pair that waits to be loaded is no longer wanted
        self._preparing = self._service.prepare(pair, self.settings.threads.value())

    # ------------------------------------------------------------------------------------------ files and history

    @Slot()
    def ask_for_text(self) -> None:
        """Let the user choose a text file, and put its text into the source view."""
        name, _ = QFileDialog.getOpenFileName(self, "Open text", "", "Texts (*.txt *.md);;All files (*)")
        if name:
            self.open_files([Path(name)])

    def open_files(self, files: Sequence[Path]) -> None:
        """Put the texts of ``files`` into the source view, one after the other; Ctrl+Z brings back what was there."""
        try:
            texts = [read_text(path) for path in files]
        except InputError as error:
            self.message.say(str(error))
            return
        if texts:
            self._put("\n".join(texts))

    def _put(self, text: str) -> None:
        # Through a cursor, not setPlainText: so that Ctrl+Z brings the user's own text back.
        cursor = self.source.textCursor()
        cursor.select(cursor.SelectionType.Document)
        cursor.insertText(text)
        self.source.setFocus()

    @Slot()
    def ask_where_to_save(self) -> None:
        """Write the output to a file of the user's choice."""
        name, _ = QFileDialog.getSaveFileName(self, "Save output", "output.txt", "Texts (*.txt);;All files (*)")
        if name:
            self._save(Path(name))

    def _save(self, path: Path) -> None:
        try:
            write_text(path, self.output.text())
        except InputError as error:
            self.message.say(str(error))
        else:
            self.status.set_state(f"Output saved as {path.name}")

    @Slot()
    def ask_for_trace(self) -> None:
        """Let the user choose a trace of an earlier run, and show it; no model is needed."""
        name, _ = QFileDialog.getOpenFileName(self, "Open trace", "", "Traces (*.jsonl);;All files (*)")
        if name:
            self._kept.read_trace(Path(name))

    @Slot()
    def ask_where_to_save_trace(self) -> None:
        """Write the last run, block by block, to a file of the user's choice."""
        trace = self._recorder.trace
        if trace is None:
            return
        name, _ = QFileDialog.getSaveFileName(self, "Save trace", "trace.jsonl", "Traces (*.jsonl);;All files (*)")
        if name:
            self._kept.save_trace(Path(name), trace)

    @Slot(object)
    def _kept_answered(self, answer: HistoryAnswer) -> None:
        event = answer.event
        if isinstance(event, TraceRead):
            trace = event.trace
            self._show_trace(trace, trace.header.input or "", trace.output)
            if trace.remark:
                self.message.say(trace.remark)
        elif isinstance(event, TraceSaved):
            self.status.set_state(f"Trace saved as {event.path.name}")
        elif isinstance(event, HistoryFailed) and not self.history.isVisible():
            self.message.say(event.message)

    @Slot(object)
    def _show_entry(self, entry: Entry) -> None:
        self._show_trace(entry.trace, entry.source, entry.output)
        if entry.remark:
            self.message.say(entry.remark)

    @Slot(object)
    def _keep_changed(self, keep: Keep) -> None:
        self._memory.history = keep
        self._memory.save()

    def _show_trace(self, trace: Trace | None, source: str, output: str) -> None:
        """Show an earlier run as if it had just ended: texts, plot and table; nothing is decoded."""
        self.stop()
        self._again = False
        self._reading = True
        self._put(source)
        self._reading = False
        self._text, self._translated = source, self.settings.pair
        self.message.dismiss()
        self.output.begin()
        self.table.begin()
        self.plot.begin(trace.header.block_size if trace is not None else None)
        self.status.clear_figures()
        if trace is not None:
            from secryst_gui.engine import DoneEvent

            self._recorder.trace = trace
            self.output.add(event for event in trace.events if not isinstance(event, DoneEvent))
            blocks = [event for event in trace.blocks if event.draft or event.bonus is not None]
            self.plot.add(blocks)
            self.table.add(blocks)
            self.plot.redraw()
            if blocks:
                self.status.show_figures(blocks[-1].stats)
        self.output.finish(output)
        self._idle("Shown as it was kept")

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Files may be dropped anywhere on the window."""
        if _dropped(event):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        """Open what was dropped."""
        self.open_files(_dropped(event))
        event.acceptProposedAction()

    # ------------------------------------------------------------------------------------------ what the worker tells

    @Slot(object)
    def _collect(self, delivery: Delivery) -> None:
        self._pending.append(delivery)
        if not self._pulse.isActive():
            self._pulse.start()

    @Slot()
    def _take_over(self) -> None:
        """Show what has come in since the last pulse, grouped by view: each view is touched once."""
        texts: list[BlockEvent | LineEvent] = []
        blocks: list[BlockEvent] = []
        progress: ProgressEvent | None = None
        last: DoneEvent | Failed | Stopped | None = None
        for _ in range(min(len(self._pending), MOST_PER_PULSE)):
            delivery = self._pending.popleft()
            event = delivery.event
            if delivery.number != self._translating:
                self._notice(delivery)
            elif isinstance(event, Failed | Stopped):
                last = event
            elif isinstance(event, Loading):
                self.status.set_state(f"Loading {event.name}…")
            elif isinstance(event, Loaded):
                self._translation_begins(event)
            elif not isinstance(event, Surveyed | Compared | Swept | SweepEnded):
                # Only now: the engine's own events come from a worker that has imported the engine. Importing it
                # here, for the sake of an earlier notice, would hold this thread for half a second.
                from secryst_gui.engine import BlockEvent, DoneEvent, ProgressEvent

                if isinstance(event, DoneEvent):
                    last = event
                    self._recorder.take(event)
                elif isinstance(event, ProgressEvent):
                    progress = event
                else:
                    texts.append(event)
                    self._recorder.take(event)
                    # Without either it only hands over the last letter of a run that was stopped.
                    if isinstance(event, BlockEvent) and (event.draft or event.bonus is not None):
                        blocks.append(event)
        self.output.add(texts)
        self.plot.add(blocks)
        self.table.add(blocks)
        if blocks:
            self.status.show_figures(blocks[-1].stats)
        if progress is not None:
            self.status.show_progress(progress.line, progress.lines)
        if last is not None:
            self._end(last)
        self.plot.redraw()
        if self._pending:
            self._pulse.start()

    def _notice(self, delivery: Delivery) -> None:
        """A survey's or a preparation's answer; anything else is of a request that no longer matters."""
        event, number = delivery.event, delivery.number
        if isinstance(event, Surveyed) and number == self._surveying:
            self._surveying = None
            self._surveyed(event)
        elif isinstance(event, Failed) and number in (self._surveying, self._preparing):
            self._surveying = None if number == self._surveying else self._surveying
            self.message.say(event.message)
            self._idle("This pair could not be loaded" if number == self._preparing else "Ready")
        elif number == self._preparing and self._translating is None:
            if isinstance(event, Loading):
                self.status.set_state(f"Loading {event.name}…")
            elif isinstance(event, Loaded):
                self._idle("Ready", event.remark)

    def _surveyed(self, event: Surveyed) -> None:
        pane, memory = self.settings, self._memory
        before = pane.pair
        pane.offer(
            event.listings,
            event.starter,
            before.verifier if before else memory.verifier,
            before.drafter if before else memory.drafter,
        )
        broken = problems(pane.verifier.choices)
        if pane.pair is None:
            self.empty.explain(str(paths.cache_dir() / "models"), broken)
            self.workspace.show_empty(True)
            self._idle("No model can be used yet")
        else:
            self.workspace.show_empty(False)
            if before is not None and pane.pair != before:
                self.message.say("The chosen pair is no longer complete on this machine, so another one was chosen.")
            self._update_actions()
            self._prepare()

    def _translation_begins(self, event: Loaded) -> None:
        self.status.set_state("Translating…")
        self._recorder.begin(event.verifier, event.drafters, self._block_size, self._raw, self._text)
        if event.remark:
            self.status.setToolTip(event.remark)

    def _end(self, event: DoneEvent | Failed | Stopped) -> None:
        self._translating = None
        self.status.hide_progress()
        record = self._recorder.end(growing=self._is_live)
        again, self._again = self._again, False
        if record is not None and not again:
            self._kept.add(record)
        if again and self._begin(live=True):
            return
        if isinstance(event, Failed):
            self.message.say(event.message)
            self._idle("The translation ended early")
        elif isinstance(event, Stopped):
            self._idle(STOP_WORDS["cancelled"])
        else:
            if event.stop != "cancelled":  # else what was streamed stays, to the last block
                self.output.finish(event.output)
            if event.stats.blocks:
                self.status.show_figures(event.stats)
            self._idle(STOP_WORDS.get(event.stop, "Done"))
        if self.settings.pair != self._translated:  # chosen while this was going on
            self._prepare()

    def _idle(self, state: str, remark: str | None = None) -> None:
        if self._translating is not None:
            return
        self.status.set_state(state)
        self.status.setToolTip(remark or "")
        self._update_actions()
        self.settled.emit(state)

    @Slot()
    def _update_actions(self) -> None:
        working = self._translating is not None
        ready = self.settings.pair is not None and not self.source.document().isEmpty()
        self.translate_action.setEnabled(ready and not working)
        self.stop_action.setEnabled(working)
        has_output = not self.output.document().isEmpty()
        self.copy_action.setEnabled(has_output)
        self._save_action.setEnabled(has_output)
        self._save_trace_action.setEnabled(self._recorder.trace is not None and not working)

    # ------------------------------------------------------------------------------------------ living on a desktop

    def changeEvent(self, event: QEvent) -> None:
        """Follow the palette: icons are tinted anew, the views do it themselves."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "_settings_action"):
            self._tint_icons()

    def closeEvent(self, event: QCloseEvent) -> None:
        """Remember everything, end the work, wait for the worker a bounded time."""
        self._remember()
        self.hide()  # the user need not watch a decoder call end
        self._pulse.stop()
        self._prepare_timer.stop()
        self._pending.clear()
        self._service.happened.disconnect(self._collect)
        self._kept.answered.disconnect(self._kept_answered)
        self._service.close()
        self._kept.close()
        super().closeEvent(event)

    def _recall(self) -> None:
        memory = self._memory
        text = memory.source_text
        self.source.setPlainText(next(iter(self._samples.values()), "") if text is None else text)
        self.settings.block_size.setValue(memory.block_size)
        self.settings.adaptive.setChecked(memory.adaptive)
        self.settings.threads.setValue(memory.threads)
        self.settings.raw.setChecked(memory.raw)
        self.live_action.setChecked(memory.live)
        self._prepare_timer.stop()
        for name, restore in (
            ("geometry", self.restoreGeometry),
            ("window", self.restoreState),
        ):
            state = memory.layout(name)
            if state is not None:
                restore(state)
        for splitter in self.workspace.splitters():
            state = memory.layout(splitter.objectName())
            if state is not None:
                splitter.restoreState(state)
        self.workspace.arrange()

    def _remember(self) -> None:
        memory, pane = self._memory, self.settings
        memory.source_text = self.source.text()
        if pane.pair is not None:  # without any model the last choice stays remembered for when it is back
            memory.verifier, memory.drafter = pane.pair.verifier, pane.pair.drafter
        memory.block_size = pane.block_size.value()
        memory.adaptive = pane.adaptive.isChecked()
        memory.threads = pane.threads.value()
        memory.raw = pane.raw.isChecked()
        memory.live = self.live_action.isChecked()
        memory.set_layout("geometry", self.saveGeometry())
        memory.set_layout("window", self.saveState())
        for splitter in self.workspace.splitters():
            memory.set_layout(splitter.objectName(), splitter.saveState())
        memory.save()


def _dropped(event: QDropEvent) -> list[Path]:
    """The local files that are dropped."""
    return [Path(url.toLocalFile()) for url in event.mimeData().urls() if url.isLocalFile()]


def _tip(text: str, action: QAction) -> str:
    keys: Sequence[str] = [one.toString(QKeySequence.SequenceFormat.NativeText) for one in action.shortcuts()]
    return f"{text} ({keys[0]})" if keys else text
