"""A key pair that is dear to make, and the parts of the component on a clock that stands still."""

from collections.abc import Callable

import pytest
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey, generate_private_key

from toolgate.model.agent import Mount
from toolgate.model.invocation import Invocation
from toolgate.model.manifest import ExecutionConfig, Manifest, NetworkPermission, ToolPermissions
from toolgate.model.tool import Tool
from toolgate.permissions.issuer import LOCAL_ISSUER, TokenIssuer
from toolgate.permissions.keys import PublicKeys
from toolgate.permissions.revocations import NoRevocations
from toolgate.permissions.settings import PermissionCheckerSettings
from toolgate.permissions.verifier import TokenVerifier
from toolgate.testing import FakeClock


@pytest.fixture(scope="session")
def private_key() -> RSAPrivateKey:
    return generate_private_key(public_exponent=65_537, key_size=2048)


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def settings() -> PermissionCheckerSettings:
    return PermissionCheckerSettings().trusting(LOCAL_ISSUER)


@pytest.fixture
def issuer(private_key: RSAPrivateKey, clock: FakeClock) -> TokenIssuer:
    return TokenIssuer(private_key, clock=clock)


@pytest.fixture
def verifier(private_key: RSAPrivateKey, clock: FakeClock, settings: PermissionCheckerSettings) -> TokenVerifier:
    keys = PublicKeys([private_key.public_key()])
    return TokenVerifier(keys, settings=settings, clock=clock, revocations=NoRevocations())


@pytest.fixture
def make_tool() -> Callable[..., Tool]:
    def make(
        tool_id: str = "analyze_code",
        *,
        version: str = "2.1.0",
        filesystem: tuple[Mount, ...] = (),
        network: tuple[NetworkPermission, ...] = (),
        credentials: tuple[str, ...] = (),
        requires_approval: bool = False,
    ) -> Tool:
        manifest = Manifest(
            tool_id=tool_id,
            tool_name=tool_id,
            version=version,
            parameters_schema={"type": "object"},
            permissions=ToolPermissions(filesystem=filesystem, network=network, credentials=credentials),
            execution_config=ExecutionConfig(requires_approval=requires_approval),
        )
        return Tool(key=f"{tool_id}@{version}", manifest=manifest, runner="in_process", target=None)

    return make


@pytest.fixture
def invocation() -> Invocation:
    return Invocation(invocation_id="i-1", correlation_id="c-1", tool_id="analyze_code", started_at=0.0)
