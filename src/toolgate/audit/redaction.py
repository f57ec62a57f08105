"""Take secrets and personal data out of what is logged, emitted, traced or stored (spec README §3 Redaction).

Two things give a secret away: the name of its field, and its own shape. Both are looked for everywhere in a JSON-like
tree; the answer says where something was masked. Nothing here knows about events, logs or stores.
"""

from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import count
from typing import Any, NamedTuple, cast

import jsonschema_rs

from toolgate.audit.mask import MASK
from toolgate.audit.secret_patterns import SECRET_PATTERNS
from toolgate.audit.sensitive_names import is_sensitive_name
from toolgate.model.pointer import escape_step

__all__ = ["MASK", "Redacted", "is_sensitive_name", "redact", "redact_encoded", "redact_text"]

MAX_DEPTH = 200
MAX_SEARCHED_LENGTH = 131_072
"""A suspicious text beyond this is masked whole: searching megabytes would hold up every other call."""
# Hostile input can make every path long and every leaf a hit; the masking goes on, the list does not.
MAX_PATHS = 1000
_MAX_PATH_SEGMENT = 128
_MAX_SWEEPS = 4
_WITHOUT_TEXT = frozenset({int, float, bool, type(None)})

# The gate: could there be anything at all? jsonschema-rs is the one engine among our dependencies that runs such an
# expression as an automaton: linear on any input, and some twenty times faster than `re` on this many alternatives.
_may_hold_secrets = jsonschema_rs.validator_for(
    {"type": "string", "pattern": "|".join(pattern.hint for pattern in SECRET_PATTERNS)},
    pattern_options=jsonschema_rs.RegexOptions(),
).is_valid


class Redacted(NamedTuple):
    """A value without its secrets, and the JSON pointers of what was masked, in document order."""

    value: Any
    paths: tuple[str, ...]


def redact(value: Any) -> Redacted:
    """Mask secrets in a JSON-like tree; a clean tree comes back as the same object."""
    walk = _Walk()
    masked = walk.tree(value)
    return Redacted(masked, tuple(walk.paths))


def redact_encoded(value: Any, encoded: bytes) -> Redacted:
    """Do what `redact(value)` does, sparing a clean value the walk; `encoded` is its JSON."""
    if type(value) is dict and _holds_no_text(cast("dict[Any, Any]", value)):
        return Redacted(value, ())
    if _may_hold_secrets(encoded.decode()) or _may_be_too_deep(value, encoded):
        return redact(value)
    return Redacted(value, ())


def _holds_no_text(fields: dict[Any, Any]) -> bool:
    """True for a flat object of numbers and truth values under harmless names: there is nothing to search."""
    for name, item in fields.items():
        if type(item) not in _WITHOUT_TEXT or type(name) is not str or len(name) > 64 or not _is_harmless(name):
            return False
    return True


@lru_cache(maxsize=4096)  # of short names only: they come from callers
def _is_harmless(name: str) -> bool:
    return not is_sensitive_name(name) and redact_text(name) is name


def redact_text(text: str) -> str:
    """Mask secrets inside one text by their shape: a log line, an error message."""
    try:
        # str.__str__ makes a plain string of a subclass, which the gate refuses.
        suspicious = _may_hold_secrets(str.__str__(text))
    except UnicodeEncodeError:
        # Lone surrogates: no UTF-8, no verdict.
        suspicious = True
    if not suspicious:
        return text
    return _masked_for_good(text) if len(text) <= MAX_SEARCHED_LENGTH else MASK


def _masked_for_good(text: str) -> str:
    """Mask until nothing changes, because a mask may free what stood next to it."""
    for _ in range(_MAX_SWEEPS):
        masked = _swept(text)
        if masked == text:
            return text
        text = masked
    # Only a text made to resist gets here; it may not buy time with one layer per sweep.
    return MASK


def _swept(text: str) -> str:
    for pattern in SECRET_PATTERNS:
        text = pattern.mask(text)
    return text


def _may_be_too_deep(value: Any, encoded: bytes) -> bool:
    brackets = encoded.count(b"{") + encoded.count(b"[")
    return brackets > MAX_DEPTH and _is_too_deep(value)


def _is_too_deep(value: Any) -> bool:
    level = _containers([value])
    for _ in range(MAX_DEPTH):
        level = [child for node in level for child in _containers(node)]
    return bool(level)


def _containers(node: Any) -> list[Any]:
    children = cast("Iterable[Any]", node.values() if isinstance(node, dict) else node)
    return [child for child in children if isinstance(child, (dict, list, tuple))]


class _Walk:
    """One pass over a tree; remembers where it is and what it masked."""

    def __init__(self) -> None:
        self.paths: list[str] = []
        self._trail: list[str] = []

    def tree(self, value: Any) -> Any:
        if isinstance(value, str):
            return self._text(value)
        if not isinstance(value, (dict, list, tuple)):
            return value
        if len(self._trail) >= MAX_DEPTH:
            return self._masked()
        if isinstance(value, dict):
            return self._mapping(cast("dict[Any, Any]", value))
        return self._sequence(cast("list[Any] | tuple[Any, ...]", value))

    def _text(self, text: str) -> str:
        masked = redact_text(text)
        if masked is not text:
            self._note()
        return masked

    def _sequence(self, items: list[Any] | tuple[Any, ...]) -> Any:
        masked = [self._child(item, index=index) for index, item in enumerate(items)]
        if all(new is old for new, old in zip(masked, items, strict=True)):
            return items
        return tuple(masked) if isinstance(items, tuple) else masked

    def _mapping(self, fields: dict[Any, Any]) -> dict[Any, Any]:
        masked: dict[Any, Any] = {}
        numbers = count(2)
        changed = False
        for key, item in fields.items():
            new_key = _free_key(_masked_key(key), taken=masked, numbers=numbers)
            masked[new_key] = self._field(item, key=key, new_key=new_key)
            changed = changed or new_key is not key or masked[new_key] is not item
        return masked if changed else fields

    def _field(self, item: Any, *, key: Any, new_key: Any) -> Any:
        self._trail.append(str(new_key))
        if new_key is not key:
            self._note()
        if _is_sensitive(key) or _is_sensitive(new_key):
            masked = item if _is_nothing(item) else self._masked()
        else:
            masked = self.tree(item)
        self._trail.pop()
        return masked

    def _child(self, item: Any, *, index: int) -> Any:
        self._trail.append(str(index))
        masked = self.tree(item)
        self._trail.pop()
        return masked

    def _masked(self) -> str:
        self._note()
        return MASK

    def _note(self) -> None:
        if len(self.paths) >= MAX_PATHS:
            return
        path = "".join("/" + _escaped(segment) for segment in self._trail)
        # A field whose key and value are both masked is still one place.
        if self.paths[-1:] != [path]:
            self.paths.append(path)


def _masked_key(key: Any) -> Any:
    return redact_text(key) if isinstance(key, str) else key


def _free_key(key: Any, *, taken: dict[Any, Any], numbers: Iterator[int]) -> Any:
    """Two masked keys must not become one field; the numbers only go up, so a full dict stays linear."""
    free = key
    while free in taken:
        free = f"{key}#{next(numbers)}"
    return free


def _is_sensitive(key: Any) -> bool:
    return isinstance(key, str) and is_sensitive_name(key)


def _is_nothing(item: Any) -> bool:
    """Absent, a yes or no, or masked before: there is nothing to hide, and a reader wants to see it."""
    return item is None or isinstance(item, bool) or (isinstance(item, str) and item in ("", MASK))


def _escaped(segment: str) -> str:
    return escape_step(segment[:_MAX_PATH_SEGMENT])
