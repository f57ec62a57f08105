"""Request bodies: strict JSON without repeated keys, and requests made from them."""

import json
from typing import Any

import orjson
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from toolgate.errors import FieldError, InvalidParameters
from toolgate.validation.json_body import convert_request, decode_object


def refused(body: bytes) -> FieldError:
    with pytest.raises(InvalidParameters) as caught:
        decode_object(body)
    (error,) = caught.value.errors
    return error


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (b"{}", {}),
        (b' {"a" : 1 }\n', {"a": 1}),
        (b'{"a":":","b":"x:y:z"}', {"a": ":", "b": "x:y:z"}),
        (rb'{"a":"\u003a","b":"\u00e9"}', {"a": ":", "b": "é"}),
        (b'{"a":-0,"b":-0.0}', {"a": 0, "b": -0.0}),
        (b'{"a":18446744073709551615,"b":-9223372036854775808}', {"a": 2**64 - 1, "b": -(2**63)}),
        (b'{"a":1e-9999,"b":1E400e}'.replace(b"1E400e", b"1E300"), {"a": 0.0, "b": 1e300}),
        (b'{"a":0.12345678901234567890123}', {"a": 0.12345678901234568}),
        (b'{"a":"12345678901234567890123"}', {"a": "12345678901234567890123"}),
        (b'{"a":{"x":1},"b":{"x":1}}', {"a": {"x": 1}, "b": {"x": 1}}),
        (rb'{"a":"\ud834\udd1e"}', {"a": "𝄞"}),
        (rb'{"a\\u0062":1,"ab":2}', {"a\\u0062": 1, "ab": 2}),
    ],
)
def test_strict_json_is_read(body: bytes, expected: dict[str, Any]) -> None:
    assert decode_object(body) == expected


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b'"x"',
        b"null",
        b"{}{}",
        b"{'a':1}",
        b'{"a":1,}',
        b'{"a":NaN}',
        b'{"a":Infinity}',
        b'{"a":-Infinity}',
        b'{"a":1e9999}',
        b'{"a":-1e9999}',
        b'{"a":18446744073709551616}',
        b'{"a":-9223372036854775809}',
        b'{"a":' + b"9" * 5000 + b"}",
        b'{"a":01}',
        b'{"a":"\x01"}',
        b'{"a":"\xff"}',
        b'\xef\xbb\xbf{"a":1}',
        b"\xff\xfe{\x00}\x00",
        rb'{"a":"\ud800"}',
        rb'{"\udc00":1}',
        b'{"a":"\xed\xa0\x80"}',
        b'{"a":1}\x00',
        b'{"a":/**/1}',
    ],
)
def test_everything_else_is_refused(body: bytes) -> None:
    assert refused(body).pointer == ""


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        (b'{"a":1,"a":1}', "/a"),
        (b'{"a":1,"b":2,"a":3}', "/a"),
        (b'{"x":{"y":[0,{"k":1,"k":2}]}}', "/x/y/1/k"),
        (rb'{"a":1,"\u0061":2}', "/a"),
        (rb'{"a":"\u003a","b":1,"b":2}', "/b"),
        (rb'{"a":1,"a":"\u003a\u003a"}', "/a"),
        (b'{"o":{"i":1,"i":2},"o":3}', "/o"),
        (b'{"a/b":1,"a/b":2}', "/a~1b"),
        (b'{"":1,"":2}', "/"),
    ],
)
def test_a_key_that_occurs_twice_is_named(body: bytes, pointer: str) -> None:
    """Two readers of one body must not see two requests."""
    error = refused(body)
    assert error == FieldError(pointer, "occurs twice in the same object")


@pytest.mark.parametrize(("levels", "accepted"), [(253, True), (254, False), (1_000, False), (100_000, False)])
def test_nesting_is_bounded(levels: int, accepted: bool) -> None:
    body = b'{"a":' + b"[" * levels + b"]" * levels + b"}"
    if accepted:
        assert decode_object(body)
    else:
        refused(body)


def test_no_message_repeats_the_body() -> None:
    for body in (b'{"a":hunter2}', b"hunter2", b'{"a":"hunter2"', b'{"a":"hunter2","a":"hunter2"}'):
        with pytest.raises(InvalidParameters) as caught:
            decode_object(body)
        assert "hunter2" not in f"{caught.value} {caught.value.errors} {caught.value.__context__}"


# ---------------------------------------------------------------- the fast check equals the slow one

