"""The vector environment by itself: what ale-py's lacks, and what is better than its hangs and crashes."""

import copy
import gc
import os
import pickle
import signal
import threading
import time
import weakref

import gymnasium
import numpy as np
import pytest

import megacade

GAME = "comet_catch"


def make(count=4, **arguments):
    env = megacade.AtariVectorEnv(GAME, count, **arguments)
    env.reset(seed=1)
    return env


def play(env, steps, seed=0):
    """Random actions; the bytes of all that came out."""
    env.action_space.seed(seed)
    out = []
    for _ in range(steps):
        *arrays, info = env.step(env.action_space.sample())
        out += [array.tobytes() for array in (*arrays, *info.values())]
    return out


# ---- translation ----


@pytest.mark.parametrize("translate", [True, "now"])
def test_translation_changes_nothing(translate):
    assert play(make(translate=translate), 300) == play(make(translate=False), 300)


@pytest.mark.parametrize("translate", [None, 0, 2, "later", [True]])
def test_translation_out_of_range(translate):
    with pytest.raises(ValueError, match="expected True, False or 'now'"):
        make(translate=translate)


# ---- arrays ----


def test_results_are_new_arrays():
    env = make()
    kept = [env.step(np.full(4, step % 3)) for step in range(30)]
    copies = [(result[0].copy(), result[4]["frame_number"].copy()) for result in kept]
    for step in range(50):
        env.step(np.full(4, step % 3))
    for result, (observations, frames) in zip(kept, copies):
        assert np.array_equal(result[0], observations) and np.array_equal(result[4]["frame_number"], frames)
    assert all(array.flags.writeable and array.ctypes.data % 64 == 0 for result in kept for array in result[:4])


@pytest.mark.parametrize("keep", [lambda a: a[1:, ::2], memoryview, np.from_dlpack, lambda a: a.base])
def test_memory_in_use_is_not_used_again(keep):
    """A view of an array, however it was made, keeps the memory."""
    env = make()
    view = keep(env.step(np.zeros(4, int))[0])
    before = np.asarray(view).copy()
    for _ in range(20):
        env.step(np.ones(4, int))
    assert np.array_equal(np.asarray(view), before)


def test_dropped_memory_is_used_again():
    env = make()
    addresses = {env.step(np.zeros(4, int))[0].ctypes.data for _ in range(50)}
    assert len(addresses) <= 2


def test_results_can_be_shared():
    fresh, shared = make(), make(copy=False)
    first = shared.step(np.zeros(4, int))[0]
    fresh.step(np.zeros(4, int))
    for _ in range(50):
        expected, found = fresh.step(np.ones(4, int)), shared.step(np.ones(4, int))
        assert all(np.array_equal(a, b) for a, b in zip(expected[:4], found[:4]))
        assert found[0] is first and np.shares_memory(first, shared.observations)
    shared.close()
    assert np.array_equal(first, expected[0])  # what is looked at lives on


def test_shared_batches():
    env = make(4, batch_size=2, copy=False)
    first = env.step(np.zeros(2, int))[0]
    assert env.step(np.zeros(2, int))[0] is first and first.shape[0] == 2


def test_dlpack():
    env = make(copy=False)
    observations, rewards, terminations, truncations, info = env.step(np.zeros(4, int))
    for array in (observations, rewards, terminations, truncations, *info.values(), env.observations, env.ram()):
        assert array.__dlpack_device__()[0] == 1
        assert np.shares_memory(np.from_dlpack(array), array)


def test_torch_reads_without_a_copy():
    torch = pytest.importorskip("torch")
    env = make(copy=False)
    tensor = torch.from_dlpack(env.step(np.zeros(4, int))[0])
    assert tensor.data_ptr() == env.observations.ctypes.data
    env.step(np.ones(4, int))
    assert np.array_equal(tensor.numpy(), env.observations)


# ---- states ----


def test_clone_and_restore():
    env = make(repeat_action_probability=0.25)
    play(env, 20)
    states, before = env.clone_states(), env.observations.copy()
    first = play(env, 200, seed=3)
    env.restore_states(pickle.loads(pickle.dumps(states)))
    assert np.array_equal(env.observations, before)
    assert play(env, 200, seed=3) == first


