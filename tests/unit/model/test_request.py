"""What is taken from a caller, and what is not shown of it."""

import msgspec
import pytest

from toolgate.model.request import ToolInvokeRequest


def test_an_unknown_field_is_refused() -> None:
    with pytest.raises(msgspec.ValidationError, match="unknown field"):
        msgspec.json.decode(b'{"tool_id":"t","tool_versoin":"1"}', type=ToolInvokeRequest)


def test_a_request_does_not_show_its_secrets() -> None:
    request = ToolInvokeRequest(tool_id="t", parameters={"password": "hunter2"}, capability_token="eyJ.secret")
    assert "hunter2" not in repr(request)
    assert "secret" not in repr(request)
