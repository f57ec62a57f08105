"""The body that all HTTP servers get: a whole request of the layer specification, most of it a capability token."""

import json

from toolgate.permissions.issuer import TokenIssuer

TOOL_ID = "add_inline"
AGENT = {"agent_did": "did:example:bench", "tenant_id": "bench", "session_id": "s-20417"}


def mint(issuer: TokenIssuer) -> str:
    """A token as an agent runtime would make it: it names files, hosts and secrets."""
    return issuer.mint(
        TOOL_ID,
        agent_did=AGENT["agent_did"],
        tenant_id=AGENT["tenant_id"],
        lifetime_seconds=3600,
        allowed_hosts=("api.example.com", "*.storage.example.com"),
        allowed_ports=(443,),
        secrets=("aws_s3_read", "external_api_token"),
    )


def body_with(token: str) -> str:
    request = {
        "tool_id": TOOL_ID,
        "tool_version": "^1.0.0",
        "agent_context": AGENT,
        "parameters": {"a": 1, "b": 2},
        "capability_token": token,
    }
    return json.dumps(request, separators=(",", ":"))
