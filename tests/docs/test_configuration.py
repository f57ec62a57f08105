"""The configuration page shows every setting, with its default."""

import re
import tomllib
from pathlib import Path

import msgspec

from toolgate.config import Settings, build_settings

PAGE = (Path(__file__).parents[2] / "docs" / "configuration.md").read_text()
NOT_DEFAULTS = {"store", "jwt_public_key_path"}  # shown with an example, because their default is to be left out


def example() -> dict[str, object]:
    (source,) = re.findall(r"^```toml\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    return tomllib.loads(source)


def without(tree: object, names: set[str]) -> object:
    if not isinstance(tree, dict):
        return tree
    return {key: without(value, names) for key, value in tree.items() if key not in names}


def test_the_page_shows_every_setting_with_its_default() -> None:
    defaults = without(msgspec.to_builtins(Settings()), NOT_DEFAULTS)
    shown = without(msgspec.to_builtins(build_settings(example())), NOT_DEFAULTS)
    assert shown == defaults


def test_the_page_names_every_key() -> None:
    def keys(tree: object, path: str = "") -> set[str]:
        if not isinstance(tree, dict):
            return {path}
        return {key for name, value in tree.items() for key in keys(value, f"{path}/{name}")}

    every_key = keys(msgspec.to_builtins(Settings()))
    assert every_key == keys(example())
