"""megacade.AtariEnv does what ale-py's does: every argument, space, observation, info and error."""

import pickle

import gymnasium
import numpy as np
import pytest
from dropin import both, compare, plain, short, try_all

pytestmark = pytest.mark.parity

STEPS = 2000

# One configuration per game, so that every argument is played with.
CONFIGURATIONS = [
    ("pong", {}),
    ("breakout", {"obs_type": "grayscale", "frameskip": 1}),
    ("ms_pacman", {"obs_type": "ram", "mode": 2}),
    ("riverraid", {"full_action_space": True}),
    ("boxing", {"frameskip": (2, 5)}),
    ("space_invaders", {"mode": 5, "difficulty": 1}),
    ("qbert", {"repeat_action_probability": 0.0}),
    ("seaquest", {"max_num_frames_per_episode": 300}),
    ("asterix", {"sound_obs": True, "frameskip": 2}),
    ("up_n_down", {"frameskip": 1}),
    ("assault", {"obs_type": "grayscale", "frameskip": 3, "repeat_action_probability": 0.5}),
    ("beam_rider", {"obs_type": "ram", "sound_obs": True}),
    ("skiing", {"full_action_space": True, "obs_type": "ram"}),
    ("kaboom", {"continuous": True}),
    ("freeway", {"frameskip": (1, 3), "obs_type": "grayscale"}),
    ("hero", {"continuous": True, "continuous_action_threshold": 0.3, "obs_type": "ram"}),
    ("pitfall", {"max_num_frames_per_episode": 1000, "frameskip": (2, 5), "obs_type": "ram"}),
    ("berzerk", {"frameskip": 2, "obs_type": "ram"}),
    ("adventure", {"obs_type": "grayscale", "mode": 1, "frameskip": 2}),
    ("tennis", {"obs_type": "ram", "difficulty": 3}),
    ("video_pinball", {"obs_type": "ram", "repeat_action_probability": 1 / 3}),
    ("enduro", {"obs_type": "ram", "full_action_space": True, "render_mode": "rgb_array"}),
]


def assert_same(expected, found, where):
    assert plain(found) == plain(expected), f"{where}: ale_py {short(plain(expected))}, megacade {short(plain(found))}"


@pytest.mark.parametrize(("game", "arguments"), CONFIGURATIONS, ids=[game for game, _ in CONFIGURATIONS])
def test_steps(game, arguments):
    reference, ours = (package.AtariEnv(game, **arguments) for package in both())
    assert ours.observation_space == reference.observation_space
    assert ours.action_space == reference.action_space
    assert_same(reference.get_action_meanings(), ours.get_action_meanings(), "meanings")
    assert_same(reference.reset(seed=42), ours.reset(seed=42), "reset")
    ours.action_space.seed(1)
    for step in range(STEPS):
        action = ours.action_space.sample()
        expected = reference.step(action)
        assert_same(expected, ours.step(action), f"step {step}")
        if expected[2] or expected[3]:
            seed = step if step % 2 else None
            assert_same(reference.reset(seed=seed), ours.reset(seed=seed), f"reset after step {step}")


MAKING = """
    p.AtariEnv('combat_2')
    p.AtariEnv('pong', mode=99)
    p.AtariEnv('pong', mode='1')
    p.AtariEnv('pong', difficulty=99)
    p.AtariEnv('pong', difficulty=-1)
    p.AtariEnv('pong', obs_type='x')
    p.AtariEnv('pong', frameskip=0)
    p.AtariEnv('pong', frameskip=True)
    p.AtariEnv('pong', frameskip=2.0)
    p.AtariEnv('pong', frameskip=[2, 5])
    p.AtariEnv('pong', frameskip=(2,))
    p.AtariEnv('pong', frameskip=(5, 2))
    p.AtariEnv('pong', frameskip=(2, 2))
    p.AtariEnv('pong', frameskip=(0, 2))
    p.AtariEnv('pong', frameskip='4')
    p.AtariEnv('pong', frameskip=np.int64(4))
    p.AtariEnv('pong', frameskip=None)
    p.AtariEnv('pong', repeat_action_probability='x')
    p.AtariEnv('pong', repeat_action_probability=2)
    p.AtariEnv('pong', render_mode='x')
    p.AtariEnv('pong', max_num_frames_per_episode='x')
    p.AtariEnv('pong', max_num_frames_per_episode=-1)
    p.AtariEnv('pong', sound_obs=1)
    p.AtariEnv('pong', full_action_space=1).action_space
    p.AtariEnv('pong', continuous=1).action_space
    p.AtariEnv()
    p.AtariEnv('pong', unknown=1)
    p.AtariEnv('pong', sound_obs=True, obs_type='ram').observation_space
    p.AtariEnv.metadata
"""

