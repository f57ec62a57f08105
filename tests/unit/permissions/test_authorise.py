"""Step 5 of the pipeline: token scope, then policy."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from toolgate.errors import (
    ApprovalRefused,
    CredentialsDenied,
    FilesystemDenied,
    NetworkDenied,
    OperationNotAllowed,
    PermissionDenied,
    PolicyUnavailable,
    ToolNotCovered,
)
from toolgate.model.agent import ABACCheckRequest, ABACCheckResponse, Mount
from toolgate.model.invocation import Invocation
from toolgate.model.manifest import NetworkPermission
from toolgate.model.proof import Grant, HostGrant, Token
from toolgate.model.request import ExecutionOptions, ToolInvokeRequest
from toolgate.model.tool import Tool
from toolgate.permissions.approvals import NoApprovals
from toolgate.permissions.authorise import TokenAuthoriser
from toolgate.permissions.policy import NoPolicy
from toolgate.permissions.version_range import admits
from toolgate.testing import FakeClock

MakeTool = Callable[..., Tool]


def make_token(**changes: Any) -> Token:
    claims: dict[str, Any] = {
        "digest": b"d",
        "jti": "j",
        "agent_did": "did:agent:a",
        "tenant_id": "acme",
        "tool_id": "analyze_code",
        "tool_version": "^2.0.0",
        "allowed_operations": ("execute",),
        "filesystem": (Mount(path="/workspace/tool1", mode="rw"),),
        "network": HostGrant(("api.example.com",), (443,)),
        "credentials": ("s3", "github"),
        "issued_at": 0,
        "expires_at": 900,
        "issuer": "i",
    }
    return Token(**(claims | changes))


class ScriptedPolicy:
    """Answers what the test says, and remembers the questions."""

    def __init__(self, answer: Callable[[], Awaitable[Any]]) -> None:
        self._answer = answer
        self.questions: list[ABACCheckRequest] = []

    async def decide(self, question: ABACCheckRequest) -> ABACCheckResponse:
        self.questions.append(question)
        return await self._answer()


def answering(answer: Any) -> ScriptedPolicy:
    async def give() -> Any:
        return answer

    return ScriptedPolicy(give)


@pytest.fixture
def authoriser(clock: FakeClock) -> TokenAuthoriser:
    return TokenAuthoriser(NoPolicy(), clock=clock)


async def test_a_grant_is_what_manifest_and_token_share(
    authoriser: TokenAuthoriser, invocation: Invocation, make_tool: MakeTool
) -> None:
    tool = make_tool(
        filesystem=(Mount(path="/workspace", mode="ro"),),
        network=(NetworkPermission(host="*", port=443),),
        credentials=("s3", "vault"),
    )
    assert await authoriser.grant(invocation, make_token(), tool) == Grant(
        agent_did="did:agent:a",
        tenant_id="acme",
        tool_id="analyze_code",
        tool_version="2.1.0",
        filesystem=(Mount(path="/workspace/tool1", mode="ro"),),
        network=HostGrant(("api.example.com",), (443,)),
        credentials=("s3",),
    )


async def test_a_tool_that_asks_for_nothing_gets_nothing(
    authoriser: TokenAuthoriser, invocation: Invocation, make_tool: MakeTool
) -> None:
    grant = await authoriser.grant(invocation, make_token(), make_tool())
    assert (grant.filesystem, grant.network, grant.credentials) == ((), HostGrant(), ())


def test_with_policy_off_a_grant_never_suspends_and_is_made_once(
    authoriser: TokenAuthoriser, invocation: Invocation, make_tool: MakeTool
) -> None:
    grants: list[Grant] = []
    for _ in range(2):
        with pytest.raises(StopIteration) as finished:
            authoriser.grant(invocation, make_token(), make_tool()).send(None)
        grants.append(finished.value.value)
    assert grants[0] is grants[1]


async def test_a_grant_is_remembered_for_its_token_and_its_version_only(
    authoriser: TokenAuthoriser, invocation: Invocation, make_tool: MakeTool
) -> None:
    tool = make_tool(credentials=("s3", "github"))
    assert (await authoriser.grant(invocation, make_token(), tool)).credentials == ("s3", "github")
    other = make_token(digest=b"other", credentials=())
    assert (await authoriser.grant(invocation, other, tool)).credentials == ()
    newer = make_tool(version="2.2.0", credentials=("github",))
    assert (await authoriser.grant(invocation, make_token(), newer)).credentials == ("github",)


@pytest.mark.parametrize("operations", [(), ("read",), ("EXECUTE",), ("execute ",), ("*",)])
async def test_a_token_must_allow_the_operation(
    authoriser: TokenAuthoriser, invocation: Invocation, make_tool: MakeTool, operations: tuple[str, ...]
) -> None:
    with pytest.raises(OperationNotAllowed):
        await authoriser.grant(invocation, make_token(allowed_operations=operations), make_tool())


async def test_a_token_must_cover_the_tool_that_its_name_stood_for(
    authoriser: TokenAuthoriser, invocation: Invocation, make_tool: MakeTool
) -> None:
    with pytest.raises(ToolNotCovered):
        await authoriser.grant(invocation, make_token(), make_tool("local::analyze_code"))


async def test_a_token_must_cover_the_version_that_runs(
    authoriser: TokenAuthoriser, invocation: Invocation, make_tool: MakeTool
) -> None:
    with pytest.raises(ToolNotCovered, match=r"analyze_code@3\.0\.0"):
        await authoriser.grant(invocation, make_token(), make_tool(version="3.0.0"))


@pytest.mark.parametrize(
    ("version_range", "version", "admitted"),
    [
        ("*", "1.0.0", True),
        ("*", "1.0.0-rc.1", True),
        ("1.2.3", "1.2.3", True),
        ("1.2.3-rc.1", "1.2.3-rc.1", True),
        ("^2.0.0", "2.9.9", True),
        ("^2.0.0", "3.0.0", False),
        ("^2.0.0", "2.1.0-rc.1", False),
        ("~2.1", "2.1.7", True),
        ("1.x || >=3 <4", "3.5.0", True),
        ("1.x || >=3 <4", "2.0.0", False),
        ("1.2 - 2.3.4", "2.3.4", True),
        ("garbage", "1.0.0", False),
        ("latest", "1.0.0", False),
        (">=2 ||", "1.0.0", False),
        ("||", "1.0.0", False),
        ("", "1.0.0", False),
        ("9" * 300, "1.0.0", False),
        ("^" + "9" * 250, "1.0.0", False),
        ("^2.0.0", "not a version", False),
    ],
)
def test_version_ranges_follow_npm_and_refuse_garbage(version_range: str, version: str, *, admitted: bool) -> None:
    assert admits(version_range, version) is admitted


# ---------------------------------------------------------------- policy


async def test_the_policy_is_asked_on_every_call_what_the_call_may_touch(
    invocation: Invocation, make_tool: MakeTool, clock: FakeClock
) -> None:
    policy = answering(ABACCheckResponse(allowed=True))
    authoriser = TokenAuthoriser(policy, clock=clock)
    tool = make_tool(filesystem=(Mount(path="/workspace", mode="ro"),), credentials=("s3",))
    for _ in range(2):
        await authoriser.grant(invocation, make_token(), tool)
    assert len(policy.questions) == 2
    assert policy.questions[0] == ABACCheckRequest(
        agent_id="did:agent:a",
        resource_type="tool",
        resource_id="analyze_code",
        action="execute",
        context={
            "tenant_id": "acme",
            "tool_version": "2.1.0",
            "filesystem": ({"path": "/workspace/tool1", "mode": "ro"},),
            "network": {"allowed_hosts": (), "allowed_ports": (), "endpoints": ()},
            "credentials": ("s3",),
        },
    )


@pytest.mark.parametrize(
    ("reason", "row"),
    [
        (None, OperationNotAllowed),
        ("", OperationNotAllowed),
        ("office hours only", OperationNotAllowed),
        ("filesystem: /etc is off limits", FilesystemDenied),
        ("network", NetworkDenied),
        ("credentials_expired", CredentialsDenied),
        ("no network at night", OperationNotAllowed),
    ],
)
async def test_a_denial_has_the_row_that_its_reason_names_first(
    invocation: Invocation, make_tool: MakeTool, clock: FakeClock, reason: str | None, row: type[PermissionDenied]
) -> None:
    authoriser = TokenAuthoriser(answering(ABACCheckResponse(allowed=False, reason=reason)), clock=clock)
    with pytest.raises(row, match="the policy does not allow") as caught:
        await authoriser.grant(invocation, make_token(), make_tool())
    assert type(caught.value) is row
    assert caught.value.facts.get("policy_reason") == (reason or None)


async def test_a_reason_that_would_garble_a_log_is_withheld(
    invocation: Invocation, make_tool: MakeTool, clock: FakeClock
) -> None:
    authoriser = TokenAuthoriser(answering(ABACCheckResponse(allowed=False, reason="a\x1b[2J")), clock=clock)
    with pytest.raises(OperationNotAllowed) as caught:
        await authoriser.grant(invocation, make_token(), make_tool())
    assert "policy_reason" not in caught.value.facts


@pytest.mark.parametrize("allowed", ["yes", 1, None, "false"])
async def test_only_a_clear_yes_is_a_yes(
    invocation: Invocation, make_tool: MakeTool, clock: FakeClock, allowed: Any
) -> None:
    authoriser = TokenAuthoriser(answering(ABACCheckResponse(allowed=allowed)), clock=clock)
    with pytest.raises(PermissionDenied):
        await authoriser.grant(invocation, make_token(), make_tool())


@pytest.mark.parametrize(
    "failure", [ConnectionError("10.0.0.7"), TimeoutError(), KeyError("allow"), PolicyUnavailable()]
)
async def test_a_policy_that_fails_refuses_the_call(
    invocation: Invocation, make_tool: MakeTool, clock: FakeClock, failure: Exception
) -> None:
    async def fail() -> Any:
        raise failure

    with pytest.raises(PolicyUnavailable) as caught:
        await TokenAuthoriser(ScriptedPolicy(fail), clock=clock).grant(invocation, make_token(), make_tool())
    assert "10.0.0.7" not in str(caught.value)
    assert caught.value.retryable


async def test_a_policy_that_takes_longer_than_half_a_second_refuses_the_call(
    invocation: Invocation, make_tool: MakeTool, clock: FakeClock
) -> None:
    authoriser = TokenAuthoriser(ScriptedPolicy(asyncio.Event().wait), clock=clock)
    call = asyncio.create_task(authoriser.grant(invocation, make_token(), make_tool()))
    await asyncio.sleep(0)
    clock.advance(0.499)
    await asyncio.sleep(0)
    assert not call.done()
    clock.advance(0.001)
    with pytest.raises(PolicyUnavailable):
        await call
    assert call.cancelling() == 0


@pytest.mark.parametrize("others", [0, 1], ids=["late", "late and cancelled"])
async def test_a_policy_that_ignores_its_time_limit_is_late_all_the_same(
    invocation: Invocation, make_tool: MakeTool, clock: FakeClock, others: int
) -> None:
    async def stubborn() -> Any:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            return ABACCheckResponse(allowed=True)

    authoriser = TokenAuthoriser(ScriptedPolicy(stubborn), clock=clock)
    call = asyncio.create_task(authoriser.grant(invocation, make_token(), make_tool()))
    await asyncio.sleep(0)
    for _ in range(others):
        call.cancel()
    clock.advance(0.5)
    with pytest.raises(PolicyUnavailable):
        await call
    assert call.cancelling() == others


async def test_a_caller_that_gives_up_is_cancelled_and_not_told_about_policy(
    invocation: Invocation, make_tool: MakeTool, clock: FakeClock
) -> None:
    authoriser = TokenAuthoriser(ScriptedPolicy(asyncio.Event().wait), clock=clock)
    call = asyncio.create_task(authoriser.grant(invocation, make_token(), make_tool()))
    await asyncio.sleep(0)
    call.cancel()
    clock.advance(0.5)
    with pytest.raises(asyncio.CancelledError):
        await call


# ---------------------------------------------------------------- approvals


async def test_without_an_approver_a_call_that_needs_one_is_refused(
    invocation: Invocation, make_tool: MakeTool
) -> None:
    asks = ToolInvokeRequest(tool_id="t", execution_options=ExecutionOptions(require_approval=True))
    plain = ToolInvokeRequest(tool_id="t", execution_options=ExecutionOptions())
    for request, tool in [(asks, make_tool()), (plain, make_tool(requires_approval=True))]:
        with pytest.raises(ApprovalRefused, match="no approver is configured"):
            await NoApprovals().require(invocation, request, tool)


async def test_without_an_approver_other_calls_pass(invocation: Invocation, make_tool: MakeTool) -> None:
    for options in (None, ExecutionOptions()):
        request = ToolInvokeRequest(tool_id="t", execution_options=options)
        await NoApprovals().require(invocation, request, make_tool())
