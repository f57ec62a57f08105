"""What every suite shares."""

import shutil
from pathlib import Path

import pytest
from hypothesis import settings

from toolgate.permissions.keys import open_private_key

# A deadline is an assertion on wall time, and this suite makes none.
settings.register_profile("toolgate", deadline=None)
settings.load_profile("toolgate")


@pytest.fixture(scope="session")
def signing_key_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One RSA key pair for the whole run: making one takes longer than most tests."""
    directory = tmp_path_factory.mktemp("keys")
    open_private_key(directory)
    return directory


@pytest.fixture
def data_dir(tmp_path: Path, signing_key_dir: Path) -> Path:
    """A fresh data directory that has its keys already."""
    directory = tmp_path / "data"
    shutil.copytree(signing_key_dir, directory)
    directory.chmod(0o700)
    return directory
