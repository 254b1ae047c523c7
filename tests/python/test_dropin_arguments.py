"""Wrong arguments, one after the other, of everything that takes arguments: both packages raise the same exception."""

import warnings

import numpy as np
import pytest
from dropin import compare, quiet, try_all

pytestmark = pytest.mark.parity

WRONG = "None 'x' 1.5 -1 0 [] 2**31 2**40 np.float32(1) np.int64(1) True b'x' float('nan')".split()

VECTOR_ARGUMENTS = """batch_size num_threads thread_affinity_offset max_num_frames_per_episode repeat_action_probability
full_action_space continuous continuous_action_threshold autoreset_mode img_height img_width grayscale stack_num
frameskip maxpool noop_max episodic_life life_loss_info reward_clipping use_fire_reset""".split()

ENV_ARGUMENTS = """mode difficulty obs_type frameskip repeat_action_probability full_action_space continuous
continuous_action_threshold max_num_frames_per_episode render_mode sound_obs""".split()

ALE_METHODS = """act setMode setDifficulty restoreState restoreSystemState cloneState game_over saveScreenPNG getScreen
getScreenRGB getScreenGrayscale getRAM getAudio""".split()

SETTERS = {
    "setInt": "random_seed",
    "setFloat": "repeat_action_probability",
    "setBool": "sound_obs",
    "setString": "record_screen_dir",
}

# What Megacade refuses and ale-py accepts, crashes with, or fails at later (docs/python.md, What differs), or refuses
# with a SystemError.
DIFFERENT = {
    *(f"p.AtariVectorEnv('pong', 1, max_num_frames_per_episode={value}).num_envs" for value in ("-1", "0")),
    *(f"p.AtariVectorEnv('pong', 1, {name}=0).num_envs" for name in ("img_height", "img_width", "stack_num")),
    *(f"p.AtariVectorEnv('pong', 1, continuous_action_threshold={value}).num_envs" for value in WRONG[:2]),
    *(f"p.AtariVectorEnv('pong', 1, continuous_action_threshold={value}).num_envs" for value in ("[]", "b'x'")),
    "p.AtariVectorEnv('pong', 1, repeat_action_probability=float('nan')).num_envs",
    "p.AtariVectorEnv('pong', 0).num_envs",
    "type(p.AtariEnv('pong', repeat_action_probability=float('nan')).reset(seed=1)).__name__",
    "type(ale.act(2**31)).__name__",
    "ale.act(0, float('nan'))",
    "p.ALEInterface().loadROM('x')",
    "p.ALEInterface().loadROM(b'x')",
    "p.ALEState(b'x')",
}


def expressions():
    """Every call with every wrong value, also with some that are right."""
    for value in WRONG:
        for name in VECTOR_ARGUMENTS:
            yield f"p.AtariVectorEnv('pong', 1, {name}={value}).num_envs"
        yield f"p.AtariVectorEnv({value}, 1).num_envs"
        yield f"p.AtariVectorEnv('pong', {value}).num_envs"
        yield f"p.AtariEnv({value})"
        for name in ("seed", "options"):
            yield f"type(p.AtariEnv('pong').reset({name}={value})).__name__"
        for name in ("step", "clone_state", "restore_state"):
            yield f"type(env.{name}({value})).__name__"
        for name, setting in SETTERS.items():
            yield f"p.ALEInterface().{name}({value}, 1)"
            yield f"p.ALEInterface().{name}('{setting}', {value})"
            yield f"p.ALEInterface().{name.replace('set', 'get')}({value})"
        for name in ALE_METHODS:
            yield f"type(ale.{name}({value})).__name__"
        yield f"ale.act(0, {value})"
        yield f"ale.setRAM({value}, 0)"
        yield f"ale.setRAM(0, {value})"
        yield f"p.ALEInterface.setLoggerMode({value})"
        yield f"p.ALEInterface.isSupportedROM({value})"
        yield f"p.ALEInterface().loadROM({value})"
        yield f"p.ALEState({value})"
    for name in ENV_ARGUMENTS:
        for value in [*WRONG, "(2, 5)", "(5, 2)", "(2,)", "'rgb_array'"]:
            yield f"type(p.AtariEnv('pong', {name}={value}).reset(seed=1)).__name__"


def test_wrong_arguments(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # one of them is a name for a picture
    table = [line for line in expressions() if line not in DIFFERENT]
    assert len(DIFFERENT - set(expressions())) == 0  # none is misspelt

    def script(package, transcript):
        ale = package.ALEInterface()
        ale.setInt("random_seed", 1)
        ale.loadROM(package.roms.get_rom_path("pong"))
        env = package.AtariEnv("pong")
        env.reset(seed=1)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try_all(transcript, "\n".join(table), {"p": package, "np": np, "ale": ale, "env": env})
        quiet(package)

    assert compare(script) == len(table) > 900


@pytest.mark.parametrize("line", sorted(DIFFERENT))
def test_what_differs_is_refused(line, tmp_path, monkeypatch):
    import megacade

    monkeypatch.chdir(tmp_path)
    ale = megacade.ALEInterface()
    ale.loadROM(megacade.roms.get_rom_path("pong"))
    with pytest.raises((ValueError, TypeError, RuntimeError), match=" "):
        eval(line, {"p": megacade, "np": np, "ale": ale})
