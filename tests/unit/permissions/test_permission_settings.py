"""The sections of the configuration: the specification's names, and nothing else."""

from typing import Any

import msgspec
import pytest

from toolgate.permissions.settings import LocalAgentSettings, PermissionCheckerSettings


def test_the_defaults_are_those_of_the_decisions_page() -> None:
    settings = PermissionCheckerSettings()
    assert settings.jwt_algorithm == "RS256"
    assert settings.issuers == ("l02-agent-runtime",)
    assert settings.max_token_lifetime_seconds == 86_400
    assert settings.clock_skew_seconds == 60
    assert settings.trusting("local").issuers == ("l02-agent-runtime", "local")


@pytest.mark.parametrize(
    "section",
    [
        {"jwt_algorithm": "HS256"},
        {"jwt_algorithm": "none"},
        {"max_token_lifetime_seconds": 86_401},
        {"max_token_lifetime_seconds": 0},
        {"clock_skew_seconds": -1},
        {"jwt_publik_key_path": "x"},
    ],
)
def test_a_section_that_would_weaken_the_checks_is_refused(section: dict[str, Any]) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(section, PermissionCheckerSettings)


def test_the_local_agent_may_touch_nothing_by_default() -> None:
    settings = LocalAgentSettings()
    assert (settings.allowed_hosts, settings.allowed_paths, settings.allowed_secrets) == ((), (), ())
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert({"allowed_host": []}, LocalAgentSettings)
