"""Fonts, icons and colours. Every colour is derived from the palette in force, so that views follow it live."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from PySide6.QtCore import QByteArray, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontDatabase, QIcon, QPainter, QPalette, QPixmap
from PySide6.QtSvg import QSvgRenderer

from secryst_gui import paths

READING_FAMILIES = ("Noto Naskh Arabic", "Amiri", "Scheherazade New", "Geeza Pro", "Traditional Arabic")
READING_POINTS = 15
LEAST_ACCENT_CONTRAST = 3.0  # what WCAG 2 asks of graphics
ICON_SIZE = QSize(18, 18)


@cache
def load_fonts() -> tuple[str, ...]:
    """Register the fonts that ship with the program, once; returns their families."""
    families: list[str] = []
    for path in sorted((paths.resources_dir() / "fonts").glob("*.ttf")):
        families += QFontDatabase.applicationFontFamilies(QFontDatabase.addApplicationFont(str(path)))
    return tuple(families)


def reading_font(points: int = READING_POINTS) -> QFont:
    """The font of texts: a naskh face, whose tall line leaves room for marks above and below, then the system's."""
    load_fonts()
    font = QFont()
    font.setFamilies([*READING_FAMILIES, *font.families()])
    font.setPointSize(points)
    return font


def small_font(font: QFont) -> QFont:
    """A copy of ``font`` one step smaller, for captions and hints."""
    smaller = QFont(font)
    smaller.setPointSizeF(font.pointSizeF() * 0.92)
    return smaller


def app_icon() -> QIcon:
    """The program's own icon, as vectors."""
    return QIcon(str(paths.resources_dir() / "icons" / "secryst.svg"))


def tinted_icon(name: str, palette: QPalette) -> QIcon:
    """A line icon in the palette's text colour, and greyed for the disabled state, sharp up to 300 %."""
    source = (paths.resources_dir() / "icons" / f"{name}.svg").read_text(encoding="utf-8")
    icon = QIcon()
    for mode, group in (
        (QIcon.Mode.Normal, QPalette.ColorGroup.Active),
        (QIcon.Mode.Disabled, QPalette.ColorGroup.Disabled),
    ):
        colour = palette.color(group, QPalette.ColorRole.ButtonText).name()
        renderer = QSvgRenderer(QByteArray(source.replace("currentColor", colour).encode()))
        for scale in (1, 2, 3):
            pixmap = QPixmap(ICON_SIZE * scale)
            pixmap.fill(Qt.GlobalColor.transparent)
            painter = QPainter(pixmap)
            renderer.render(painter, QRectF(pixmap.rect()))
            painter.end()
            pixmap.setDevicePixelRatio(scale)
            icon.addPixmap(pixmap, mode)
    return icon


def is_dark(palette: QPalette) -> bool:
    """Whether text is lighter than what it stands on; true also where the platform names no colour scheme."""
    window = palette.color(QPalette.ColorRole.Window).lightnessF()
    return palette.color(QPalette.ColorRole.WindowText).lightnessF() > window


def mix(one: QColor, other: QColor, share: float) -> QColor:
    """``one`` with ``share`` (0..1) of ``other``."""
    return QColor.fromRgbF(
        one.redF() * (1 - share) + other.redF() * share,
        one.greenF() * (1 - share) + other.greenF() * share,
        one.blueF() * (1 - share) + other.blueF() * share,
    )


def contrast(one: QColor, other: QColor) -> float:
    """The contrast ratio of WCAG 2, from 1 (none) to 21."""

    def luminance(colour: QColor) -> float:
        parts = (colour.redF(), colour.greenF(), colour.blueF())
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def accent_on(ground: QColor, palette: QPalette) -> QColor:
    """The palette's accent colour, unless it is too close to the ground: some themes leave it black or unset."""
    roles = (QPalette.ColorRole.Accent, QPalette.ColorRole.Highlight, QPalette.ColorRole.Link)
    candidates = [palette.color(role) for role in roles]
    fallback = QColor("#4a9bd4")
    return next((one for one in candidates if contrast(one, ground) >= LEAST_ACCENT_CONTRAST), fallback)


@dataclass(frozen=True, slots=True)
class PlotColours:
    """The plot's colours for one palette."""

    ground: QColor
    text: QColor
    grid: QColor
    drafted: QColor
    accepted: QColor
    rate: QColor


def plot_colours(palette: QPalette) -> PlotColours:
    """Accepted in the accent colour, drafted as its pale shadow, the running rate in a warm colour that stands off."""
    ground = palette.color(QPalette.ColorRole.Base)
    text = palette.color(QPalette.ColorRole.Text)
    accent = accent_on(ground, palette)
    dark = is_dark(palette)
    return PlotColours(
        ground=ground,
        text=mix(text, ground, 0.2),
        grid=mix(text, ground, 0.8),
        drafted=mix(accent, ground, 0.75 if not dark else 0.68),
        accepted=mix(accent, ground, 0.1),
        rate=QColor("#ffb454") if dark else QColor("#b4530a"),
    )
