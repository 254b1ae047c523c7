"""The installed package by itself: what needs no reference, and what is better than the reference's crashes."""

import os
import struct
import subprocess
import sys
import threading
import unittest.mock
import venv
import wave
import zipfile
from importlib.metadata import entry_points
from pathlib import Path

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import megacade
import megacade.watching

ROOT = Path(__file__).resolve().parents[2]
BUILTIN = megacade.roms.get_rom_path("comet_catch")


def interface():
    ale = megacade.ALEInterface()
    ale.setInt("random_seed", 1)
    ale.loadROM(BUILTIN)
    return ale


# ---- the built-in game ----


def test_builtin_game_needs_no_rom():
    env = megacade.AtariEnv("comet_catch")
    observation, info = env.reset(seed=1)
    assert observation.shape == (210, 160, 3) and info["lives"] > 0
    env.action_space.seed(2)
    assert sum(env.step(env.action_space.sample())[1] for _ in range(500)) > 0
    assert "comet_catch" not in megacade.roms.get_all_rom_ids()
    assert megacade.ALEInterface.isSupportedROM(BUILTIN) == "comet_catch"


@pytest.mark.parametrize("arguments", [{}, {"obs_type": "ram"}, {"continuous": True}, {"sound_obs": True}])
@pytest.mark.filterwarnings("ignore:.*(render_modes|For Box action spaces|environment wrapped)")
def test_gymnasium_approves(arguments):
    check_env(gymnasium.make("Megacade/CometCatch-v5", render_mode="rgb_array", **arguments).unwrapped)


def test_entry_point_for_gymnasium():
    (entry,) = (entry for entry in entry_points(group="gymnasium.envs") if entry.module.startswith("megacade"))
    before = dict(gymnasium.registry)
    entry.load()()
    assert gymnasium.registry == before and "Megacade/CometCatch-v5" in before


# ---- calls that crash, hang or end the process in ale-py ----

BEFORE_LOADING = """
    getScreen getScreenRGB getScreenGrayscale getScreenDims getRAM getAudio lives getFrameNumber
    getEpisodeFrameNumber getAvailableModes getAvailableDifficulties getLegalActionSet getMinimalActionSet game_over
    game_truncated reset_game cloneState cloneSystemState
""".split()


@pytest.mark.parametrize("name", BEFORE_LOADING)
def test_no_rom_loaded(name):
    with pytest.raises(RuntimeError, match="loadROM"):
        getattr(megacade.ALEInterface(), name)()


@pytest.mark.parametrize(
    "call",
    [
        lambda ale: ale.act(0),
        lambda ale: ale.setMode(0),
        lambda ale: ale.setDifficulty(0),
        lambda ale: ale.setRAM(0, 0),
        lambda ale: ale.restoreState(megacade.ALEState()),
        lambda ale: ale.saveScreenPNG("screen.png"),
    ],
)
def test_no_rom_loaded_for_calls_with_arguments(call):
    with pytest.raises(RuntimeError, match="loadROM"):
        call(megacade.ALEInterface())


def test_files_that_are_no_roms(tmp_path):
    empty, odd, unknown = tmp_path / "empty.bin", tmp_path / "odd.bin", tmp_path / "unknown.bin"
    empty.write_bytes(b"")
    odd.write_bytes(bytes(3001))
    unknown.write_bytes(bytes(4096))
    for path in (empty, odd, unknown, tmp_path, tmp_path / "missing.bin"):
        with pytest.raises(RuntimeError) as error:
            megacade.ALEInterface().loadROM(path)
        assert path.name in str(error.value) or "bytes" in str(error.value)


def test_a_failed_load_leaves_the_game_as_it_was(tmp_path):
    ale = interface()
    ale.act(0)
    before = ale.getRAM()
    with pytest.raises(RuntimeError):
        ale.loadROM(tmp_path / "missing.bin")
    assert np.array_equal(ale.getRAM(), before) and ale.getFrameNumber() == 1


@pytest.mark.parametrize("action", [18, 36, 40, 2**32 - 1])
def test_actions_out_of_range(action):
    with pytest.raises(ValueError, match=f"action {action} "):
        interface().act(action)


def test_strength_that_is_not_a_number():
    with pytest.raises(ValueError, match="not a number"):
        interface().act(3, float("nan"))


@pytest.mark.parametrize("place", [0, 1, 2])
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_continuous_actions_that_are_not_finite(place, value):
    env = megacade.AtariEnv("comet_catch", continuous=True)
    env.reset(seed=1)
    action = np.zeros(3, np.float32)
    action[place] = value
    with pytest.raises(ValueError, match="finite"):
        env.step(action)


