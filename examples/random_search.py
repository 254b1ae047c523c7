#!/usr/bin/env python3
"""Random search with saved states: plays well without learning anything.

From the present moment every environment tries random actions; the best beginning is played, and the search goes on
from there. Environment 0 plays the game that counts, the others look ahead from copies of its state.

    python examples/random_search.py --game breakout --envs 64
"""

import argparse

import numpy as np

import megacade


def look_ahead(env, depth, hold, random):
    """Random actions in all environments. Returns the discounted scores and the first actions."""
    scores, weight = np.zeros(env.num_envs), 1.0
    alive = np.ones(env.num_envs, bool)
    first = actions = None
    for step in range(depth):
        if step % hold == 0:  # an action is held for a while, else the player only trembles
            actions = random.integers(env.single_action_space.n, size=env.num_envs)
        if first is None:
            first = actions
        _, rewards, terminations, truncations, _ = env.step(actions)
        scores += weight * np.where(alive, rewards, 0)
        scores -= np.where(alive & terminations, 10.0 * weight, 0)  # a lost life is worse than a missed point
        alive &= ~(terminations | truncations)
        weight *= 0.99
    return scores, first


def search(arguments):
    random = np.random.default_rng(arguments.seed)
    env = megacade.make_vec(arguments.game, arguments.envs, life_loss_info=True, reward_clipping=False)
    env.reset(seed=arguments.seed)
    everybody = np.arange(env.num_envs)
    total = 0
    for move in range(arguments.moves):
        env.copy_states(np.zeros(env.num_envs - 1, int), everybody[1:])  # all start where environment 0 is
        present = env.clone_states([0])
        scores, first = look_ahead(env, arguments.depth, arguments.hold, random)
        env.restore_states(np.repeat(present, env.num_envs, axis=0))
        action = int(first[np.argmax(scores + 1e-6 * random.random(len(scores)))])
        for _ in range(arguments.hold):
            _, rewards, terminations, truncations, _ = env.step(np.full(env.num_envs, action))
            total += int(rewards[0])
        if move % 10 == 0:
            print(f"move {move}: score {total}", flush=True)
    env.close()
    return total


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--game", default="comet_catch")
    parser.add_argument("--envs", type=int, default=32, help="attempts per move")
    parser.add_argument("--depth", type=int, default=30, help="steps of an attempt")
    parser.add_argument("--hold", type=int, default=3, help="steps that an action is held")
    parser.add_argument("--moves", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    print(f"score {search(parser.parse_args())}")


if __name__ == "__main__":
    main()
