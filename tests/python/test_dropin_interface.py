"""megacade.ALEInterface, ALEState, Action and roms do what ale-py's do: every method, value and error."""

import pickle
import zlib
from pathlib import Path

import numpy as np
import pytest
from dropin import both, compare, try_all

pytestmark = pytest.mark.parity

GAMES = """
    pong breakout ms_pacman riverraid boxing space_invaders qbert seaquest asterix up_n_down assault beam_rider
    pitfall2 tetris skiing berzerk air_raid blackjack double_dunk kaboom name_this_game private_eye
""".split()
ACTS = 2000


def interface(package, game="pong", seed=7, **settings):
    ale = package.ALEInterface()
    ale.setInt("random_seed", seed)
    for name, value in settings.items():
        setter = {bool: ale.setBool, int: ale.setInt, float: ale.setFloat, str: ale.setString}[type(value)]
        setter(name, value)
    ale.loadROM(package.roms.get_rom_path(game))
    return ale


# ---- names ----


def public_names(thing):
    return {name for name in dir(thing) if not name.startswith("_")}


@pytest.mark.parametrize("name", ["ALEInterface", "ALEState", "Action", "LoggerMode", "AtariEnv"])
def test_classes_have_the_same_names(name):
    reference, ours = (public_names(getattr(package, name)) for package in both())
    assert ours == reference


def test_the_package_has_the_reference_names():
    ale_py, megacade = both()
    assert set(ale_py.__all__) <= set(megacade.__all__)
    assert {"register_v0_v4_envs", "register_v5_envs"} <= set(megacade.__all__)


def test_enumerations():
    def script(package, log):
        log.note("actions", list(package.Action))
        log.note("modes", list(package.LoggerMode))
        log.note("pickled", pickle.loads(pickle.dumps(package.Action.UP)))
        try_all(log, "Action(3)\nAction(18)\nAction('NOOP')\nAction['NOOP']\nint(Action.UP)", vars(package))

    compare(script)


# ---- playing ----


def note_everything(log, ale):
    for name in (
        "getScreenDims getScreen getScreenRGB getScreenGrayscale getRAM getRAMSize getAudio getAudioSize lives "
        "game_over game_truncated getFrameNumber getEpisodeFrameNumber getLegalActionSet getMinimalActionSet "
        "getAvailableModes getAvailableDifficulties"
    ).split():
        log.note(name, getattr(ale, name)())
    log.note("terminal", ale.game_over(with_truncation=False))


def play(package, log, game, settings):
    """Notes all that can be seen after a load, then a checksum per act of what changes."""
    ale = interface(package, game, **settings)
    note_everything(log, ale)
    actions = np.random.default_rng(zlib.crc32(game.encode())).integers(0, 18, ACTS)
    for act, action in enumerate(actions):
        reward = ale.act(int(action))
        pixels = zlib.crc32(ale.getScreen().tobytes())
        ram = zlib.crc32(ale.getRAM().tobytes())
        log.note(f"act {act}", [reward, ale.lives(), pixels, ram, ale.game_over(), ale.game_truncated()])
        if ale.game_over():
            ale.reset_game()
    note_everything(log, ale)


@pytest.mark.parametrize("game", GAMES)
def test_play(game):
    compare(play, game, {})


@pytest.mark.parametrize(
    ("game", "settings"),
    [
        ("breakout", {"frame_skip": 4, "repeat_action_probability": 1 / 3, "sound_obs": True}),
        ("breakout", {"truncate_on_loss_of_life": True, "color_averaging": True, "frame_skip": 0}),
        ("seaquest", {"reward_min": 0, "reward_max": 1, "max_num_frames_per_episode": 400}),
        ("pong", {"reward_min": 0, "reward_max": 0, "paddle_min": 100000, "paddle_max": 200000}),
        ("pong", {"reward_min": 5, "reward_max": -5, "repeat_action_probability": 2.0}),
        ("kaboom", {"repeat_action_probability": -1.0, "max_num_frames_per_episode": -3}),
    ],
)
def test_play_with_settings(game, settings):
    compare(play, game, settings)


def test_modes_and_difficulties():
    def script(package, log):
        ale = interface(package, "space_invaders")
        for mode in (15, 3, 0):
            ale.setMode(mode)
            ale.setDifficulty(1)
            for _ in range(30):
                ale.act(1)
            log.note("before the reset", ale.getRAM())
            ale.reset_game()
            log.note("after it", ale.getRAM())
            log.note("frames", ale.getEpisodeFrameNumber())

    compare(script)


def test_paddle_strength():
    def script(package, log):
        ale = interface(package, "breakout", repeat_action_probability=0.0)
        for strength in (0.5, 0.1, 2, -0.5, 1 / 3, np.float32(0.7), True):
            for action in (1, 3, 4, package.Action.RIGHT, package.Action.LEFTFIRE):
                ale.act(action, paddle_strength=strength)
                log.note(f"{action} {strength}", ale.getRAM())

    compare(script)