@pytest.mark.parametrize(
    ("setter", "name", "value", "sentence"),
    [
        ("setInt", "frame_skip", -1, "frame_skip is -1"),
        ("setFloat", "repeat_action_probability", float("nan"), "a probability"),
        ("setInt", "paddle_max", 10**9, "paddles from"),
        ("setInt", "paddle_min", -5, "paddles from"),
        ("setInt", "paddle_max", 1, "paddles from"),
    ],
)
def test_settings_that_cannot_be_played(setter, name, value, sentence):
    ale = interface()
    getattr(ale, setter)(name, value)
    with pytest.raises(RuntimeError, match=sentence):
        ale.loadROM(BUILTIN)


def test_damaged_states():
    ale = interface()
    good = ale.cloneState(True).serialize()
    version = good[:4] + struct.pack("<I", 99) + good[8:]
    for data in (b"", b"xx", b"xx" * 4000, version):
        with pytest.raises(RuntimeError, match="state"):
            megacade.ALEState(data)
    for data in (good[:-50], good[:40], good + b"x", megacade.ALEState().serialize()):
        with pytest.raises(RuntimeError, match="state"):
            ale.restoreState(megacade.ALEState(data))


def test_a_state_of_another_cartridge(tmp_path):
    other_rom = tmp_path / "comet_catch.bin"
    other_rom.write_bytes(BUILTIN.read_bytes()[:-16] + b"\xea" + BUILTIN.read_bytes()[-15:])
    other = megacade.ALEInterface()
    megacade.ALEInterface.setLoggerMode(megacade.LoggerMode.Error)
    other.loadROM(other_rom)  # by its name, it is played by the rules of comet_catch
    with pytest.raises(RuntimeError, match="md5"):
        other.restoreState(interface().cloneState())


def test_a_rom_of_another_version_is_announced(tmp_path, capfd):
    rom = tmp_path / "comet_catch.bin"
    rom.write_bytes(BUILTIN.read_bytes()[:-16] + b"\xea" + BUILTIN.read_bytes()[-15:])
    for mode, said in ((megacade.LoggerMode.Warning, True), (megacade.LoggerMode.Error, False)):
        megacade.ALEInterface.setLoggerMode(mode)
        megacade.ALEInterface().loadROM(rom)
        assert ("md5" in capfd.readouterr().err) == said


def test_pictures_into_a_folder_that_is_not_there(tmp_path):
    with pytest.raises(OSError):
        interface().saveScreenPNG(str(tmp_path / "missing" / "screen.png"))