def test_some_states():
    env = make()
    play(env, 20)
    states = env.clone_states([2, 0])
    assert np.array_equal(states, env.clone_states()[[2, 0]])
    env.restore_states(states, ids=[1, 3])
    assert np.array_equal(env.ram()[[1, 3]], env.ram()[[2, 0]])
    other = make(2)
    other.copy_states([1, 3], [0, 1], source=env)
    assert np.array_equal(other.ram(), env.ram()[[1, 3]])
    env.copy_states([0], [1])
    assert np.array_equal(env.ram()[0], env.ram()[1])


def test_states_that_do_not_fit():
    env = make()
    states = env.clone_states()
    with pytest.raises(ValueError, match="3 states for 4"):
        env.restore_states(states[:3])
    with pytest.raises(TypeError, match="clone_states"):
        env.restore_states(b"x")
    with pytest.raises(RuntimeError, match="state"):
        env.restore_states(np.zeros_like(states))
    with pytest.raises(IndexError, match="environment 4"):
        env.clone_states([4])
    with pytest.raises(TypeError, match="integers"):
        env.clone_states([0.5])
    with pytest.raises(RuntimeError, match="state"):
        env.restore_states(states[:, :-1].copy())


# ---- RAM, screens, statistics ----


def test_ram():
    env = make()
    env.set_ram(2, 5, 77)
    assert env.ram().shape == (4, 128) and env.ram()[2, 5] == 77
    for wrong in ((4, 0, 0), (-1, 0, 0), (0, 128, 0), (0, -1, 0), (0, 0, 256)):
        with pytest.raises(ValueError):
            env.set_ram(*wrong)


def test_render():
    env = make(5)
    play(env, 10)
    single = megacade.AtariVectorEnv(GAME, 1)
    single.reset(seed=3)
    screen = env.render(2)
    assert screen.shape == (210, 160, 3) and len(np.unique(screen)) > 2
    wall = env.render()
    assert wall.shape == (2 * 210, 3 * 160, 3) and np.array_equal(wall[:210, 320:], screen)
    assert not wall[210:, 320:].any() and env.render(columns=5).shape == (210, 800, 3)
    with pytest.raises(IndexError):
        env.render(5)


def test_statistics():
    env = make(3, max_num_frames_per_episode=40, reward_clipping=False)
    score, ends = np.zeros(3), np.zeros(3)
    env.action_space.seed(0)
    for _ in range(99):  # nine episodes of ten steps, with a step for the reset in between
        _, rewards, _, truncations, _ = env.step(env.action_space.sample())
        score += rewards
        ends += truncations
    statistics = env.episode_statistics()
    assert np.array_equal(statistics["episodes"], ends) and np.array_equal(statistics["score_sum"], score)
    assert list(statistics["steps_sum"]) == [90] * 3 and list(statistics["last_frames"]) == [40] * 3
    episodes = env.finished_episodes()
    assert len(episodes["score"]) == 27 and episodes["score"].sum() == score.sum() and episodes["truncated"].all()
    assert len(env.finished_episodes()["score"]) == 0


# ---- several games, presets ----


@pytest.mark.parity
def test_several_games_in_one_batch():
    """Each environment plays as it would alone, also with modes and difficulties."""
    games, modes = ["pong", "breakout", "ms_pacman"], [0, 4, 2, 1, 8, 0]
    env = megacade.make_vec(games, 6, mode=modes, full_action_space=True)
    singles = [megacade.AtariVectorEnv(games[i % 3], 1, mode=modes[i], full_action_space=True) for i in range(6)]
    observations, _ = env.reset(seed=5)
    for i, single in enumerate(singles):
        assert np.array_equal(single.reset(seed=5 + i)[0][0], observations[i])
    env.action_space.seed(1)
    for _ in range(200):
        actions = env.action_space.sample()
        found = env.step(actions)
        for i, single in enumerate(singles):
            expected = single.step(actions[i : i + 1])
            assert all(np.array_equal(a[0], b[i]) for a, b in zip(expected[:4], found[:4]))
    assert env.single_action_space.n == 18 and env.render().shape[1] == 3 * 160