def test_ram():
    def script(package, log):
        ale = interface(package, "breakout")
        ale.setRAM(57, 200)
        log.note("set", ale.getRAM())
        ale.act(0)
        log.note("played", ale.getRAM())
        log.note("lives", ale.lives())

    compare(script)


def test_the_paddles_limit_of_a_game_stays_in_the_settings():
    def script(package, log):
        ale = interface(package, "blackjack", repeat_action_probability=0.0)
        log.note("limit", ale.getInt("paddle_max"))
        ale.loadROM(package.roms.get_rom_path("breakout"))
        for _ in range(60):
            ale.act(4)
        log.note("breakout after blackjack", ale.getScreen())

    compare(script)


# ---- arguments ----

CALLS = """
    a.act(True)
    a.act(np.int64(3))
    a.act(np.array(3))
    a.act(action=3, paddle_strength=2)
    a.act(-1)
    a.act(2**32)
    a.act(1.0)
    a.act('1')
    a.act(None)
    a.act()
    a.act(p.LoggerMode.Info)
    a.act(3, 'x')
    a.act(3, None)
    a.game_over(False)
    a.game_over(1)
    a.game_over(None)
    a.setMode(1)
    a.setMode(True)
    a.setMode(np.int64(1))
    a.setMode(99)
    a.setMode(-1)
    a.setMode(1.0)
    a.setMode(None)
    a.setMode(2**40)
    a.setDifficulty(1)
    a.setDifficulty(9)
    a.setDifficulty(-1)
    a.setDifficulty('1')
    a.setDifficulty(2.0)
    a.setRAM(0, np.uint8(1))
    a.setRAM(0, 256)
    a.setRAM(128, 0)
    a.setRAM(-1, 0)
    a.setRAM(0, -1)
    a.setRAM(0, 1.0)
    a.setRAM(2**70, 0)
    a.getScreen(np.zeros((210, 160), np.uint8))
    a.getScreen(buffer=np.zeros((210, 160), np.uint8))
    a.getScreen(memoryview(bytearray(210 * 160)).cast('B', (210, 160)))
    a.getScreen(np.zeros((210, 160, 1), np.uint8))
    a.getScreen(np.zeros((160, 210), np.uint8))
    a.getScreen(np.zeros((210, 160), np.int8))
    a.getScreen(np.zeros((160, 210), np.uint8).T)
    a.getScreen(bytearray(210 * 160))
    a.getScreen([1])
    a.getScreen(None)
    a.getScreenRGB(np.zeros((210, 160), np.uint8))
    a.getScreenRGB(np.zeros((210, 160, 4), np.uint8))
    a.getScreenGrayscale(np.zeros((211, 160), np.uint8))
    a.getRAM(bytearray(128))
    a.getRAM(np.zeros(127, np.uint8))
    a.getRAM(np.zeros((128, 1), np.uint8))
    a.getRAM(np.zeros(256, np.uint8)[::2])
    a.getRAM(read_only)
    a.getAudio(np.zeros(511, np.uint8))
    a.cloneState(1)
    a.cloneState(include_rng=True)
    a.restoreState(None)
    a.saveScreenPNG(3)
    a.loadROM()
    a.loadROM(3)
    a.loadROM(None)
    p.ALEInterface(1)
    p.ALEInterface.setLoggerMode('x')
    p.ALEInterface.setLoggerMode(2)
    p.ALEInterface.isSupportedROM(3)
    p.ALEInterface.isSupportedROM('')
    p.ALEInterface.isSupportedROM('/nonexistent')
    p.ALEInterface.isSupportedROM(this_file)
    p.ALEInterface.isSupportedROM(p.roms.get_rom_path('pong'))
    p.ALEInterface.isSupportedROM(str(p.roms.get_rom_path('atlantis2')))
    p.ALEInterface.isSupportedROM(p.roms.get_rom_path('combat'))
    setattr(a, 'unknown', 1)
    a.unknown
    pickle.dumps(a)
    a == a
    type('Subclass', (p.ALEInterface,), {})().getRAMSize()
    p.ALEInterface().lives()
    p.ALEInterface().getLegalActionSet()
    p.ALEInterface().getMinimalActionSet()
    p.ALEInterface().getRAMSize()
"""


def test_arguments():
    def script(package, log):
        read_only = np.zeros(128, np.uint8)
        read_only.flags.writeable = False
        names = {"a": interface(package), "p": package, "np": np, "pickle": pickle}
        try_all(log, CALLS, names | {"read_only": read_only, "this_file": __file__})
        log.note("what all that led to", names["a"].getRAM())

    assert compare(script) > 80


