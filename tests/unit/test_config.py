"""Settings: one file, then the environment; whatever is wrong is said with its place, before anything is opened."""

from pathlib import Path

import pytest

from toolgate.config import ConfigurationError, Settings, build_settings, load_settings


def write(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "toolgate.toml"
    path.write_text(text)
    return path


def test_the_bare_default_needs_no_service(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert load_settings(environment={}) == Settings()
    assert Settings().store_url == "sqlite:///.toolgate/toolgate.db"


def test_the_file_in_the_working_directory_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, "[server]\nport = 99\n")
    monkeypatch.chdir(tmp_path)
    assert load_settings(environment={}).server.port == 99


def test_the_environment_outranks_the_file(tmp_path: Path) -> None:
    path = write(tmp_path, 'store = "memory://"\n[server]\nport = 1\nhost = "::1"\n')
    settings = load_settings(path, {"TOOLGATE_SERVER__PORT": "2", "TOOLGATE_STORE": "sqlite:///x.db", "OTHER": "x"})
    assert (settings.server.port, settings.server.host, settings.store) == (2, "::1", "sqlite:///x.db")


def test_lists_in_the_environment_are_json() -> None:
    settings = load_settings(environment={"TOOLGATE_LOCAL_AGENT__ALLOWED_HOSTS": '["a.example"]'})
    assert settings.local_agent.allowed_hosts == ("a.example",)


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("sotre = 'memory://'", "sotre"),
        ("[server]\nprot = 1", "prot"),
        ("[server]\nport = 'high'", "port"),
        ("[server", "table declaration"),
        ("[storage]\nsynchronous = 'OFF'", "synchronous"),
        ("x = " + "[" * 5000, "toolgate.toml"),
    ],
)
def test_a_wrong_file_is_refused_with_the_place(tmp_path: Path, text: str, place: str) -> None:
    with pytest.raises(ConfigurationError, match=r"toolgate\.toml") as refused:
        load_settings(write(tmp_path, text), {})
    assert place in str(refused.value)


@pytest.mark.parametrize(
    "environment",
    [
        {"TOOLGATE_STORE": "memory://", "TOOLGATE_STORE__X": "1"},
        {"TOOLGATE_SERVER__PORT": "1", "TOOLGATE_SERVER": "x"},
        {"TOOLGATE_EXECUTOR__THREADS": "0"},
        {"TOOLGATE_LOCAL_AGENT__AGENT_DID": ""},
        {"TOOLGATE_SERVER__PORT": "x"},
        {"TOOLGATE_NO_SUCH": "1"},
        {"TOOLGATE_LOCAL_AGENT__ALLOWED_HOSTS": "[1"},
    ],
)
def test_a_wrong_variable_is_not_blamed_on_the_file(environment: dict[str, str]) -> None:
    with pytest.raises(ConfigurationError, match="TOOLGATE_"):
        load_settings(environment=environment)


def test_a_missing_file_that_was_asked_for_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="No such file"):
        load_settings(tmp_path / "no.toml", {})


def test_a_settings_tree_is_checked_in_python_too() -> None:
    with pytest.raises(ConfigurationError, match="unknown"):
        build_settings({"unknown": 1})