def test_make_vec():
    assert megacade.make_vec(GAME).num_envs == 1 and megacade.make_vec([GAME, GAME]).num_envs == 2
    for preset in (None, *megacade.PRESETS):
        env = megacade.make_vec(GAME, 2, preset=preset, stack_num=2)
        assert env.reset(seed=1)[0].shape == (2, 2, 84, 84)
        assert len(play(env, 5)) > 0
    with pytest.raises(ValueError, match="device"):
        megacade.make_vec(GAME, 2, device="tpu")
    with pytest.raises(ValueError, match="preset"):
        megacade.make_vec(GAME, 2, preset="x")
    with pytest.raises(ValueError, match="3 games for 2"):
        megacade.make_vec([GAME] * 3, 2)
    with pytest.raises(ValueError, match="values of mode"):
        megacade.make_vec(GAME, 2, mode=[0])
    with pytest.raises(RuntimeError, match="mode"):
        megacade.make_vec(GAME, 2, mode=99)


@pytest.mark.parity
def test_presets_are_what_they_say():
    import ale_py

    gymnasium.register_envs(ale_py)
    reference = gymnasium.make_vec("ALE/Breakout-v5", 3)
    env = megacade.make_vec("breakout", 3, preset="ale")
    assert np.array_equal(reference.reset(seed=1)[0], env.reset(seed=1)[0])
    for step in range(100):
        actions = np.full(3, step % 4)
        assert np.array_equal(reference.step(actions)[0], env.step(actions)[0])


# ---- calls that hang or crash in ale-py ----


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
@pytest.mark.parametrize("action", [-1, 18, 2**31 - 1])
def test_actions_out_of_range(action, dtype):
    env = make()
    before = env.ram()
    with pytest.raises(ValueError, match=f"action {action} "):
        env.step(np.array([0, 0, action, 0], dtype))
    with pytest.raises(ValueError, match=f"action {action} "):
        env.send(np.array([0, 0, action, 0], dtype))
    assert np.array_equal(env.ram(), before)
    env.step(np.zeros(4, int))


def test_numbers_that_wrap():
    with pytest.raises(ValueError, match="action 4294967296 "):
        make().step(np.array([0, 0, 2**32, 0]))


def test_continuous_actions_that_are_not_finite():
    env = make(continuous=True)
    actions = np.zeros((4, 3), np.float32)
    actions[2, 1] = np.nan
    with pytest.raises(ValueError, match="finite"):
        env.step(actions)


@pytest.mark.parametrize(
    "arguments",
    [
        {"num_envs": 0},
        {"batch_size": 5},
        {"stack_num": 0},
        {"img_height": 0},
        {"img_width": 0},
        {"max_num_frames_per_episode": 0},
        {"repeat_action_probability": float("nan")},
        {"img_height": 2**30},
    ],
)
def test_arguments_out_of_range(arguments):
    with pytest.raises(ValueError):
        megacade.AtariVectorEnv(GAME, **{"num_envs": 4, **arguments})


def test_receiving_what_was_not_sent():
    env = make()
    with pytest.raises(RuntimeError, match="outstanding"):
        env.recv()
    env.send(np.zeros(4, int))
    with pytest.raises(RuntimeError, match="outstanding"):
        env.send(np.zeros(4, int))
    with pytest.raises(RuntimeError, match="outstanding"):
        env.clone_states()
    env.recv()


def test_xla():
    with pytest.raises(NotImplementedError, match="recv"):
        make().xla()


# ---- life ----


def test_closing():
    env = make()
    observations = env.step(np.zeros(4, int))[0]
    reference = weakref.ref(env.ale._rows)
    env.close()
    env.close()
    assert env.closed and observations.any() and reference() is None
    for call in (env.reset, env.recv, env.ram, env.clone_states, env.render, lambda: env.step(np.zeros(4, int))):
        with pytest.raises(gymnasium.error.ClosedEnvironmentError):
            call()


def test_threads_end_with_the_environment():
    def threads():
        return len(os.listdir("/proc/self/task"))

    gc.collect()
    before = threads()
    envs = [make(num_threads=2) for _ in range(3)]
    during = threads()
    envs[0].close()
    del envs
    gc.collect()
    assert threads() == before and (during > before or os.cpu_count() == 1)


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_pickling_keeps_the_arguments(duplicate):
    env = make(3, stack_num=2, autoreset_mode="SameStep", continuous=True)
    other = duplicate(env)
    assert other.observation_space == env.observation_space and other.action_space == env.action_space
    assert other.autoreset_mode == env.autoreset_mode
    env.reset(seed=2)
    other.reset(seed=2)
    assert play(env, 20) == play(other, 20)