def test_buffers_are_filled():
    def script(package, log):
        ale = interface(package, "ms_pacman", sound_obs=True)
        ale.act(2)
        for name, shape in (
            ("getScreen", (210, 160)),
            ("getScreenGrayscale", (210, 160)),
            ("getScreenRGB", (210, 160, 3)),
            ("getRAM", (128,)),
            ("getAudio", (512,)),
        ):
            buffer = np.full(shape, 77, np.uint8)
            getattr(ale, name)(buffer)
            log.note(name, buffer)
            assert np.array_equal(buffer, getattr(ale, name)())

    compare(script)


# ---- settings ----


def test_settings_and_their_defaults():
    from megacade.settings import TYPED, UNTYPED

    def script(package, log):
        for name in [*TYPED, *UNTYPED, "unknown", ""]:
            ale = package.ALEInterface()
            for kind in ("String", "Int", "Bool", "Float"):
                log.note(f"get{kind} {name}", getattr(ale, f"get{kind}")(name))
            for kind, value in (("String", "1"), ("Int", 3), ("Bool", True), ("Float", 0.5)):
                log.attempt(f"set{kind} {name}", lambda: getattr(ale, f"set{kind}")(name, value))
                log.note(f"then {name}", ale.getString(name))

    compare(script)


def test_values_of_settings():
    def script(package, log):
        ale = package.ALEInterface()

        def note(name):
            values = ale.getString(name), ale.getInt(name), ale.getBool(name), ale.getFloat(name)
            log.note(name, list(values))

        for value in (1 / 3, 1e-10, 123456789.0, 1e30, 0.1, -2, float("nan"), float("inf"), np.float32(0.3), True):
            ale.setFloat("repeat_action_probability", value)
            note("repeat_action_probability")
        for value in (-(2**31), 2**31 - 1, 0, 1, True, np.int32(4)):
            ale.setInt("random_seed", value)
            note("random_seed")
        for value in ("12abc", "true", "True", "yes", " 3", "", "1.9", "-7.5e1", "99999999999", "1e400", ".5", "-x"):
            for name in ("rom_file", "volume", "palette"):
                ale.setString(name, value)
                note(name)
        names = {"a": ale, "np": np}
        wrong = """
            a.setInt('random_seed', 2**31)
            a.setInt('random_seed', 1.5)
            a.setInt('random_seed', '1')
            a.setFloat('repeat_action_probability', 'x')
            a.setFloat('repeat_action_probability', None)
            a.setBool('sound_obs', 1)
            a.setBool('sound_obs', np.bool_(True))
            a.setString('rom_file', 3)
            a.getString(3)
            a.getString()
            a.setInt('random_seed')
        """
        try_all(log, wrong, names)

    compare(script)


def test_a_loaded_file_is_a_setting():
    def script(package, log):
        ale = interface(package)
        log.note("rom_file", ale.getString("rom_file") == str(package.roms.get_rom_path("pong")))

    compare(script)


# ---- states ----


def test_states():
    def script(package, log):
        ale = interface(package, "breakout")
        for _ in range(9):
            ale.act(1)
        state, again, with_random = ale.cloneState(), ale.cloneState(), ale.cloneState(True)
        ale.act(3)
        names = {"p": package, "s": state, "t": again, "r": with_random, "u": ale.cloneState(), "pickle": pickle}
        calls = """
            s == t
            s == r
            s == u
            s != u
            s == 3
            s.equals(t)
            s.equals(u)
            s.equals(3)
            s < u
            hash(s) == hash(s)
            type(s.serialize())
            p.ALEState(s.serialize()) == s
            p.ALEState(r.serialize()) == r
            p.ALEState(3)
            p.ALEState('x')
            p.ALEState(bytearray(s.serialize()))
            p.ALEState() == p.ALEState()
            p.ALEState(p.ALEState().serialize()) == p.ALEState()
            p.ALEState().getFrameNumber()
            s.getFrameNumber()
            s.getEpisodeFrameNumber()
            s.getCurrentMode()
            s.getDifficulty()
            u.getFrameNumber()
            pickle.loads(pickle.dumps(s)) == s
            pickle.loads(pickle.dumps(r)) == r
            s.__getstate__() == s.serialize()
            __import__('copy').copy(s) == s
            __import__('copy').deepcopy(s) == s
            setattr(s, 'unknown', 1)
        """
        try_all(log, calls, names)

    compare(script)


