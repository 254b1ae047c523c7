"""Random calls of the Python package, with good and bad arguments.

    python tests/fuzz/fuzz_package.py [--calls N] [--seed N]

Most useful with the sanitizers: `make asan-python`. Ends with 1 at the first exception that is not one of the kinds
that the package documents; the last line says how many calls were made and how many of them were accepted.
"""

import argparse
import random
import sys
import warnings

import gymnasium
import numpy as np

import megacade

GAME = "comet_catch"
EXPECTED = (
    AssertionError,
    IndexError,
    MemoryError,
    OSError,
    OverflowError,
    RuntimeError,
    TypeError,
    ValueError,
    gymnasium.error.Error,
)


class Fuzzer:
    """Objects to call, and values to call them with."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.made = self.accepted = 0
        self.states = [None, megacade.ALEState()]
        self.vectors, self.envs, self.interfaces = [], [], []

    def value(self):
        """Anything."""
        pick = self.random
        return pick.choice(
            [
                lambda: pick.randrange(-3, 20),
                lambda: pick.choice([0, 1, 2**31 - 1, 2**31, -(2**31), 2**64, 10**30]),
                lambda: pick.choice([0.0, 0.25, 1.5, float("nan"), float("inf"), -1e30]),
                lambda: pick.choice([None, True, False, "", "x", "rgb", "SameStep", b"", b"\0" * 300]),
                lambda: pick.choice([[], [0], [0, 0], [1, -1], (2, 5), {}, {"reset_mask": self.array(np.bool_)}]),
                lambda: self.array(pick.choice([np.int32, np.int64, np.uint8, np.float32, np.bool_])),
                lambda: pick.choice(self.states),
            ]
        )()

    def array(self, dtype):
        """Of a size that may fit."""
        count = self.random.randrange(7)
        shape = self.random.choice([(count,), (count, 3), (), (count, 128), (210, 160), (128,), (512,)])
        return np.array(np.random.default_rng(self.random.randrange(99)).integers(-1, 6, shape), dtype)

    def call(self, function, *args, **kwargs):
        """One call; None when it was refused."""
        self.made += 1
        try:
            result = function(*args, **kwargs)
        except EXPECTED as error:
            assert str(error) or isinstance(error, (AssertionError, MemoryError)), f"{function}: nothing was said"
            return None
        self.accepted += 1
        return result

    def some(self, most):
        return [self.value() for _ in range(self.random.randrange(most + 1))]

    # ---- objects ----

    def new_vector(self):
        pick = self.random
        arguments = {"img_height": pick.choice([1, 7, 84]), "img_width": pick.choice([1, 9, 84]), "noop_max": 3}
        arguments["max_num_frames_per_episode"] = pick.randrange(4, 200, 4)
        count = pick.randrange(1, 7)
        options = {
            "batch_size": lambda: pick.randrange(count + 2),
            "groups": lambda: pick.randrange(4),
            "start_states": lambda: pick.randrange(3),
            "episodes": lambda: "envpool",
            "autoreset_mode": lambda: "SameStep",
            "copy": lambda: False,
            "grayscale": lambda: False,
            "continuous": lambda: True,
            "episodic_life": lambda: True,
            "num_threads": lambda: pick.randrange(4),
            "stack_num": lambda: pick.randrange(1, 5),
            "frameskip": lambda: pick.randrange(1, 5),
        }
        for name in pick.sample(sorted(options), pick.randrange(6)):
            arguments[name] = options[name]()
        if pick.random() < 0.2:
            arguments[pick.choice(sorted(options))] = self.value()
        return self.call(megacade.AtariVectorEnv, GAME, count, **arguments)

    def new_env(self):
        kinds = ["rgb", "grayscale", "ram"]
        arguments = {"obs_type": self.random.choice(kinds), "sound_obs": self.random.random() < 0.3}
        if self.random.random() < 0.3:
            arguments[self.random.choice(["mode", "frameskip", "continuous", "full_action_space"])] = self.value()
        return self.call(megacade.AtariEnv, GAME, **arguments)

    def new_interface(self):
        ale = megacade.ALEInterface()
        for _ in range(self.random.randrange(3)):
            name = self.random.choice(["frame_skip", "random_seed", "paddle_min", "paddle_max", "system_random_seed"])
            self.call(ale.setInt, name, self.random.randrange(-2, 5))
        self.call(ale.loadROM, megacade.roms.get_rom_path(GAME))
        return ale

    def renew(self, objects, make):
        made = make()
        if made is not None:
            objects.append(made)
        del objects[: -self.random.randrange(1, 4)]

    # ---- calls ----

    def use_vector(self):
        env, pick = self.random.choice(self.vectors), self.random
        right = env.action_space.sample
        kept = pick.choice(self.vectors)
        calls = [
            lambda: self.call(env.reset, seed=pick.choice([None, pick.randrange(9), self.value()])),
            lambda: self.call(env.reset, options={"reset_mask": self.array(np.bool_)}),
            lambda: self.call(env.reset, options=self.value()),
            *[lambda: self.call(env.step, right())] * 8,
            lambda: self.call(env.step, self.value()),
            *[lambda: self.call(env.send, right())] * 2,
            *[lambda: self.call(env.recv)] * 3,
            lambda: self.call(env.send, self.value()),
            lambda: self.call(env.group_send, pick.randrange(3), self.value()),
            *[lambda: self.call(env.group_send, pick.randrange(2), right()[: pick.randrange(7)])] * 2,
            *[lambda: self.call(env.group_recv, pick.randrange(3))] * 2,
            lambda: self.call(env.group_ids, self.value()),
            lambda: self.call(env.ram, *self.some(1)),
            lambda: self.call(env.set_ram, pick.randrange(7), pick.randrange(130), pick.randrange(257)),
            lambda: self.call(env.set_ram, self.value(), self.value(), self.value()),
            lambda: self.call(env.render, *self.some(2)),
            lambda: self.states.append(self.call(env.clone_states, *self.some(1))),
            lambda: self.call(env.restore_states, pick.choice(self.states), *self.some(1)),
            lambda: self.call(env.copy_states, self.value(), self.value(), pick.choice([None, kept])),
            lambda: self.call(env.episode_statistics),
            lambda: self.call(env.finished_episodes),
            lambda: self.call(lambda: env.observations.sum()),
        ]
        pick.choice(calls)()

    def use_env(self):
        env, pick = self.random.choice(self.envs), self.random
        calls = [
            lambda: self.call(env.reset, seed=pick.choice([None, 3, self.value()])),
            *[lambda: self.call(env.step, env.action_space.sample())] * 4,
            lambda: self.call(env.step, self.value()),
            lambda: self.states.append(self.call(env.clone_state, *self.some(1))),
            lambda: self.call(env.restore_state, pick.choice(self.states)),
            lambda: self.call(env.render),
        ]
        pick.choice(calls)()

    def use_interface(self):
        ale = self.random.choice(self.interfaces)
        name = self.random.choice([name for name in dir(ale) if not name.startswith("_")])
        if name in ("saveScreenPNG", "loadROM", "isSupportedROM", "setString", "setLoggerMode"):
            return  # a value may be a good name of a file
        if name == "act" and self.random.random() < 0.9:
            self.call(ale.act, self.random.randrange(18), self.random.choice([1.0, 0.5, -2.0]))
            return
        result = self.call(getattr(ale, name), *self.some(2))
        if isinstance(result, megacade.ALEState):
            self.states.append(result)

    def run(self, calls):
        makers = ((self.vectors, self.new_vector), (self.envs, self.new_env), (self.interfaces, self.new_interface))
        users = [self.use_vector] * 6 + [self.use_env] + [self.use_interface] * 3
        for objects, make in makers:
            while not objects:
                self.renew(objects, make)
        while self.made < calls:
            if self.random.random() < 0.01:
                self.renew(*self.random.choice(makers))
                del self.states[2:-20]
            for objects, make in makers:
                while not objects:
                    self.renew(objects, make)
            self.random.choice(users)()


def main():
    parser = argparse.ArgumentParser(description="Random calls of the Python package.")
    parser.add_argument("--calls", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    megacade.ALEInterface.setLoggerMode(megacade.LoggerMode.Error)
    fuzzer = Fuzzer(options.seed)
    fuzzer.run(options.calls)
    print(f"fuzz_package: {fuzzer.made} calls, {fuzzer.accepted} of them accepted, none failed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
