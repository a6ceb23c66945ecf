"""Elements of SVG, written so that nothing in a text or an attribute is taken for markup."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from markupsafe import Markup, escape

# Colours come again after so many classes, with other marks.
COLORS = 10


def short(value: float) -> str:
    """A place in a picture: one decimal is a tenth of a pixel.

    Examples
    --------
    >>> short(12.04), short(-0.01), short(3.25)
    ('12', '0', '3.2')
    """
    text = f"{value:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text


def element(tag: str, *children: str | Markup, **attributes: object) -> Markup:
    """An element; attributes of None are left out, "_" stands for "-", and a "_" at the end for nothing.

    Examples
    --------
    >>> print(element("text", "a < b", x=1.5, class_="tick"))
    <text x="1.5" class="tick">a &lt; b</text>
    """
    given = "".join(
        f' {name.rstrip("_").replace("_", "-")}="{escape(short(v) if isinstance(v, float) else v)}"'
        for name, v in attributes.items()
        if v is not None
    )
    inside = "".join(map(escape, children))
    return Markup(f"<{tag}{given}>{inside}</{tag}>" if inside else f"<{tag}{given}/>")


def picture(
    width: float, height: float, title: str, parts: Iterable[Markup], css: str = "figure", **attributes: object
) -> Markup:
    """A whole picture with a title for those who cannot see it."""
    return element(
        "svg",
        *parts,
        viewBox=f"0 0 {short(width)} {short(height)}",
        class_=css,
        role="img",
        aria_label=title,
        **attributes,
    )


def path(points: Iterable[tuple[float, float]], *, closed: bool = False) -> str:
    """The outline through points.

    Examples
    --------
    >>> path([(0, 0), (10, 5.25)])
    'M0 0L10 5.2'
    """
    text = "L".join(f"{short(x)} {short(y)}" for x, y in points)
    return f"M{text}{'Z' if closed else ''}" if text else ""


def color(k: int) -> str:
    """The CSS class that gives an element the colour of class k."""
    return f"k{k % COLORS}"


def mark(k: int, x: float, y: float, size: float = 3.2) -> str:
    """The outline of the mark of class k around a place: disc, square, triangle, diamond, or turned triangle."""
    shape = _SHAPES[(k + k // COLORS) % len(_SHAPES)]
    return shape(x, y, size)


def _disc(x: float, y: float, r: float) -> str:
    arc = f"a{short(r)} {short(r)} 0 1 0 "
    return f"M{short(x - r)} {short(y)}{arc}{short(2 * r)} 0{arc}{short(-2 * r)} 0Z"


def _polygon(corners: Sequence[tuple[float, float]]) -> Callable[[float, float, float], str]:
    def outline(x: float, y: float, r: float) -> str:
        return path([(x + r * a, y + r * b) for a, b in corners], closed=True)

    return outline


_SHAPES = (
    _disc,
    _polygon([(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)]),
    _polygon([(0, -1.2), (1.1, 0.8), (-1.1, 0.8)]),
    _polygon([(0, -1.3), (1.3, 0), (0, 1.3), (-1.3, 0)]),
    _polygon([(0, 1.2), (1.1, -0.8), (-1.1, -0.8)]),
)
