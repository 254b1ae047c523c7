"""ale-py and Megacade side by side: the same actions, and everything that can be seen compared after each act.

    pair = Pair("pong", sticky=0.25)
    play(pair, 1000, seed=7)      # raises Mismatch at the first difference

The reference is used as a black box through its public Python interface.
"""

import numpy as np
from ale_py import ALEInterface, LoggerMode, roms

import binding

M64 = (1 << 64) - 1

ALEInterface.setLoggerMode(LoggerMode.Error)


class Mismatch(AssertionError):
    """The first difference. `act` is the number of acts since the pair was made, `what` the field."""

    def __init__(self, pair, what, text):
        self.game, self.act, self.what = pair.game, pair.acts, what
        super().__init__(f"{pair.game} {pair.describe()}: after act {pair.acts} ({pair.moment}): {what}: {text}")


class Splitmix:
    """The 64-bit generator of the action streams of `megacade trace` and of the golden file."""

    def __init__(self, seed):
        self.state = seed & M64

    def next(self):
        self.state = (self.state + 0x9E3779B97F4A7C15) & M64
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & M64
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & M64
        return z ^ (z >> 31)

    def below(self, n):
        return ((self.next() >> 32) * n) >> 32

    def pick(self, items):
        return items[self.below(len(items))]

    def uniform(self, low, high):
        return low + (high - low) * (self.next() >> 11) / (1 << 53)


REFERENCE_SETTINGS = {  # field of mega_env_desc: setter and key of the reference
    "seed": ("setInt", "random_seed"),
    "frame_skip": ("setInt", "frame_skip"),
    "sticky": ("setFloat", "repeat_action_probability"),
    "max_episode_frames": ("setInt", "max_num_frames_per_episode"),
    "reward_min": ("setInt", "reward_min"),
    "reward_max": ("setInt", "reward_max"),
    "paddle_min": ("setInt", "paddle_min"),
    "paddle_max": ("setInt", "paddle_max"),
    "truncate_on_life_loss": ("setBool", "truncate_on_loss_of_life"),
    "color_averaging": ("setBool", "color_averaging"),
    "sound": ("setBool", "sound_obs"),
}


def rom_path(game):
    path = roms.get_rom_path(game)
    if path is None:
        raise FileNotFoundError(f"ale_py has no image of {game}")
    return str(path)


def reference(game, **settings):
    """An ALEInterface with a game loaded; settings are named as in mega_env_desc."""
    ale = ALEInterface()
    for name, value in {"seed": 0, "sticky": 0.0, **settings}.items():
        setter, key = REFERENCE_SETTINGS[name]
        getattr(ale, setter)(key, bool(value) if setter == "setBool" else value)
    ale.loadROM(rom_path(game))
    return ale


