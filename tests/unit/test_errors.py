"""The error table: every row, and what every row promises (spec README §2)."""

import copy
import pickle
import re
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given

from toolgate import errors
from toolgate.errors import (
    Category,
    FieldError,
    InternalError,
    Kind,
    PermissionDenied,
    StoreUnavailable,
    ToolgateError,
    by_number,
    find_class,
)
from toolgate.model.outcome import Failure
from toolgate.model.response import ToolInvocationStatus
from toolgate.model.status import STATUS_TABLE
from toolgate.testing.strategies import errors as any_error

RETRYABLE = {
    "E3103",  # timeout
    "E3401",  # circuit open
    "E3303",  # rate limit
    "E3106",  # concurrency
    "E3306",  # external timeout
    "E3301",  # external connection: the secret store
    "E3101",  # sandbox creation
    "E3107",  # sandbox crash
    "E3602",  # document server down
    "E3605",  # document server does not answer
    "E3701",  # checkpoint creation
    "E3206",  # policy engine down
}

# What a message may say. Each is a name, a number, a range or a text that the layer itself wrote: none is a value
# that a caller passed as a parameter, none is a secret, none is a path.
SPEAKABLE = {
    "runner",
    "allowed",
    "attempts",
    "available",
    "budget",
    "checkpoint_id",
    "circuit",
    "claims",
    "credential",
    "document_id",
    "exception",
    "expected",
    "field",
    "found",
    "host",
    "invocation_id",
    "limit",
    "operation",
    "port",
    "queue",
    "reason",
    "requested",
    "resource",
    "scope",
    "service",
    "status",
    "summary",
    "tier",
    "timeout_seconds",
    "tool_id",
    "tool_version",
    "what",
}


def _family(cls: type[ToolgateError]) -> Iterator[type[ToolgateError]]:
    yield cls
    for child in cls.__subclasses__():
        yield from _family(child)


CLASSES = sorted((c for c in _family(ToolgateError) if c.__module__ == errors.__name__), key=lambda c: c.__name__)
NUMBERED = sorted(by_number().items())
every_class = pytest.mark.parametrize("cls", CLASSES, ids=[c.__name__ for c in CLASSES])
every_row = pytest.mark.parametrize(("number", "cls"), NUMBERED, ids=[number for number, _ in NUMBERED])


def make(cls: type[ToolgateError]) -> ToolgateError:
    """An error of this class with a fact for everything that its message names."""
    facts: dict[str, Any] = {name: 7 if name.endswith("_seconds") else f"~{name}~" for name in cls.template_facts()}
    return cls(errors=[FieldError("/a", "is wrong", "InvalidType")], retry_after_ms=5, **facts)


@every_row
def test_a_number_belongs_to_the_class_that_declares_it(number: str, cls: type[ToolgateError]) -> None:
    assert re.fullmatch(r"E3\d{3}", number)
    assert vars(cls)["number"] == number
    declared = [c.__name__ for c in CLASSES if vars(c).get("number") == number]
    assert declared == [cls.__name__]


def test_a_number_cannot_be_declared_twice() -> None:
    with pytest.raises(TypeError, match="E3001 is already ToolNotFound"):
        type("Impostor", (ToolgateError,), {}, number="E3001")


@every_class
def test_a_code_is_snake_case(cls: type[ToolgateError]) -> None:
    assert re.fullmatch(r"[a-z]+(_[a-z0-9]+)*", cls.code)


@every_class
def test_a_row_fits_the_status_table(cls: type[ToolgateError]) -> None:
    """A class is made of the table's words, and its HTTP status agrees with its kind about whose fault it was."""
    assert cls.kind in STATUS_TABLE
    assert cls.category in Category
    assert re.fullmatch(r"[A-Z][A-Za-z]+", cls.taxonomy_code)
    assert 400 <= cls.http_status <= 599 or cls.kind is Kind.SUCCESS


