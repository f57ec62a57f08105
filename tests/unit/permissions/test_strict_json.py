"""A document that two decoders could read in two ways is not read at all."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolgate.permissions.strict_json import MAX_BRACKETS, decode_object


@pytest.mark.parametrize(
    "raw",
    [
        b'{"a":1,"a":1}',
        b'{"a":1,"\\u0061":2}',
        b'{"x":{"a":1,"a":2}}',
        b'{"x":[{"a":1,"a":2}]}',
        b'{"a":NaN}',
        b'{"a":Infinity}',
        b'{"a":-Infinity}',
        b'{"a":1e999}',
        b"",
        b"null",
        b"[]",
        b'"text"',
        b"{}{}",
        b"{'a':1}",
        b'{"a":1,}',
        b'{"a":"\n"}',
        b'\xef\xbb\xbf{"a":1}',
        '{"a":1}'.encode("utf-16"),
        b'{"a":"\xff"}',
        b'{"a":' + b"9" * 5000 + b"}",
        b'{"a":' + b"[" * 6000 + b"]" * 6000 + b"}",
        b'{"a":' * 3000 + b"1" + b"}" * 3000,
        b'{"a":' + b"[" * MAX_BRACKETS + b"]" * MAX_BRACKETS + b"}",
    ],
)
def test_a_document_with_more_than_one_reading_is_refused(raw: bytes) -> None:
    assert decode_object(raw) is None


members = st.dictionaries(
    st.text(max_size=10),
    st.none() | st.booleans() | st.integers() | st.text(max_size=20) | st.lists(st.integers(), max_size=3),
    max_size=8,
)


@given(members)
def test_an_honest_object_is_read_as_everybody_reads_it(value: dict[str, Any]) -> None:
    assert decode_object(json.dumps(value).encode()) == value


@given(st.binary())
def test_any_bytes_are_an_object_or_nothing(raw: bytes) -> None:
    assert decode_object(raw) is None or isinstance(decode_object(raw), dict)