def test_no_rom_anywhere(tmp_path):
    code = "import megacade; megacade.AtariEnv('pong')"
    environment = {"HOME": str(tmp_path), "MEGACADE_ROMS": str(tmp_path), "PATH": ""}
    blocker = "import sys; sys.modules['ale_py'] = None; "  # as if it were not installed
    done = subprocess.run(
        [sys.executable, "-c", blocker + code], env=environment, cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 1 and "FileNotFoundError" in done.stderr and "pong" in done.stderr


# ---- threads and processes ----


def test_one_thread_at_a_time():
    """A second thread gets an exception or its turn, never a crash."""
    ale = interface()
    ale_errors = []

    def play():
        for _ in range(3000):
            try:
                ale.act(1)
                ale.getScreenRGB()
            except RuntimeError as error:
                ale_errors.append(str(error))

    threads = [threading.Thread(target=play) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all("another thread" in error for error in ale_errors)
    ale.act(0)


def test_many_threads_with_an_interface_each():
    def play(results, index):
        ale = interface()
        results[index] = [ale.act(action % 18) for action in range(2000)], ale.getRAM().tobytes()

    results = {}
    threads = [threading.Thread(target=play, args=(results, index)) for index in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 4 and len({str(result) for result in results.values()}) == 1


def test_fork():
    ale = interface()
    state = ale.cloneState()
    pid = os.fork()
    if pid == 0:
        for _ in range(10):
            ale.act(1)
        os._exit(ale.getFrameNumber())
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 10
    assert ale.cloneState() == state


# ---- a window ----


def test_a_window_without_pygame(monkeypatch):
    monkeypatch.setattr(megacade.watching, "SDL_SUPPORT", False)
    env = megacade.AtariEnv("comet_catch", render_mode="human")
    env.reset(seed=1)
    assert env.render() is None
    with pytest.raises(gymnasium.error.DependencyNotInstalled, match="pygame"):
        env.step(0)


def test_a_window(monkeypatch):
    """With a stand-in for pygame: what is shown is what is played, and nothing changes by it."""
    pygame = unittest.mock.MagicMock()
    monkeypatch.setitem(sys.modules, "pygame", pygame)
    monkeypatch.setattr(megacade.watching, "SDL_SUPPORT", True)
    seen, unseen = megacade.AtariEnv("comet_catch", render_mode="human"), megacade.AtariEnv("comet_catch")
    for env in (seen, unseen):
        env.reset(seed=1)
    for action in range(5):
        expected, found = unseen.step(action % 2), seen.step(action % 2)
        assert np.array_equal(found[0], expected[0]) and found[1:] == expected[1:]
    assert pygame.display.flip.call_count == 5 * 4
    assert pygame.display.set_mode.call_args.args == ((640, 630),)
    assert pygame.surfarray.make_surface.call_args.args[0].shape == (160, 210, 3)
    seen.close()
    seen.close()
    assert pygame.display.quit.call_count == 1
    seen.step(0)
    assert pygame.display.set_mode.call_count == 2


# ---- the wheel ----

SMOKE = """
import gymnasium, megacade, sys
assert megacade.__file__.startswith(sys.prefix), megacade.__file__
env = gymnasium.make("Megacade/CometCatch-v5")
observation, info = env.reset(seed=1)
assert env.observation_space.contains(observation)
env.action_space.seed(1)  # with bad luck a game is shorter
for _ in range(100):
    observation, reward, terminated, truncated, info = env.step(env.action_space.sample())
assert info["frame_number"] == 400
vector = megacade.make_vec("comet_catch", 3)
vector.reset(seed=1)
assert vector.step(vector.action_space.sample())[0].shape == (3, 4, 84, 84)
print(megacade.__version__)
"""


def test_wheel(tmp_path):
    """The wheel is small, fits every Python from 3.10 on, and works in an environment of its own."""
    build = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "-w", tmp_path]
    subprocess.run([*build, ROOT], check=True)
    (wheel,) = tmp_path.glob("*.whl")
    assert "-cp310-abi3-" in wheel.name
    assert wheel.stat().st_size < 2 * 2**20
    names = zipfile.ZipFile(wheel).namelist()
    assert {"megacade/_core.abi3.so", "megacade/py.typed", "megacade/_core.pyi"} <= set(names)
    assert [name for name in names if name.endswith(".bin")] == ["megacade/roms/comet_catch.bin"]

    venv.create(tmp_path / "venv", with_pip=False)
    python = tmp_path / "venv" / "bin" / "python"
    install = [sys.executable, "-m", "pip", f"--python={python}", "install", "--quiet", "--no-deps", wheel]
    subprocess.run(install, check=True)
    # NumPy and Gymnasium are borrowed, so that the test needs no network; what is installed there comes first.
    (site,) = (tmp_path / "venv").glob("lib/python3*/site-packages")
    (site / "borrowed.pth").write_text(str(Path(np.__file__).parents[1]))
    done = subprocess.run([python, "-c", SMOKE], check=True, capture_output=True, text=True, cwd=tmp_path)
    assert done.stdout.strip() == megacade.__version__


# ---- sound in a file ----


def test_recorded_sound(tmp_path):
    """512 samples for each frame, of 8 bits; those that getAudio delivers when an act is a frame."""
    path = tmp_path / "sound.wav"
    ale = megacade.ALEInterface()
    ale.setInt("random_seed", 1)
    ale.setBool("sound", True)
    ale.setBool("sound_obs", True)
    ale.setString("record_sound_filename", str(path))
    ale.loadROM(BUILTIN)
    heard = b""
    for step in range(100):
        ale.act(step % 3)
        heard += ale.getAudio().tobytes()
    with wave.open(str(path), "rb") as file:
        assert file.getparams()[:4] == (1, 1, 512 * 60, 100 * 512)
        assert file.readframes(100 * 512) == heard
    assert len(set(heard)) > 1


def test_recorded_sound_alone(tmp_path):
    """getAudio stays silent without sound_obs, and a folder that is not there is an error with its name."""
    ale = megacade.ALEInterface()
    ale.setBool("sound", True)
    ale.setString("record_sound_filename", str(tmp_path / "sound.wav"))
    ale.setInt("frame_skip", 4)
    ale.loadROM(BUILTIN)
    for _ in range(10):
        ale.act(1)
        assert not ale.getAudio().any()
    with wave.open(str(tmp_path / "sound.wav"), "rb") as file:
        assert file.getnframes() == 40 * 512
    ale.setString("record_sound_filename", str(tmp_path / "missing" / "sound.wav"))
    with pytest.raises(RuntimeError, match="missing"):
        ale.loadROM(BUILTIN)
