"""Write src/plait/text/unicode_classes.py: the characters that words are made of.

Python's ``re`` knows no script and counts no combining mark as part of a word, and plait's core
depends on no other regular expression engine. So the classes are read once from the ``regex``
package, which brings the Unicode database, and committed as text.

Run: pip install regex && python scripts/make_unicode_classes.py
"""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import regex

TARGET = Path(__file__).parents[1] / "src" / "plait" / "text" / "unicode_classes.py"

# Script extensions rather than scripts, for letters that several of these scripts share, such as
# the prolonged sound mark of kana. Below U+0E00 these are signs that Latin text uses too.
SCRIPTS = ("Han", "Hiragana", "Katakana", "Bopomofo", "Hangul", "Thai", "Lao", "Khmer", "Myanmar")
UNSPACED = (
    "[["
    + "".join(rf"\p{{scx={script}}}" for script in SCRIPTS)
    + r"]&&[\p{L}\p{Nl}\p{No}]&&[\u0E00-\U0010FFFF]]"
)
MARK = r"\p{M}"
SPACED = rf"[[\p{{L}}\p{{N}}]--{UNSPACED}]"

HEADER = '''\
"""The characters that words are made of, as the inside of a regular expression's ``[...]``.

Written by scripts/make_unicode_classes.py from regex {regex}. Do not edit.

Each class is in two parts, the basic plane and the planes above: most text has no character of
the latter, and a class without them is matched ten times as fast.
"""
'''


def ranges(pattern: str) -> list[tuple[int, int]]:
    """The runs of code points that match one character class."""
    matches = regex.compile(pattern, regex.V1).match
    found: list[tuple[int, int]] = []
    for code in range(0x110000):
        if 0xD800 <= code < 0xE000 or not matches(chr(code)):
            continue
        if found and found[-1][1] == code - 1:
            found[-1] = (found[-1][0], code)
        else:
            found.append((code, code))
    return found


def escaped(code: int) -> str:
    """A code point as an escape that is safe inside ``[...]``."""
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def constant(name: str, comment: str, spans: list[tuple[int, int]]) -> str:
    """A module constant holding the spans, a few a line."""
    pieces = [
        escaped(first) if first == last else f"{escaped(first)}-{escaped(last)}"
        for first, last in spans
    ]
    lines = [""]
    for piece in pieces:
        if len(lines[-1]) + len(piece) > 88:
            lines.append("")
        lines[-1] += piece
    body = "\n".join(f'    "{line}"' for line in lines)
    return f"\n# {comment}\n{name} = (\n{body}\n)\n"


def main() -> None:
    """Write the module."""
    text = HEADER.format(regex=version("regex"))
    for name, comment, pattern in (
        ("SPACED", "Letters and digits of scripts that put spaces between words.", SPACED),
        (
            "UNSPACED",
            "Letters of the scripts that do not, from Chinese to Burmese.",
            UNSPACED,
        ),
        ("MARK", "Combining marks of every script: they belong to the character before.", MARK),
    ):
        spans = ranges(pattern)
        low = [span for span in spans if span[0] <= 0xFFFF]
        text += constant(name, comment, low)
        text += constant(f"{name}_ABOVE", "The same above the basic plane.", spans[len(low) :])
    TARGET.write_text(text)
    subprocess.run([sys.executable, "-m", "ruff", "format", "-q", str(TARGET)], check=True)


if __name__ == "__main__":
    main()
