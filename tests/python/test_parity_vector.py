"""Vectors against ale-py's AtariVectorEnv: every array of every step, byte for byte."""

import numpy as np
import pytest

pytestmark = pytest.mark.parity

MODES = ["NextStep", "SameStep"]  # as Gymnasium's AutoresetMode calls them, numbered as MEGA_AUTORESET_*
INFO = {"lives": "lives", "frame_number": "frame_numbers", "episode_frame_number": "episode_frame_numbers"}


def make_pair(game, count, mode, batch=0, **settings):
    import binding
    import compare
    from ale_py.vector_env import AtariVectorEnv
    from gymnasium.vector import AutoresetMode

    theirs = AtariVectorEnv(
        game, count, batch_size=batch, autoreset_mode=AutoresetMode(mode), max_num_frames_per_episode=settings.get("frames", 300),
        repeat_action_probability=0.25, noop_max=20, episodic_life=bool(settings.get("episodic_life")),
        grayscale=not settings.get("rgb"), num_threads=2,
    )
    ours = binding.Vector(
        binding.Rom.load(compare.rom_path(game)), count, batch=batch, threads=2, autoreset=MODES.index(mode),
        max_episode_frames=settings.get("frames", 300), sticky=0.25, noop_max=20,
        episodic_life=int(bool(settings.get("episodic_life"))), rgb=int(bool(settings.get("rgb"))),
    )
    return theirs, ours


def check_info(info, rows):
    for name, ours in INFO.items():
        assert np.array_equal(info[name], rows[ours]), name


def check_step(result, rows):
    observations, rewards, terminations, truncations, info = result
    assert np.array_equal(observations, rows["observations"])
    assert np.array_equal(rewards, rows["rewards"])
    assert np.array_equal(terminations, rows["terminations"])
    assert np.array_equal(truncations, rows["truncations"])
    check_info(info, rows)
    for row in np.flatnonzero(rows["episode_ends"]) if "final_obs" in info else []:
        assert np.array_equal(info["final_obs"][row], rows["final_observations"][row])


def play(theirs, ours, steps, seed):
    random = np.random.default_rng(seed)
    ends = 0
    for _ in range(steps):
        actions = random.integers(ours.action_count, size=theirs.num_envs)
        check_step(theirs.step(actions), ours.step(actions))
        ends += ours.rows["episode_ends"].sum()
    return ends


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("count", [1, 3, 8])
@pytest.mark.parametrize("game", ["breakout", "pong", "ms_pacman"])
def test_in_step(game, count, mode):
    theirs, ours = make_pair(game, count, mode)
    observations, info = theirs.reset(seed=7)
    assert np.array_equal(observations, ours.reset(np.arange(7, 7 + count))["observations"])
    check_info(info, ours.rows)
    assert play(theirs, ours, 200, count) >= count
    observations, info = theirs.reset()
    assert np.array_equal(observations, ours.reset()["observations"])
    play(theirs, ours, 60, count)
    theirs.close()


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("settings", [{"episodic_life": 1, "frames": 4000}, {"rgb": 1}], ids=str)
def test_settings(settings, mode):
    theirs, ours = make_pair("breakout", 4, mode, **settings)
    theirs.reset(seed=1)
    ours.reset(np.arange(1, 5))
    assert play(theirs, ours, 200, 1) > 0
    theirs.close()


def test_some_are_reset():
    theirs, ours = make_pair("space_invaders", 5, MODES[0])
    theirs.reset(seed=3)
    ours.reset(np.arange(3, 8))
    play(theirs, ours, 30, 2)
    mask = np.array([True, False, False, True, True])
    seeds = np.array([50, -1, -1, 51, 52])
    observations, info = theirs.reset(seed=50, options={"reset_mask": mask})
    assert np.array_equal(observations, ours.reset(seeds, mask)["observations"])
    check_info(info, ours.rows)
    play(theirs, ours, 100, 3)
    theirs.close()


def test_batches():
    """Rows come in the order of completion, so environments are compared one by one."""
    count, batch, rounds = 6, 2, 300
    theirs, ours = make_pair("breakout", count, MODES[0], batch=batch)
    played = [[[] for _ in range(count)] for _ in range(2)]

    def note(side, ids, *arrays):
        for row, env_id in enumerate(ids):
            played[side][env_id].append([array[row].tobytes() for array in arrays])

    def actions(side, ids):
        return np.array([(7 * i + 3 * len(played[side][i]) // 4) % ours.action_count for i in ids])

    observations, info = theirs.reset(seed=9)
    rows = ours.reset(np.arange(9, 9 + count))
    note(0, info["env_id"], observations, info["lives"])
    note(1, rows["env_ids"], rows["observations"], rows["lives"])
    for _ in range(rounds):
        observations, _, _, _, info = theirs.step(actions(0, info["env_id"]))
        note(0, info["env_id"], observations, info["lives"])
        rows = ours.step(actions(1, rows["env_ids"]))
        note(1, rows["env_ids"], rows["observations"], rows["lives"])
    for a, b in zip(*played):
        common = min(len(a), len(b))
        assert common > 20 and a[:common] == b[:common]
    theirs.close()
