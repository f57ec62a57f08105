"""Long, untrusted text in a document: its raw bytes, what is shown of it, and the whole of it for an artifact."""

import hashlib
from typing import Any

import msgspec

from toolgate.audit.redaction import redact, redact_text
from toolgate.envelopes.facts import plain
from toolgate.envelopes.markdown import head
from toolgate.envelopes.transcript import Transcript
from toolgate.model.outcome import Outcome


class Excerpt(msgspec.Struct, frozen=True, kw_only=True):
    """`raw` is hashed and never leaves; `whole` and `shown` are redacted."""

    name: str
    file_name: str
    raw: bytes
    whole: bytes
    shown: str
    is_cut: bool


def excerpts_of(outcome: Outcome, transcript: Transcript, *, result_id: str) -> tuple[Excerpt, Excerpt, Excerpt]:
    """The output, stdout and stderr."""
    return (
        _output(outcome, file_name=f"{result_id}.output.json"),
        _stream("stdout", transcript.stdout, file_name=f"{result_id}.stdout.txt"),
        _stream("stderr", transcript.stderr, file_name=f"{result_id}.stderr.txt"),
    )


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _output(outcome: Outcome, *, file_name: str) -> Excerpt:
    if not outcome.ok:
        return _excerpt("output", b"", "", file_name=file_name)
    raw = _encoded(outcome.output)
    # As a tree first: a secret may be known by the name of its field alone.
    masked = _encoded(redact(outcome.output).value)
    return _excerpt("output", raw, msgspec.json.format(masked, indent=2).decode(), file_name=file_name)


def _stream(name: str, raw: bytes, *, file_name: str) -> Excerpt:
    return _excerpt(name, raw, raw.decode("utf-8", "replace"), file_name=file_name)


def _excerpt(name: str, raw: bytes, text: str, *, file_name: str) -> Excerpt:
    # Redacted before it is cut: half a secret matches no pattern.
    whole = redact_text(text)
    shown, is_cut = head(whole)
    return Excerpt(name=name, file_name=file_name, raw=raw, whole=whole.encode(), shown=shown, is_cut=is_cut)


def _encoded(output: Any) -> bytes:
    try:
        return msgspec.json.encode(output)
    except (TypeError, ValueError, RecursionError):
        return msgspec.json.encode(plain(output))