@every_row
def test_a_row_explains_itself(number: str, cls: type[ToolgateError]) -> None:
    """The error table of the documentation is made of these sentences."""
    assert cls.__doc__
    assert cls.__doc__.strip().endswith(".")


@every_class
def test_a_message_names_every_fact_of_its_template(cls: type[ToolgateError]) -> None:
    message = make(cls).message
    for name in cls.template_facts():
        assert ("7" if name.endswith("_seconds") else f"~{name}~") in message
    assert "{" not in message


@every_class
def test_a_message_can_be_made_without_any_fact(cls: type[ToolgateError]) -> None:
    """Even one that asks for a number format."""
    assert "{" not in cls().message


@every_class
def test_a_message_names_nothing_that_could_be_a_parameter(cls: type[ToolgateError]) -> None:
    assert cls.template_facts() <= SPEAKABLE


def test_a_fact_that_the_template_does_not_name_stays_out_of_the_message() -> None:
    for cls in CLASSES:
        error = cls(parameters={"password": "hunter2"}, value="hunter2")
        assert "hunter2" not in f"{error} {error.message} {error!r}"


def test_exactly_the_listed_kinds_of_failure_are_retryable() -> None:
    """Spec README §2."""
    assert {number for number, cls in by_number().items() if cls.retryable} == RETRYABLE
    assert [c.__name__ for c in CLASSES if c.retryable and c.number is None] == []


@every_class
def test_an_error_survives_pickling_and_copying(cls: type[ToolgateError]) -> None:
    error = make(cls)
    for twin in (pickle.loads(pickle.dumps(error)), copy.copy(error)):
        assert type(twin) is cls
        assert (twin.message, twin.facts, twin.errors) == (error.message, error.facts, error.errors)
        assert str(twin) == str(error)


def _raised_by_name(cls: type[ToolgateError]) -> bool:
    """False for the bases that only group rows: they declare neither a number nor a code of their own."""
    return cls is not StoreUnavailable and not {"number", "code"}.isdisjoint(vars(cls))


@every_class
def test_an_error_comes_back_from_its_record_as_itself(cls: type[ToolgateError]) -> None:
    error = make(cls)
    twin = Failure.of(error).as_exception()
    assert (twin.message, twin.facts, twin.errors) == (error.message, error.facts, error.errors)
    assert twin.retry_after_ms == 5
    assert (twin.number, twin.code) == (error.number, error.code)
    if _raised_by_name(cls):
        assert type(twin) is cls


def test_a_store_failure_comes_back_as_its_row() -> None:
    """It is an internal error with another message; number and code do not tell them apart."""
    assert type(Failure.of(StoreUnavailable()).as_exception()) is InternalError


def test_a_refusal_without_a_number_comes_back_as_a_refusal() -> None:
    assert find_class(None, "permission_denied") is PermissionDenied


@pytest.mark.parametrize(("number", "code"), [(None, "of_a_later_version"), ("E3998", "whatever"), ("", "")])
def test_an_unknown_row_comes_back_as_an_internal_error(number: str | None, code: str) -> None:
    assert find_class(number, code) is InternalError


def test_a_known_number_wins_over_an_unknown_code() -> None:
    assert find_class("E3112", "of_a_later_version") is errors.ApprovalRefused


@pytest.mark.parametrize("name", ["self", "cls", "message", "errors", "args", "facts", "not a name"])
def test_a_hostile_server_cannot_break_reviving_with_the_name_of_a_fact(name: str) -> None:
    twin = errors.ToolNotFound.revive(message="gone", facts={name: "x"})
    assert twin.message == "gone"
    assert twin.errors == ()


@given(any_error())
def test_any_error_comes_back_from_its_record(error: ToolgateError) -> None:
    assert Failure.of(Failure.of(error).as_exception()) == Failure.of(error)


def test_every_kind_ends_in_a_status_of_the_layer() -> None:
    assert set(STATUS_TABLE) == set(Kind)
    assert {row.l03 for row in STATUS_TABLE.values()} == set(ToolInvocationStatus)
