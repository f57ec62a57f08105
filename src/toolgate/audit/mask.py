"""The mark that stands where a secret was."""

from collections.abc import Iterable

MASK = "[REDACTED]"


def replace_spans(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """Put the mask in place of each `(start, end)`; a span that begins inside an earlier one is dropped."""
    pieces: list[str] = []
    done = 0
    for start, end in spans:
        if start >= done:
            pieces += text[done:start], MASK
            done = end
    return "".join((*pieces, text[done:])) if pieces else text
