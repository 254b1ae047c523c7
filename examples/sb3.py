#!/usr/bin/env python3
"""Stable-Baselines3 on a Megacade vector, through its VecEnv interface.

    python examples/sb3.py --game breakout --envs 16 --total-steps 1000000

Needs stable_baselines3. Its environments are reset within the step that ended an episode, and the last observation is
in the info: that is SAME_STEP. An environment that learns from pixels wants channels first, which the stack is.
"""

import argparse
import sys

import numpy as np

import megacade

try:
    from stable_baselines3 import PPO
    from stable_baselines3.common.vec_env import VecEnv, VecMonitor
except ImportError:
    sys.exit("skipped: this example needs stable_baselines3")


class MegacadeVecEnv(VecEnv):
    """An AtariVectorEnv as Stable-Baselines3 wants it."""

    def __init__(self, game, num_envs, **arguments):
        self.env = megacade.make_vec(game, num_envs, autoreset_mode="SameStep", **arguments)
        self.render_mode = None
        super().__init__(num_envs, self.env.single_observation_space, self.env.single_action_space)

    def reset(self):
        # VecEnv.seed() notes one seed per environment for the next reset.
        given = [-1 if seed is None else seed % 2**31 for seed in self._seeds]
        observations, _ = self.env.reset(seed=np.array(given))
        self._reset_seeds()
        return observations

    def step_async(self, actions):
        self.env.send(np.asarray(actions, np.int64))

    def step_wait(self):
        observations, rewards, terminations, truncations, info = self.env.recv()
        infos = [{"lives": int(lives)} for lives in info["lives"]]
        for i in np.flatnonzero(terminations | truncations):
            infos[i]["terminal_observation"] = info["final_obs"][i]
            infos[i]["TimeLimit.truncated"] = bool(truncations[i] and not terminations[i])
        return observations, rewards.astype(np.float32), terminations | truncations, infos

    def close(self):
        self.env.close()

    def get_images(self):
        return [self.env.render(i) for i in range(self.num_envs)]

    def get_attr(self, attr_name, indices=None):
        return [getattr(self.env, attr_name) for _ in self._get_indices(indices)]

    def set_attr(self, attr_name, value, indices=None):
        raise NotImplementedError("the environments of a vector share their settings")

    def env_method(self, method_name, *args, indices=None, **kwargs):
        raise NotImplementedError("the environments of a vector are not objects of their own")

    def env_is_wrapped(self, wrapper_class, indices=None):
        return [False for _ in self._get_indices(indices)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--game", default="comet_catch")
    parser.add_argument("--envs", type=int, default=8)
    parser.add_argument("--rollout", type=int, default=128)
    parser.add_argument("--total-steps", type=int, default=100_000)
    arguments = parser.parse_args()
    env = VecMonitor(MegacadeVecEnv(arguments.game, arguments.envs, episodic_life=True))
    model = PPO("CnnPolicy", env, n_steps=arguments.rollout, batch_size=256, n_epochs=4, clip_range=0.1, verbose=1)
    model.learn(arguments.total_steps)
    env.close()


if __name__ == "__main__":
    main()