class Pair:
    """One game in the reference (`ale`) and in the library (`env`)."""

    def __init__(self, game, gray=False, rgb=False, plain=False, **settings):
        self.game, self.settings = game, settings
        self.gray, self.rgb, self.sound = gray, rgb, bool(settings.get("sound"))
        self.ale = reference(game, **settings)
        self.rom = binding.Rom.load(rom_path(game))
        self.env = binding.Env(self.rom, plain=plain, **settings)
        self.acts = self.resets = 0
        self.moment = "load"
        self.mode = self.difficulty = None
        self.legal = [action.value for action in self.ale.getLegalActionSet()]
        self.minimal = [action.value for action in self.ale.getMinimalActionSet()]
        height, width = self.ale.getScreenDims()
        self.expect("screen size", (height, width), (self.env.height, binding.WIDTH))
        self._ram = np.zeros(binding.RAM_SIZE, np.uint8)
        self._audio = np.zeros(binding.AUDIO_SIZE, np.uint8)
        self._index = np.zeros((height, width), np.uint8)
        self._gray = np.zeros((height, width), np.uint8)
        self._rgb = np.zeros((height, width, 3), np.uint8)
        self.compare()

    def describe(self):
        given = dict(self.settings)
        if self.mode is not None:
            given.update(mode=self.mode, difficulty=self.difficulty)
        return "[" + " ".join(f"{name}={value}" for name, value in given.items()) + "]"

    # What is done to both

    def act(self, action, strength=1.0):
        expected, got = self.ale.act(action, strength), self.env.act(action, strength)
        self.acts += 1
        self.moment = f"action {action}" + (f" strength {strength!r}" if strength != 1.0 else "")
        self.expect("reward", expected, got)
        self.compare()
        return expected

    def reset(self):
        self.ale.reset_game()
        self.env.reset()
        self.resets += 1
        self.moment = "reset"
        self.compare()

    def choose(self, mode, difficulty):
        """Difficulty and mode, and the reset that makes the mode effective."""
        self.ale.setDifficulty(difficulty)
        self.ale.setMode(mode)
        self.env.set_difficulty(difficulty)
        self.env.set_mode(mode)
        self.mode, self.difficulty = mode, difficulty
        self.reset()

    def set_ram(self, index, value):
        self.ale.setRAM(index, value)
        self.env.set_ram(index, value)

    def save(self, with_random=False):
        return self.ale.cloneState(include_rng=with_random), self.env.save(with_random)

    def load(self, states):
        self.ale.restoreState(states[0])
        self.env.load(states[1])
        self.moment = "load of a state"
        self.compare()

    # Comparison

    def over(self):
        return self.ale.game_over()

    def compare(self):
        ale, env = self.ale, self.env
        self.expect("lives", ale.lives(), env.lives())
        self.expect("game over", ale.game_over(with_truncation=False), env.terminal())
        self.expect("truncated", ale.game_truncated(), env.truncated())
        self.expect("over or truncated", ale.game_over(), env.game_over())
        self.expect("frame number", ale.getFrameNumber(), env.frame_number())
        self.expect("episode frame number", ale.getEpisodeFrameNumber(), env.episode_frame_number())
        ale.getRAM(self._ram)
        self.expect_ram(self._ram, env.ram)
        ale.getScreen(self._index)
        self.expect_screen("screen", self._index, env.screen())
        if self.gray:
            ale.getScreenGrayscale(self._gray)
            self.expect_screen("gray screen", self._gray, env.screen_gray())
        if self.rgb:
            ale.getScreenRGB(self._rgb)
            self.expect_screen("RGB screen", self._rgb, env.screen_rgb())
        if self.sound:
            ale.getAudio(self._audio)
            if not np.array_equal(self._audio, env.audio):
                at = int(np.flatnonzero(self._audio != env.audio)[0])
                self.fail("audio", f"sample {at}: ale-py {self._audio[at]}, Megacade {env.audio[at]}")

    def fail(self, what, text):
        raise Mismatch(self, what, text)

    def expect(self, what, expected, got):
        if expected != got:
            self.fail(what, f"ale-py {expected}, Megacade {got}")

    def expect_ram(self, expected, got):
        if np.array_equal(expected, got):
            return
        places = np.flatnonzero(expected != got)
        shown = ", ".join(f"${0x80 + i:02x} ale-py ${expected[i]:02x} Megacade ${got[i]:02x}" for i in places[:8])
        self.fail("RAM", f"{len(places)} bytes differ: {shown}" + (", ..." if len(places) > 8 else ""))

    def expect_screen(self, what, expected, got):
        if np.array_equal(expected, got):
            return
        self.fail(what, describe_screens(expected, got))


def describe_screens(expected, got):
    """The first difference of two pictures in words: row (scan line of the picture), column, both values."""
    differs = expected != got
    if differs.ndim == 3:
        differs = differs.any(axis=2)
    rows, columns = np.nonzero(differs)
    row, column = int(rows[0]), int(columns[0])
    return (
        f"{len(rows)} pixels in {len(set(rows.tolist()))} rows differ, first at row {row}, column {column}: "
        f"ale-py {expected[row, column]}, Megacade {got[row, column]}"
    )