USING = """
    env.step(0)[1:]
    env.step(-1)[1:]
    env.step(np.int64(2))[1:]
    env.step(np.array(2))[1:]
    env.step(True)[1:]
    env.step(99)
    env.step(-7)
    env.step(1.0)
    env.step('x')
    env.step(None)
    env.step(np.array([2]))
    env.step(p.Action.UP)
    env.reset(seed=-1)
    env.reset(seed='x')
    env.reset(seed=1.5)
    env.reset(seed=np.int64(4))
    env.reset(1)
    env.reset(seed=2**40)[1]
    env.reset(seed=2**70)[1]
    env.reset(options={'x': 1})[1]
    env.np_random_seed
    env.render()
    env.render_mode
    env.spec
    env.get_keys_to_action()
    env.get_action_meanings()
    env.seed_game(5)
    env.load_game()
    env.clone_state(include_rng=1)
    env.restore_state(3)
    env.restore_state(env.clone_state(True))
    env.close()
    env.close()
    env.step(0)[1:]
    env.reset()[1]
    str(env)
    seen.render()
    full.get_keys_to_action()
    sticks.get_action_meanings()
    sticks.get_keys_to_action()
    sticks.step(np.zeros(3, np.float32))[1:]
    sticks.step(np.array([9, 0, 1], np.float32))[1:]
    sticks.step(np.zeros(3))
    sticks.step([0, 0, 0])
    sticks.step(np.zeros(2, np.float32))
    sticks.step(3)
    env.map_action_idx(0, 0, False)
    env.map_action_idx(1, 0, 2)
    env.map_action_idx(2, 0, False)
    env.map_action_idx(0, -3, True)
"""


@pytest.mark.filterwarnings("ignore:.*")
def test_arguments():
    def script(package, log):
        make = package.AtariEnv
        names = {
            "p": package,
            "np": np,
            "env": make("pong"),
            "seen": make("pong", render_mode="rgb_array"),
            "full": make("pong", full_action_space=True),
            "sticks": make("breakout", continuous=True),
        }
        for env in (names[name] for name in ("env", "seen", "full", "sticks")):
            env.reset(seed=3)
        try_all(log, MAKING, names)
        try_all(log, USING, names)
        for vertical in (-1, 0, 1):
            for horizontal in (-1, 0, 1):
                for fire in (False, True):
                    log.note("action", make.map_action_idx(horizontal, vertical, fire))

    assert compare(script) > 90


def test_states():
    def script(package, log):
        env = package.AtariEnv("ms_pacman", obs_type="ram")
        env.reset(seed=5)
        for action in range(9):
            env.step(action)
        state = env.clone_state(include_rng=True)
        first = [env.step(action % 9)[:4] for action in range(60)]
        env.restore_state(state)
        log.note("again", first)
        log.note("the same", plain([env.step(action % 9)[:4] for action in range(60)]) == plain(first))

    compare(script)


def test_pickling_remakes_the_environment():
    def script(package, log):
        env = package.AtariEnv("breakout", mode=4, frameskip=(2, 5), obs_type="ram")
        copy = pickle.loads(pickle.dumps(env))
        log.note("arguments", dict(copy._ezpickle_kwargs))
        log.note("reset", copy.reset(seed=9))
        log.note("steps", [copy.step(1)[:4] for _ in range(20)])

    compare(script)


def test_observations_are_the_callers():
    _, megacade = both()
    env = megacade.AtariEnv("pong")
    first, _ = env.reset(seed=1)
    before = first.copy()
    second, *_ = env.step(2)
    second[...] = 0
    assert np.array_equal(first, before)
    assert env.render_mode is None and not np.array_equal(env.step(0)[0], second)


def test_registered_ids():
    both()  # importing them registers their ids
    reference = {
        id.removeprefix("ALE/"): spec.kwargs
        for id, spec in gymnasium.registry.items()
        if str(spec.entry_point).startswith("ale_py")
    }
    ours = {id.removeprefix("Megacade/"): spec.kwargs for id, spec in gymnasium.registry.items() if "Megacade/" in id}
    assert ours.pop("CometCatch-v5")["game"] == "comet_catch"
    assert ours == reference


@pytest.mark.parametrize("id", ["Pong-v5", "BreakoutNoFrameskip-v4", "Qbert-v0"])
@pytest.mark.filterwarnings("ignore:.*out of date")
def test_made_by_id(id):
    both()
    reference_id = f"ALE/{id}" if id.endswith("v5") else id
    reference, ours = gymnasium.make(reference_id), gymnasium.make(f"Megacade/{id}")
    assert_same(reference.reset(seed=11), ours.reset(seed=11), "reset")
    for step in range(50):
        assert_same(reference.step(step % 4), ours.step(step % 4), f"step {step}")


@pytest.mark.filterwarnings("ignore:.*out of date")
def test_gymnasiums_preprocessing():
    from gymnasium.wrappers import AtariPreprocessing, FrameStackObservation

    both()
    reference, ours = (
        FrameStackObservation(AtariPreprocessing(gymnasium.make(id)), 4)
        for id in ("BreakoutNoFrameskip-v4", "Megacade/BreakoutNoFrameskip-v4")
    )
    assert_same(reference.reset(seed=3), ours.reset(seed=3), "reset")
    for step in range(200):
        assert_same(reference.step(step % 4), ours.step(step % 4), f"step {step}")