@pytest.mark.parametrize("with_random", [False, True])
@pytest.mark.parametrize("game", ["pong", "ms_pacman", "montezuma_revenge"])
def test_clone_and_restore(game, with_random):
    def run(log, ale, label):
        for action in (1, 3, 4, 2, 5, 11, 12, 0) * 12:
            log.note(label, [ale.act(action), ale.lives(), ale.getFrameNumber(), ale.getRAM(), ale.getScreen()])

    def script(package, log):
        ale = interface(package, game)
        ale.setDifficulty(0)
        for action in range(18):
            ale.act(action)
        state = ale.cloneState(include_rng=with_random)
        run(log, ale, "first")
        ale.restoreState(state)
        log.note("restored", [ale.getFrameNumber(), ale.getRAM(), ale.cloneState(with_random) == state])
        log.note("the old picture", ale.getScreen())
        run(log, ale, "second")
        other = interface(package, game, seed=99)
        other.restoreSystemState(package.ALEState(state.serialize()))
        run(log, other, "elsewhere")

    compare(script)


# ---- pictures and ROMs ----


def test_pictures(tmp_path):
    import cv2

    def script(package, log):
        folder = tmp_path / package.__name__
        folder.mkdir()
        ale = interface(package, "seaquest", frame_skip=4, record_screen_dir=str(folder), reward_max=15)
        rewards = [ale.act(action) for action in (1, 2, 11, 12, 14, 15) * 10]
        log.note("rewards", rewards)
        ale.reset_game()
        ale.saveScreenPNG(str(folder / "last.png"))
        for path in sorted(folder.iterdir()):
            log.note(path.name, cv2.imread(str(path)))

    assert compare(script) == 1 + 240 + 1


def test_rom_ids():
    def script(package, log):
        log.note("ids", package.roms.get_all_rom_ids())
        for name in ("pong", "combat", "atlantis2"):
            log.note(name, Path(package.roms.get_rom_path(name)).name)
        with pytest.warns(UserWarning):
            log.note("unknown", package.roms.get_rom_path("Pong"))

    compare(script)


def test_roms_of_a_folder(tmp_path, monkeypatch):
    ale_py, _ = both()
    pong = ale_py.roms.get_rom_path("pong").read_bytes()
    (tmp_path / "pong.bin").write_bytes(pong)
    (tmp_path / "breakout.bin").write_bytes(pong)
    monkeypatch.setenv("ALE_ROMS_DIR", str(tmp_path))

    def script(package, log):
        for name in ("pong", "breakout", "qbert"):
            log.attempt(name, lambda: str(package.roms.get_rom_path(name)))

    compare(script)


# ---- settings that change what is played ----


@pytest.mark.parametrize("game", ["berzerk", "haunted_house", "pitfall2", "elevator_action"])
@pytest.mark.parametrize("seed", [0, 1, -1, 12345, 2**31 - 1])
def test_seed_of_the_console(game, seed):
    """RAM at power-on is drawn with it. Over resets, too: the console's sequence goes on."""

    def script(package, log):
        ale = package.ALEInterface()
        ale.setInt("random_seed", 1)
        ale.setInt("system_random_seed", seed)
        ale.loadROM(package.roms.get_rom_path(game))
        for step in range(240):
            if step % 80 == 79:
                ale.reset_game()
            log.note("reward", ale.act(step // 3 % 6))
            log.note("RAM", ale.getRAM())
        log.note("screen", ale.getScreen())

    compare(script)


@pytest.mark.parametrize("limits", [(0, -1), (0, 100), (0, 0), (-1, 790000), (1, 790196)])
def test_limits_of_paddles(limits):
    def script(package, log):
        ale = package.ALEInterface()
        ale.setInt("random_seed", 1)
        ale.setInt("paddle_min", limits[0])
        ale.setInt("paddle_max", limits[1])
        ale.loadROM(package.roms.get_rom_path("breakout"))
        for step in range(200):
            ale.act((1, 3, 4, 3)[step // 50])
            log.note("RAM", ale.getRAM())

    compare(script)


@pytest.mark.parametrize("processor", ["high", "", "x"])
def test_other_processors(processor):
    """They play alike in all games but one, which Megacade refuses."""
    import megacade

    def script(package, log):
        for game in ("breakout", "qbert", "pitfall"):
            ale = package.ALEInterface()
            ale.setInt("random_seed", 1)
            ale.setString("cpu", processor)
            ale.loadROM(package.roms.get_rom_path(game))
            for step in range(100):
                ale.act(step // 3 % 6)
                log.note("RAM", ale.getRAM())

    compare(script)
    ale = megacade.ALEInterface()
    ale.setString("cpu", processor)
    with pytest.raises(RuntimeError, match="cpu = 'low'"):
        ale.loadROM(megacade.roms.get_rom_path("pitfall2"))


def test_sound_file(tmp_path):
    """Without the setting `sound` there is none. What is in it depends on the clock in ale-py; the format does not."""

    def script(package, log):
        path = tmp_path / f"{package.__name__}.wav"
        ale = package.ALEInterface()
        ale.setString("record_sound_filename", str(path))
        ale.loadROM(package.roms.get_rom_path("enduro"))
        ale.act(1)
        log.note("file", path.exists())

    compare(script)