def play(pair, acts, seed=0, hold=1, actions=None, reset_every=0, stream=None):
    """Plays a stream of actions and resets games that are over; returns how many resets there were.

    `hold` is how many acts keep an action. A given stream goes on where it is.
    """
    stream = stream or Splitmix(seed)
    actions = actions or pair.legal
    before = pair.resets
    action = 0
    for number in range(acts):
        if number % hold == 0:
            action = stream.pick(actions)
        pair.act(action)
        if pair.over() or (reset_every and (number + 1) % reset_every == 0):
            pair.reset()
    return pair.resets - before


class TaskPair:
    """One lane of the reference's vector environment and our task; settings are named as in mega_task_desc.

    The reference resets itself in the step after an episode ended (its NextStep mode); here the task is reset then.
    """

    def __init__(self, game, seed, **settings):
        from ale_py._ale_py import ALEVectorInterface

        self.game, self.settings, self.seed = game, settings, seed
        self.task = binding.Task(binding.Rom.load(rom_path(game)), **settings)
        given = settings.get
        noop_max = given("noop_max") or 30
        self.vector = ALEVectorInterface(
            rom_path=rom_path(game),
            num_envs=1,
            frame_skip=given("frame_skip") or 4,
            stack_num=given("stack") or 4,
            img_height=given("height") or 84,
            img_width=given("width") or 84,
            grayscale=not given("rgb"),
            maxpool=not given("no_maxpool"),
            noop_max=max(noop_max, 0),
            use_fire_reset=not given("no_fire_reset"),
            episodic_life=bool(given("episodic_life")),
            life_loss_info=bool(given("life_loss_info")),
            reward_clipping=not given("no_reward_clipping"),
            max_episode_steps=given("max_episode_frames") or 108000,
            repeat_action_probability=given("sticky") or 0.0,
            full_action_space=bool(given("full_actions")),
            num_threads=1,
            autoreset_mode="NextStep",
        )
        self.acts = self.resets = self.terminations = self.truncations = self.rewards = 0
        self.moment = "seeded reset"
        self.expect("actions", len(self.vector.get_action_set()), self.task.action_count)
        observation, info = self.vector.reset([0], [seed])
        got, result = self.task.reset(seed)
        self.compare(observation, 0, False, False, info, got, result)
        self.over = False

    def describe(self):
        return "[" + " ".join(f"{name}={value}" for name, value in {"seed": self.seed, **self.settings}.items()) + "]"

    fail = Pair.fail
    expect = Pair.expect

    def step(self, index, strength=1.0):
        self.vector.send([index], [strength])
        observation, reward, terminated, truncated, info = self.vector.recv()
        self.acts += 1
        if self.over:
            self.moment = "reset"
            self.resets += 1
            got, result = self.task.reset()
        else:
            self.moment = f"action index {index}"
            got, result = self.task.step(index, strength)
        self.compare(observation, reward[0], terminated[0], truncated[0], info, got, result)
        self.over = bool(result.episode_over)
        self.terminations += result.terminated
        self.truncations += result.truncated
        self.rewards += result.reward != 0

    def compare(self, observation, reward, terminated, truncated, info, got, result):
        self.expect("reward", int(reward), result.reward)
        self.expect("terminated", bool(terminated), bool(result.terminated))
        self.expect("truncated", bool(truncated), bool(result.truncated))
        for name in ("lives", "frame_number", "episode_frame_number"):
            self.expect(name.replace("_", " "), int(info[name][0]), getattr(result, name))
        expected = np.asarray(observation)[0]
        if expected.shape != got.shape:
            self.fail("observation", f"shape: ale-py {expected.shape}, Megacade {got.shape}")
        if not np.array_equal(expected, got):
            frame = next(i for i in range(len(got)) if not np.array_equal(expected[i], got[i]))
            where = f"frame {frame} of the stack of {len(got)}: " + describe_screens(expected[frame], got[frame])
            self.fail("observation", where)


def play_task(pair, steps, seed=0, hold=1):
    """Steps with a stream of actions."""
    stream = Splitmix(seed)
    index = 0
    for number in range(steps):
        if number % hold == 0:
            index = stream.below(pair.task.action_count)
        pair.step(index)
