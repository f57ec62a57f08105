"""How the policy engine is asked (§4.2.2): within 500 ms, and closed to everything but a clear yes.

A decision cache is a `PolicyEngine` around another one; the authoriser need not know.
"""

import asyncio
from typing import Any, NoReturn

from toolgate.errors import (
    CredentialsDenied,
    FilesystemDenied,
    NetworkDenied,
    OperationNotAllowed,
    PermissionDenied,
    PolicyUnavailable,
)
from toolgate.model.agent import ABACCheckRequest, ABACCheckResponse
from toolgate.ports import Clock, PolicyEngine

POLICY_TIMEOUT_SECONDS = 0.5
_REASON_LENGTH = 200

_ALLOWED = ABACCheckResponse(allowed=True)

_DENIALS: dict[str, tuple[type[PermissionDenied], str]] = {
    "filesystem": (FilesystemDenied, "the policy does not allow the files this call needs"),
    "network": (NetworkDenied, "the policy does not allow the hosts this call needs"),
    "credentials": (CredentialsDenied, "the policy does not allow the credentials this call needs"),
}


class NoPolicy:
    """Implements `PolicyEngine` with policy switched off: whatever a valid token allows is allowed."""

    async def decide(self, question: ABACCheckRequest) -> ABACCheckResponse:
        return _ALLOWED


class TimedPolicy:
    """An engine that always answers in time: a late or failed decision is `PolicyUnavailable`."""

    def __init__(self, engine: PolicyEngine, *, clock: Clock) -> None:
        self._engine = engine
        self._clock = clock

    async def decide(self, question: ABACCheckRequest) -> ABACCheckResponse:
        try:
            with _TimeLimit(self._clock):
                return await self._engine.decide(question)
        except PolicyUnavailable:
            raise
        except Exception as error:
            raise PolicyUnavailable from error

    def __repr__(self) -> str:
        return f"TimedPolicy({self._engine!r})"


class _TimeLimit:
    """Does what `asyncio.timeout` does, but with the clock's time instead of the event loop's."""

    def __init__(self, clock: Clock) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._task = task
        self._cancelled_before = task.cancelling()
        self._is_late = False
        self._timer = clock.call_later(POLICY_TIMEOUT_SECONDS, self._cancel)

    def _cancel(self) -> None:
        self._is_late = True
        self._task.cancel()

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, traceback: object) -> None:
        self._timer.cancel()
        if not self._is_late:
            return
        only_by_us = self._task.uncancel() <= self._cancelled_before
        if only_by_us or not isinstance(error, asyncio.CancelledError):
            raise PolicyUnavailable from None


def raise_denial(answer: ABACCheckResponse, *, operation: str) -> NoReturn:
    """Raise the row that the answer's reason names first; a reason that names none denies the operation as such."""
    reason = (answer.reason or "").strip()
    facts: dict[str, Any] = {"policy_reason": reason[:_REASON_LENGTH]} if reason.isprintable() and reason else {}
    words = reason.lower().replace(":", " ").replace("_", " ").split()
    row, message = _DENIALS.get(words[0] if words else "", (None, ""))
    if row is not None:
        raise row(message=message, **facts)
    raise OperationNotAllowed(message="the policy does not allow this call", operation=operation, **facts)
