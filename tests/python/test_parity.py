"""A slice of every game, frame by frame against ale-py: full legal action set, no skip, no sticky actions.

tests/parity/parity.py plays longer and goes through all modes.
"""

import zlib

import pytest

pytestmark = pytest.mark.parity

FRAMES = 2000


def test_catalogue_is_the_references():
    import binding
    from ale_py import roms

    without_rules = {"combat", "joust", "maze_craze", "warlords"}
    ours = {game.name for game in binding.games() if not game.builtin}
    assert len(ours) == 104
    assert ours == set(roms.get_all_rom_ids()) - without_rules


def test_game(any_game):
    import compare

    pair = compare.Pair(any_game)
    game = pair.rom.game
    assert game.name == any_game
    assert game.modes == list(pair.ale.getAvailableModes())
    assert game.difficulties == list(pair.ale.getAvailableDifficulties())
    assert game.legal_actions == pair.legal
    assert game.minimal_actions == pair.minimal

    stream = compare.Splitmix(zlib.crc32(any_game.encode()))
    compare.play(pair, FRAMES * 3 // 4, stream=stream)
    pair.reset()
    compare.play(pair, FRAMES // 4, stream=stream, hold=4)
    assert pair.acts == FRAMES
