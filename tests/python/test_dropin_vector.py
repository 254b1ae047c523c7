"""megacade.AtariVectorEnv does what ale-py's does: every argument, space, array, info and error."""

import os

import gymnasium
import numpy as np
import pytest
from dropin import both, compare, plain, short, try_all
from gymnasium.vector import AutoresetMode

pytestmark = pytest.mark.parity

# `make parity` plays every configuration for 2,000 calls of step; `make test` for so many of all environments together.
LONG = bool(os.environ.get("MEGACADE_LONG"))
CALLS = 2000


def calls(count, share=1):
    """How often to step ``count`` environments."""
    return (CALLS if LONG else CALLS // count) // share


# One configuration per game, so that every argument is played with.
SAME = {"autoreset_mode": AutoresetMode.SAME_STEP}
CONFIGURATIONS = [
    ("pong", 1, {}),
    ("breakout", 3, {**SAME, "episodic_life": True}),
    ("ms_pacman", 3, {"episodic_life": True, "stack_num": 2}),
    ("riverraid", 3, {"full_action_space": True, **SAME}),
    ("boxing", 1, {"max_num_frames_per_episode": 400, **SAME}),
    ("space_invaders", 16, {"repeat_action_probability": 0.25, "life_loss_info": True}),
    ("qbert", 3, {"life_loss_info": True, **SAME}),
    ("seaquest", 3, {"grayscale": False, "stack_num": 1}),
    ("asterix", 3, {"reward_clipping": False, "noop_max": 0}),
    ("up_n_down", 3, {"frameskip": 1, "stack_num": 3}),
    ("assault", 16, {"img_height": 42, "img_width": 32, "maxpool": False}),
    ("beam_rider", 1, {"use_fire_reset": False, "noop_max": 1}),
    ("skiing", 3, {"repeat_action_probability": 0.5, "frameskip": 3}),
    ("kaboom", 3, {"continuous": True}),
    ("freeway", 1, {"max_num_frames_per_episode": 1000, "num_threads": 1}),
    ("hero", 3, {"continuous": True, "continuous_action_threshold": 0.3, **SAME, "repeat_action_probability": 0.25}),
    ("pitfall", 3, {"grayscale": False, "img_height": 105, "img_width": 80, "stack_num": 1}),
    ("berzerk", 16, {"autoreset_mode": "SameStep", "noop_max": 7, "stack_num": 1}),
    ("adventure", 3, {"frameskip": 2, "thread_affinity_offset": 0}),
    ("tennis", 1, {"img_height": 210, "img_width": 160, "stack_num": 1}),
    ("video_pinball", 3, {"repeat_action_probability": 1 / 3, "episodic_life": True, "life_loss_info": True, **SAME}),
    ("enduro", 3, {"frameskip": 5, "max_num_frames_per_episode": 1003, "noop_max": 100}),
    ("carnival", 1, {"img_height": 84, "img_width": 200, "stack_num": 1, "maxpool": False, "frameskip": 2}),
    ("kung_fu_master", 16, {"grayscale": False, "episodic_life": True, "repeat_action_probability": 0.25, **SAME}),
]


def pair(*args, **kwargs):
    return [package.AtariVectorEnv(*args, **kwargs) for package in both()]


def assert_same(expected, found, where):
    expected, found = plain(expected), plain(found)
    assert found == expected, f"{where}: ale_py {short(expected)}, megacade {short(found)}"


class Comparison:
    """Both packages in step."""

    def __init__(self, reference, ours):
        self.reference, self.ours = reference, ours
        self.steps = 0

    def reset(self, **arguments):
        expected = self.reference.reset(**arguments)
        assert_same(expected, self.ours.reset(**arguments), f"reset {arguments} after {self.steps} steps")
        self.frames = expected[1]["episode_frame_number"]

    def step(self, actions):
        expected, found = self.reference.step(actions), self.ours.step(actions)
        self.steps += 1
        # Rows of final_obs whose environments play on hold anything in ale-py.
        began = expected[4]["episode_frame_number"] < self.frames
        self.frames = expected[4]["episode_frame_number"]
        for info in (expected[4], found[4]):
            if "final_obs" in info:
                info["final_obs"] = info["final_obs"][began]
        assert_same(expected, found, f"step {self.steps}")
        return int((expected[2] | expected[3]).sum())

    def play(self, steps, seed=1):
        self.reference.action_space.seed(seed)
        return sum(self.step(self.reference.action_space.sample()) for _ in range(steps))

    def close(self):
        self.reference.close()
        self.ours.close()


@pytest.mark.parametrize(("game", "count", "arguments"), CONFIGURATIONS, ids=[entry[0] for entry in CONFIGURATIONS])
def test_steps(game, count, arguments):
    both_of_them = Comparison(*pair(game, count, **arguments))
    for name in "single_observation_space observation_space single_action_space action_space metadata".split():
        assert getattr(both_of_them.ours, name) == getattr(both_of_them.reference, name), name
    chosen = np.arange(count) % 2 == 0
    resets = [
        {"seed": 42},
        {},
        {"seed": np.arange(count) * 7 + 1},
        {"seed": 5, "options": {"reset_mask": chosen}},
    ]
    for turn, arguments in enumerate(resets):
        both_of_them.reset(**arguments)
        both_of_them.play(calls(count, len(resets)), seed=turn)
    assert both_of_them.steps == len(resets) * calls(count, len(resets))
    both_of_them.close()


# ---- resets ----


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
def test_resets(mode):
    games = Comparison(*pair("breakout", 3, autoreset_mode=mode, max_num_frames_per_episode=200))
    games.reset(seed=7)
    games.play(60)
    games.reset(seed=np.array([5, -1, 2**31 - 1]))
    games.play(40)
    games.reset(seed=-1)
    games.play(40)
    games.reset(seed=True, options={"unknown": 1})
    for mask in ([True, False, True], [False, False, False], [True, True, True]):
        games.reset(options={"reset_mask": np.array(mask)})
        games.play(30)
        games.reset(seed=9, options={"reset_mask": np.array(mask)})
        games.play(30)
        games.reset(seed=np.arange(sum(mask)), options={"reset_mask": np.array(mask)})
        assert games.play(60) >= 3
    games.close()


@pytest.mark.parametrize("frames", [1, 3, 4, 5])
def test_short_episodes(frames):
    games = Comparison(*pair("pong", 2, max_num_frames_per_episode=frames, noop_max=5))
    games.reset(seed=1)
    assert games.play(20) > 5
    games.close()


@pytest.mark.parametrize("probability", [-1, 1, 2])
def test_any_probability(probability):
    games = Comparison(*pair("breakout", 2, repeat_action_probability=probability, noop_max=-3))
    games.reset(seed=1)
    games.play(30)
    games.close()


# ---- batches ----


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
@pytest.mark.parametrize(("count", "batch"), [(3, 1), (6, 2), (5, 3), (16, 4)])
def test_batches(count, batch, mode):
    """Rows come in the order of completion, so environments are compared one by one.

    Nothing promises that all have the same number of turns: each library plays until its slowest has enough."""
    played = []
    turns = CALLS if LONG else 150
    enough = turns * batch // count
    for env in pair("breakout", count, batch_size=batch, autoreset_mode=mode, max_num_frames_per_episode=100):
        results = [[] for _ in range(count)]

        def note(info, *arrays):
            keys = [info[key] for key in ("lives", "frame_number", "episode_frame_number")]
            for row, env_id in enumerate(info["env_id"]):
                results[env_id].append([plain(array[row]) for array in (*arrays, *keys)])
            return np.array([(7 * i + 3 * len(results[i]) // 4) % 4 for i in info["env_id"]])

        observations, info = env.reset(seed=9)  # some of the resets; the others come out of recv
        nothing = np.zeros(batch, np.bool_)
        actions = note(info, observations, np.zeros(batch, np.int32), nothing, nothing)
        turn = 0
        while min(map(len, results)) < enough and turn < 20 * turns:
            turn += 1
            if turn % 2:
                result = env.step(actions)
            else:
                env.send(actions)
                result = env.recv()
            actions = note(result[4], *result[:4])
        played.append(results)
        env.close()
    for expected, found in zip(*played):
        common = min(len(expected), len(found))
        assert common >= enough and expected[:common] == found[:common]


# ---- arguments and errors ----

MAKING = """
    p.AtariVectorEnv('combat_2', 1)
    p.AtariVectorEnv(None, 1)
    p.AtariVectorEnv('pong', -1)
    p.AtariVectorEnv('pong', 1.0)
    p.AtariVectorEnv('pong', '1')
    p.AtariVectorEnv('pong', True)
    p.AtariVectorEnv('pong', np.int64(2)).num_envs
    p.AtariVectorEnv()
    p.AtariVectorEnv('pong')
    p.AtariVectorEnv('pong', 1, 1)
    p.AtariVectorEnv('pong', 1, unknown=1)
    p.AtariVectorEnv('pong', 1, autoreset_mode='x')
    p.AtariVectorEnv('pong', 1, autoreset_mode='Disabled')
    p.AtariVectorEnv('pong', 1, autoreset_mode=AutoresetMode.DISABLED)
    p.AtariVectorEnv('pong', 1, autoreset_mode='SAME_STEP')
    p.AtariVectorEnv('pong', 1, autoreset_mode=None)
    p.AtariVectorEnv('pong', 1, autoreset_mode='SameStep').metadata
    p.AtariVectorEnv('pong', 1, autoreset_mode='SameStep').autoreset_mode
    p.AtariVectorEnv('pong', 2, batch_size=-1)
    p.AtariVectorEnv('pong', 2, batch_size=1.0)
    p.AtariVectorEnv('pong', 2, batch_size=1).action_space
    p.AtariVectorEnv('pong', 2, batch_size=1).observation_space
    p.AtariVectorEnv('pong', 2, batch_size=1).num_envs
    p.AtariVectorEnv('pong', 2, batch_size=1).batch_size
    p.AtariVectorEnv('pong', 2, num_threads=-1).num_envs
    p.AtariVectorEnv('pong', 2, num_threads=1000).num_envs
    p.AtariVectorEnv('pong', 2, num_threads=1.0)
    p.AtariVectorEnv('pong', 2, thread_affinity_offset=-7).num_envs
    p.AtariVectorEnv('pong', 2, thread_affinity_offset=99).num_envs
    p.AtariVectorEnv('pong', 2, frameskip=0)
    p.AtariVectorEnv('pong', 2, frameskip=(2, 5))
    p.AtariVectorEnv('pong', 2, frameskip=True)
    p.AtariVectorEnv('pong', 2, frameskip=np.int64(4))
    p.AtariVectorEnv('pong', 2, frameskip='4')
    p.AtariVectorEnv('pong', 2, stack_num=-1)
    p.AtariVectorEnv('pong', 2, img_height=-1)
    p.AtariVectorEnv('pong', 2, img_width=1.5)
    p.AtariVectorEnv('pong', 2, noop_max=1.5)
    p.AtariVectorEnv('pong', 2, grayscale=1)
    p.AtariVectorEnv('pong', 2, grayscale=False).observation_space
    p.AtariVectorEnv('pong', 2, maxpool=None)
    p.AtariVectorEnv('pong', 2, full_action_space=1)
    p.AtariVectorEnv('pong', 2, full_action_space=True).action_space
    p.AtariVectorEnv('pong', 2, continuous=1)
    p.AtariVectorEnv('pong', 2, continuous=True).action_space
    p.AtariVectorEnv('pong', 2, continuous=True).single_action_space
    p.AtariVectorEnv('pong', 2, repeat_action_probability='x')
    p.AtariVectorEnv('pong', 2, max_num_frames_per_episode=None)
    p.AtariVectorEnv('pong', 2, max_num_frames_per_episode=1.0)
    p.AtariVectorEnv('pong', 2, episodic_life=1)
    p.AtariVectorEnv('pong', 2, life_loss_info=1)
    p.AtariVectorEnv('pong', 2, reward_clipping=1)
    p.AtariVectorEnv('pong', 2, use_fire_reset=1)
    p.AtariVectorEnv('pong', 2, render_mode='rgb_array')
    p.AtariVectorEnv('skiing', 2, continuous=True).ale.get_action_set()
    p.AtariVectorEnv.metadata
"""

USING = """
    env.step(np.zeros(3, int))
    env.send(np.zeros(3, int))
    env.reset(options={'reset_mask': np.array([True, False, False])})
    env.reset(seed=3)
    env.step(np.zeros(3, np.int32))
    env.step(np.zeros(6, int)[::2])
    env.step([0, 0, 0])
    env.step((0, 0, 0))
    env.step(None)
    env.step(0)
    env.step(np.zeros(3, np.uint8))
    env.step(np.zeros(3, np.float32))
    env.step(np.zeros(3, bool))
    env.step(np.zeros(3, '>i4'))
    env.step(np.zeros(2, int))
    env.step(np.zeros(4, int))
    env.step(np.zeros((3, 1), int))
    env.send(np.zeros(2, int))
    env.send(np.array([2, 3, 1]))
    env.recv()
    env.reset(seed=[1, 2, 3])
    env.reset(seed=np.array([1, 2, 3], np.uint8))
    env.reset(seed=np.array([1, 2, 3], np.uint64))
    env.reset(seed=np.array([1, 2]))
    env.reset(seed=np.array([1.0, 2, 3]))
    env.reset(seed=np.array([[1, 2, 3]]))
    env.reset(seed=np.array(3))
    env.reset(seed=np.int64(3))
    env.reset(seed=2**31 - 3)
    env.reset(seed=2**31 - 2)
    env.reset(seed=2**31)
    env.reset(seed=2**80)
    env.reset(seed=-2**31 - 1)
    env.reset(seed=np.array([1, 2, 2**40]))
    env.reset(seed='a')
    env.reset(seed=1.5)
    env.reset(1)
    env.reset(options=1)
    env.reset(options=[])
    env.reset(options={'reset_mask': None})
    env.reset(options={'reset_mask': [True, False, False]})
    env.reset(options={'reset_mask': np.array([1, 0, 0])})
    env.reset(options={'reset_mask': np.array([True, False])})
    env.reset(options={'reset_mask': np.array([[True, False, True]])})
    env.reset(seed=np.array([5, 6, 7]), options={'reset_mask': np.array([True, False, True])})
    env.render_mode
    env.spec
    str(env)
    env.unwrapped is env
    env.continuous
    env.continuous_action_threshold
    env.grayscale
    env.map_action_idx
    env.closed
    env.ale.get_num_envs()
    env.ale.get_observation_shape()
    env.ale.get_action_set()
    env.close()
    env.close()
    env.close(terminate=True)
    env.closed
    part.reset(options={'reset_mask': np.array([True, False, False])})
    part.step(np.zeros(2, int))
    part.send(np.zeros(2, int))
    part.reset(seed=1)[0].shape
    part.reset(options={'reset_mask': np.array([True, False, False])})
    part.step(np.zeros(3, int))
    part.send(np.zeros(2, int))
    sticks.reset(seed=1)
    sticks.step(np.zeros(2, int))
    sticks.step(np.zeros((2, 3)))
    sticks.step(np.zeros((2, 2), np.float32))
    sticks.step([[0, 0, 0], [0, 0, 0]])
    sticks.step(np.ones((2, 3), np.float32))
    sticks.step(np.ones((2, 6), np.float32)[:, ::2])
"""


def test_arguments():
    def script(package, transcript):
        try_all(transcript, MAKING, {"p": package, "np": np, "AutoresetMode": AutoresetMode})

    with pytest.warns(UserWarning):
        assert compare(script) == len(MAKING.strip().splitlines())


def test_use():
    def script(package, transcript):
        names = {
            "env": package.AtariVectorEnv("pong", 3),
            "part": package.AtariVectorEnv("pong", 3, batch_size=2),
            "sticks": package.AtariVectorEnv("pong", 2, continuous=True),
        }
        try_all(transcript, USING, {"p": package, "np": np, **names})

    compare(script)


# ---- ALEVectorInterface ----

NATIVE = """
    i.get_action_set()
    i.get_num_envs()
    i.get_observation_shape()
    i.send([0, 0], [1.0, 1.0])
    i.reset([0], [1])
    i.reset([0, 1], [3, 4])
    i.send([0, 1], [1.0, 1.0])
    i.recv()
    i.reset([0], [5])
    i.reset([], [])
    i.reset((1, 0), (5, 6))
    i.reset(np.array([0, 1]), np.array([5, -1]))
    i.send([0, 0], [1.0])
    i.send([0], [1.0])
    i.send(['a', 'b'], [1.0, 1.0])
    i.send(np.array([1, 2]), np.array([1.0, 0.5], np.float32))
    i.recv()
    i.recv(1)
    i.reset([7], [5])
    i.reset([-1], [5])
    i.reset([0, 1], [5])
    p.ALEVectorInterface(rom)
    p.ALEVectorInterface(rom_path=rom, num_envs=1, autoreset_mode='x')
    p.ALEVectorInterface(rom, 1, grayscale=False, img_height=210, img_width=160).get_observation_shape()
    p.ALEVectorInterface(str(rom), 3, full_action_space=True).get_action_set()
"""


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
def test_native_interface(mode):
    def script(package, transcript):
        rom = package.roms.get_rom_path("breakout")
        interface = package.ALEVectorInterface(rom, 2, 3, 2, max_episode_steps=9, autoreset_mode=mode)
        try_all(transcript, NATIVE, {"p": package, "np": np, "i": interface, "rom": rom})

    compare(script)


# ---- Gymnasium ----


def test_registered():
    import ale_py
    import megacade

    gymnasium.register_envs(ale_py)
    gymnasium.register_envs(megacade)
    for arguments in ({}, {"repeat_action_probability": 0.0, "stack_num": 1}):
        games = Comparison(*(gymnasium.make_vec(f"{name}/MsPacman-v5", 3, **arguments) for name in ("ALE", "Megacade")))
        assert games.reference.spec.kwargs == games.ours.spec.kwargs
        games.reset(seed=4)
        games.play(150)
        games.close()


@pytest.mark.parametrize("mode", ["sync", "async"])
def test_vectors_of_single_environments(mode):
    import ale_py
    import megacade

    gymnasium.register_envs(ale_py)
    gymnasium.register_envs(megacade)
    reference, ours = (gymnasium.make_vec(f"{name}/Pong-v5", 2, mode) for name in ("ALE", "Megacade"))
    assert_same(reference.reset(seed=4)[0], ours.reset(seed=4)[0], "reset")
    for step in range(20):
        assert_same(reference.step(np.array([2, 3])), ours.step(np.array([2, 3])), f"step {step}")
    reference.close()
    ours.close()