def test_fork():
    env = make()
    expected = play(make(), 50)
    pid = os.fork()
    if pid == 0:
        os._exit(0 if play(env, 50) == expected else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    assert play(env, 50) == expected


def test_interrupt():
    """recv gives way to Ctrl-C, and nothing is lost."""
    count = 1000
    env, same = (megacade.AtariVectorEnv(GAME, count, stack_num=1, frameskip=100, noop_max=0) for _ in range(2))
    for one in (env, same):
        one.reset(seed=1)
    main = threading.get_ident()
    # In the background of a shell the signal would be ignored.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        threading.Timer(0.2, lambda: signal.pthread_kill(main, signal.SIGINT)).start()
        env.send(np.zeros(count, int))
        start = time.monotonic()
        with pytest.raises(KeyboardInterrupt):
            env.recv()
            while time.monotonic() < start + 5:  # a fast machine is done before the signal
                time.sleep(0.01)
        waited = time.monotonic() - start
    finally:
        signal.signal(signal.SIGINT, before)
    assert waited < 2
    expected = same.step(np.zeros(count, int))
    try:
        found = env.recv()
    except RuntimeError:  # it was received before the signal
        return
    assert all(np.array_equal(a, b) for a, b in zip(expected[:4], found[:4]))


def test_one_thread_at_a_time():
    """A second thread gets an exception or its turn, never a crash."""
    env = make(8)
    errors = []

    def use():
        for _ in range(200):
            try:
                env.step(np.zeros(8, int))
                env.ram()
                env.clone_states([1])
            except RuntimeError as error:
                errors.append(str(error))

    threads = [threading.Thread(target=use) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all("another thread" in error for error in errors)
    env.step(np.zeros(8, int))


@pytest.mark.parametrize("count", [1, 3])
def test_the_space_is_gymnasiums(count):
    env = make(count)
    expected = gymnasium.vector.utils.batch_space(env.single_observation_space, count)
    space = env.observation_space
    assert space == expected and repr(space) == repr(expected)
    for one in (space, expected, copy.deepcopy(space), pickle.loads(pickle.dumps(space))):
        one.seed(5)
        assert np.array_equal(one.sample(), expected.seed(5) and expected.sample())
    assert space.contains(env.reset(seed=1)[0]) and not space.contains(np.zeros((count + 1, 4, 84, 84), np.uint8))


def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")


@pytest.mark.parametrize(("arguments", "kibibytes"), [({"copy": False}, 100), ({}, 160)])
def test_memory_of_an_environment(arguments, kibibytes):
    """All in: consoles, pictures, results of the first reset and of two steps, which are kept, and spaces."""
    count, before = 1500, resident()
    env = megacade.AtariVectorEnv(GAME, count, num_threads=1, **arguments)
    kept = [env.reset(seed=1)]
    kept += [env.step(np.zeros(count, int)) for _ in range(2)]
    assert resident() - before < count * kibibytes * 1024
    assert len(kept) == 3


def test_gymnasium():
    env = gymnasium.make_vec("Megacade/CometCatch-v5", 3)
    assert isinstance(env.unwrapped, megacade.AtariVectorEnv)
    wrapped = gymnasium.wrappers.vector.RecordEpisodeStatistics(env)
    observations, _ = wrapped.reset(seed=1)
    assert env.observation_space.contains(observations)
    for _ in range(20):
        wrapped.step(env.action_space.sample())
    wrapped.close()


# ---- looking while results are outstanding ----


def test_nothing_is_looked_at_while_it_is_played():
    env = make(4)
    env.send(np.zeros(4, int))
    for look in (env.ram, lambda: env.observations, lambda: env.render(0), env.clone_states, env.episode_statistics):
        with pytest.raises(RuntimeError, match="outstanding"):
            look()
    env.recv()
    assert env.ram().shape == (4, 128) and env.observations.shape == (4, 4, 84, 84)


def test_ram_of_those_that_were_received():
    env = make(4, batch_size=2)
    ids = env.step(np.zeros(2, int))[4]["env_id"]
    assert env.ram(ids).shape == (2, 128)
    with pytest.raises(RuntimeError, match="outstanding"):
        env.ram()
    with pytest.raises(IndexError, match="environment 4"):
        env.ram([4])


# ---- groups ----


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
@pytest.mark.parametrize("shared", [False, True])
def test_groups(mode, shared):
    """Alternating groups play what one step of all plays."""
    arguments = {"autoreset_mode": mode, "max_num_frames_per_episode": 80}
    together, apart = make(5, **arguments), make(5, groups=2, copy=not shared, **arguments)
    assert [list(apart.group_ids(group)) for group in range(2)] == [[0, 1], [2, 3, 4]]
    together.action_space.seed(1)
    ends = 0
    for _ in range(100):
        actions = together.action_space.sample()
        expected = together.step(actions)
        for group in range(2):
            apart.group_send(group, actions[apart.group_ids(group)])
        found = [apart.group_recv(group) for group in range(2)]
        for index in range(4):
            assert np.array_equal(np.concatenate([result[index] for result in found]), expected[index])
        for key in ("env_id", "lives", "frame_number", "episode_frame_number"):
            assert np.array_equal(np.concatenate([result[4][key] for result in found]), expected[4][key])
        ended = expected[2] | expected[3]
        ends += ended.sum()
        for group, result in enumerate(found):
            rows = list(apart.group_ids(group))
            assert ("final_obs" in result[4]) == (mode == "SameStep" and bool(ended[rows].any()))
            if "final_obs" in result[4]:
                chosen = ended[rows]
                assert np.array_equal(result[4]["final_obs"][chosen], expected[4]["final_obs"][rows][chosen])
    assert ends >= 15


def test_continuous_groups():
    together, apart = make(3, continuous=True), make(3, continuous=True, groups=3)
    actions = np.array([[1, 0, 0], [1, 3, 0], [0, 0, 1]], np.float32)
    expected = together.step(actions)[0]
    for group in range(3):
        apart.group_send(group, actions[group : group + 1])
    assert np.array_equal(np.concatenate([apart.group_recv(group)[0] for group in range(3)]), expected)


def test_wrong_calls_of_groups():
    env = make(4, groups=2)
    with pytest.raises(RuntimeError, match="nothing was sent"):
        env.group_recv(0)
    for group in (-1, 2):
        with pytest.raises(IndexError, match="group"):
            env.group_send(group, np.zeros(2, int))
    with pytest.raises(TypeError, match="integer"):
        env.group_recv("x")
    with pytest.raises(AssertionError, match="shape"):
        env.group_send(0, np.zeros(4, int))
    with pytest.raises(ValueError, match="action 99"):
        env.group_send(0, np.array([0, 99]))
    env.group_send(0, np.zeros(2, int))
    for call in (lambda: env.group_send(0, np.zeros(2, int)), lambda: env.step(np.zeros(4, int)), env.ram):
        with pytest.raises(RuntimeError, match="outstanding"):
            call()
    assert env.ram([2, 3]).shape == (2, 128)  # those of the other group are idle
    env.group_recv(0)
    for groups in (0, 5, -1):
        with pytest.raises(ValueError, match="groups"):
            make(4, groups=groups)
    with pytest.raises(ValueError, match="groups"):
        make(4, groups=2, batch_size=3)


# ---- start states ----


@pytest.mark.parametrize("threads", [1, 2])
def test_start_states(threads):
    """Every episode starts with one of them, and they are those of the seeds."""
    plain = megacade.AtariVectorEnv(GAME, 3)
    starts = {observation.tobytes() for observation in plain.reset(seed=50)[0]}
    env = make(6, start_states=3, start_seed=50, max_num_frames_per_episode=40, num_threads=threads)
    seen = {observation.tobytes() for observation in env.observations}
    before = np.zeros(6, bool)
    for _ in range(120):
        observations, _, terminations, truncations, _ = env.step(np.zeros(6, int))
        seen |= {observations[i].tobytes() for i in np.flatnonzero(before)}
        before = terminations | truncations
    assert len(starts) > 1 and seen == starts


def test_start_states_and_seeds():
    def run(seed, **arguments):
        env = make(4, start_states=4, repeat_action_probability=0.25, max_num_frames_per_episode=60, **arguments)
        env.reset(seed=seed)
        return play(env, 100)

    assert run(3, num_threads=1) == run(3, num_threads=2)
    assert run(3) != run(4) and run(3) != run(3, start_seed=9)


def test_start_states_of_several_games():
    with pytest.raises(ValueError, match="start_states"):
        make(2, start_states=-1)
    with pytest.raises(ValueError, match="start_states"):
        make(2, start_states=2**20)
    env = megacade.make_vec(GAME, 4, start_states=2, preset="dqn")
    env.reset(seed=1)
    assert len(play(env, 50)) > 0
