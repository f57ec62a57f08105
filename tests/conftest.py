"""What every suite shares."""

from hypothesis import settings

# A deadline is an assertion on wall time, and this suite makes none.
settings.register_profile("toolgate", deadline=None)
settings.load_profile("toolgate")