names = st.text(st.sampled_from('ab:\\"u0061é{}[], \n'), max_size=3)
scalars = st.one_of(
    st.none(), st.booleans(), st.integers(-(2**70), 2**70), st.floats(allow_nan=False, allow_infinity=False), names
)
# An object is a list of pairs here, so that a key can occur twice.
documents = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3).map(tuple) | st.lists(st.tuples(names, inner), max_size=4),
    max_leaves=15,
)
objects = st.lists(st.tuples(names, documents), max_size=4)


def write(node: Any, draw: Any) -> str:
    """The document as text, with blanks and escapes at random."""
    blank = draw(st.sampled_from(["", " ", "\n\t"]))
    if isinstance(node, list):
        return "{" + ",".join(f"{blank}{text(n, draw)}{blank}:{write(v, draw)}" for n, v in node) + "}"
    if isinstance(node, tuple):
        return "[" + ",".join(f"{blank}{write(item, draw)}{blank}" for item in node) + "]"
    return text(node, draw) if isinstance(node, str) else json.dumps(node)


def text(value: str, draw: Any) -> str:
    if draw(st.booleans()):
        return json.dumps(value, ensure_ascii=draw(st.booleans()))
    return '"' + "".join(f"\\u{ord(c):04x}" for c in value) + '"'


def expected_verdict(body: bytes) -> bool:
    """True if a decoder that looks at every pair and every number accepts the body."""

    def pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
        if len({name for name, _ in items}) != len(items):
            raise ValueError
        return dict(items)

    def integer(digits: str) -> int:
        if not -(2**63) <= int(digits) < 2**64:
            raise ValueError
        return int(digits)

    try:
        json.loads(body, object_pairs_hook=pairs, parse_int=integer)
    except ValueError:
        return False
    return True


@given(objects, st.data())
def test_the_fast_check_agrees_with_one_that_sees_every_pair(document: list[tuple[str, Any]], data: Any) -> None:
    body = write(document, data.draw).encode()
    try:
        decoded = decode_object(body)
    except InvalidParameters:
        assert not expected_verdict(body)
    else:
        assert expected_verdict(body)
        assert decoded == json.loads(body)


@given(st.binary(max_size=40) | st.text(st.sampled_from('{}[]":,\\u0123eE+-.ntf '), max_size=40).map(str.encode))
@example(b'{"\\ud800":1}')
def test_garbage_is_refused_and_never_raises_anything_else(body: bytes) -> None:
    try:
        decoded = decode_object(body)
    except InvalidParameters:
        return
    assert orjson.dumps(decoded)


# ---------------------------------------------------------------- requests


def test_a_document_becomes_a_request() -> None:
    request = convert_request({"tool_id": "add", "parameters": {"a": 1}, "execution_options": {"priority": "high"}})
    assert request.tool_id == "add"
    assert request.parameters == {"a": 1}


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        ({}, FieldError("/tool_id", "is required", "RequiredMissing")),
        ({"tool_id": 5}, FieldError("/tool_id", "must be string", "InvalidType")),
        ({"tool_id": "t", "parameters": []}, FieldError("/parameters", "must be object", "InvalidType")),
        ({"tool_id": "t", "nope": 1}, FieldError("/nope", "is not a known field")),
        # msgspec quotes the name as it is: this one can mislead about its place, and about nothing else
        ({"tool_id": "t", "a` - at `$.tool_id": 1}, FieldError("/tool_id/a", "is not a known field")),
        (
            {"tool_id": "t", "agent_context": {"agent_did": "d"}},
            FieldError("/agent_context/tenant_id", "is required", "RequiredMissing"),
        ),
        (
            {"tool_id": "t", "execution_options": {"priority": "hunter2"}},
            FieldError("/execution_options/priority", "is not one of the allowed values", "InvalidEnumValue"),
        ),
        (
            {"tool_id": "t", "resource_limits": {"timeout_seconds": "hunter2"}},
            FieldError("/resource_limits/timeout_seconds", "must be number or null", "InvalidType"),
        ),
        (
            {"tool_id": "t", "document_context": {"document_refs": ["x", 5]}},
            FieldError("/document_context/document_refs/1", "must be string", "InvalidType"),
        ),
        ({"tool_id": "t", "headers": {"hunter2": 5}}, FieldError("/headers", "must be string", "InvalidType")),
    ],
)
def test_a_fault_of_a_request_has_a_pointer_and_no_value(document: dict[str, Any], expected: FieldError) -> None:
    with pytest.raises(InvalidParameters) as caught:
        convert_request(document)
    assert caught.value.errors == (expected,)
    assert "hunter2" not in f"{caught.value} {caught.value.__context__}"
