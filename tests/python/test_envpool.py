"""megacade.make_vec(preset="envpool") plays what EnvPool 1.2 plays. Skipped where EnvPool is not installed."""

import numpy as np
import pytest

import megacade

envpool = pytest.importorskip("envpool", reason="EnvPool is not installed; `pip install envpool` makes this run")

pytestmark = pytest.mark.parity

CONFIGURATIONS = [
    ("Pong", "pong", {}),
    ("Breakout", "breakout", {"episodic_life": True}),
    ("Breakout", "breakout", {"max_episode_steps": 60, "episodic_life": True}),
    ("SpaceInvaders", "space_invaders", {"repeat_action_probability": 0.25}),
    ("MsPacman", "ms_pacman", {"episodic_life": True, "reward_clip": True}),
    ("Qbert", "qbert", {"stack_num": 2, "noop_max": 7}),
    ("Seaquest", "seaquest", {"frame_skip": 1, "max_episode_steps": 500}),
    ("Assault", "assault", {"frame_skip": 2, "use_fire_reset": False}),
    ("Riverraid", "riverraid", {"full_action_space": True, "episodic_life": True}),
    ("Boxing", "boxing", {"frame_skip": 3, "max_episode_steps": 100, "img_height": 64, "img_width": 96}),
    ("BeamRider", "beam_rider", {"gray_scale": False}),
    ("Tennis", "tennis", {"max_episode_steps": 50, "noop_max": 1}),
]

NAMES = {"gray_scale": "grayscale", "frame_skip": "frameskip", "reward_clip": "reward_clipping"}


def ours_of(game, count, arguments):
    """The same in Megacade's words."""
    settings = {NAMES.get(name, name): value for name, value in arguments.items()}
    steps = settings.pop("max_episode_steps", 27000)
    settings["max_num_frames_per_episode"] = steps * settings.get("frameskip", 4)
    return megacade.make_vec(game, count, preset="envpool", **settings)


def channels_last(observations, stack):
    """EnvPool's RGB, which has the channels before the rows, as Megacade has it."""
    count, planes, height, width = observations.shape
    if planes == stack:
        return observations
    return observations.reshape(count, stack, 3, height, width).transpose(0, 1, 3, 4, 2)


@pytest.mark.parametrize(("task", "game", "arguments"), CONFIGURATIONS)
def test_same_as_envpool(task, game, arguments):
    count, stack = 3, arguments.get("stack_num", 4)
    reference = envpool.make(f"{task}-v5", env_type="gymnasium", num_envs=count, seed=7, **arguments)
    env = ours_of(game, count, arguments)
    assert reference.action_space.n == env.single_action_space.n
    expected, info = reference.reset()
    found, _ = env.reset(seed=7)
    assert np.array_equal(channels_last(expected, stack), found)
    env.action_space.seed(1)
    ends = 0
    for step in range(700):
        actions = env.action_space.sample()
        observations, rewards, terminations, truncations, info = reference.step(actions)
        result = env.step(actions)
        where = f"step {step}"
        assert np.array_equal(terminations, result[2]) and np.array_equal(truncations, result[3]), where
        assert np.array_equal(rewards, result[1]) and np.array_equal(info["lives"], result[4]["lives"]), where
        assert np.array_equal(info["ram"], env.ram()), where
        assert np.array_equal(channels_last(observations, stack), result[0]), where
        ends += int((terminations | truncations).sum())
    if "episodic_life" in arguments or "max_episode_steps" in arguments:
        assert ends > 0
    env.close()
