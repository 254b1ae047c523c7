#!/usr/bin/env python3
"""Proximal policy optimization (Schulman et al., 2017) in one file, on one vector of environments.

    python examples/ppo.py --game breakout --total-steps 10000000

Needs torch. Training has an episode per life and clipped rewards; the scores that are printed are not clipped.
"""

import argparse
import sys
import time

import numpy as np

import megacade

try:
    import torch
    from torch import nn
except ImportError:
    sys.exit("skipped: this example needs torch")


def layer(module, gain=2**0.5):
    nn.init.orthogonal_(module.weight, gain)
    nn.init.zeros_(module.bias)
    return module


class Agent(nn.Module):
    """The network of Mnih et al. (2015) with two heads."""

    def __init__(self, actions):
        super().__init__()
        convolutions = [layer(nn.Conv2d(4, 32, 8, 4)), nn.ReLU(), layer(nn.Conv2d(32, 64, 4, 2)), nn.ReLU()]
        convolutions += [layer(nn.Conv2d(64, 64, 3, 1)), nn.ReLU(), nn.Flatten()]
        self.body = nn.Sequential(*convolutions, layer(nn.Linear(64 * 7 * 7, 512)), nn.ReLU())
        self.policy = layer(nn.Linear(512, actions), 0.01)
        self.value = layer(nn.Linear(512, 1), 1)

    def forward(self, observations):
        features = self.body(observations / 255.0)
        return torch.distributions.Categorical(logits=self.policy(features)), self.value(features).squeeze(-1)


def collect(env, agent, observation, over, store, device):
    """Plays a rollout into the store."""
    for t in range(len(store["actions"])):
        store["observations"][t] = observation
        store["over"][t] = over
        with torch.no_grad():
            distribution, value = agent(observation)
            action = distribution.sample()
        store["actions"][t], store["values"][t], store["log"][t] = action, value, distribution.log_prob(action)
        array, rewards, terminations, truncations, _ = env.step(action.cpu().numpy())
        observation = torch.from_numpy(array).to(device)
        over = torch.from_numpy(terminations | truncations).to(device).float()
        store["rewards"][t] = torch.from_numpy(rewards).to(device)
    return observation, over


def advantages_of(agent, observation, over, store, gamma=0.99, trace=0.95):
    """Generalized advantage estimation."""
    advantages, last = torch.zeros_like(store["rewards"]), 0.0
    value = agent(observation)[1].detach()
    for t in reversed(range(len(advantages))):
        going_on = 1.0 - over
        delta = store["rewards"][t] + gamma * value * going_on - store["values"][t]
        last = advantages[t] = delta + gamma * trace * going_on * last
        value, over = store["values"][t], store["over"][t]
    return advantages


def improve(agent, optimizer, store, advantages, epochs=4, parts=4, clip=0.1):
    flat = {name: values.flatten(0, 1) for name, values in store.items()}
    flat["advantages"], flat["returns"] = advantages.flatten(), (advantages + store["values"]).flatten()
    for _ in range(epochs):
        for rows in torch.randperm(len(flat["actions"])).chunk(parts):
            distribution, value = agent(flat["observations"][rows])
            ratio = (distribution.log_prob(flat["actions"][rows]) - flat["log"][rows]).exp()
            gain = flat["advantages"][rows]
            gain = (gain - gain.mean()) / (gain.std() + 1e-8)
            policy_loss = -torch.min(gain * ratio, gain * ratio.clamp(1 - clip, 1 + clip)).mean()
            value_loss = 0.5 * (value - flat["returns"][rows]).pow(2).mean()
            loss = policy_loss + 0.5 * value_loss - 0.01 * distribution.entropy().mean()
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
            optimizer.step()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--game", default="comet_catch")
    parser.add_argument("--envs", type=int, default=8)
    parser.add_argument("--rollout", type=int, default=128, help="steps between two updates")
    parser.add_argument("--total-steps", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    torch.manual_seed(arguments.seed)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    env = megacade.make_vec(arguments.game, arguments.envs, preset="dqn", autoreset_mode="SameStep")
    agent = Agent(int(env.single_action_space.n)).to(device)
    optimizer = torch.optim.Adam(agent.parameters(), lr=2.5e-4, eps=1e-5)
    shape = (arguments.rollout, arguments.envs)
    store = {name: torch.zeros(shape, device=device) for name in ("rewards", "values", "log", "over")}
    store["actions"] = torch.zeros(shape, dtype=torch.int64, device=device)
    store["observations"] = torch.zeros((*shape, 4, 84, 84), dtype=torch.uint8, device=device)
    observation = torch.from_numpy(env.reset(seed=arguments.seed)[0]).to(device)
    over, start = torch.zeros(arguments.envs, device=device), time.monotonic()
    for steps in range(0, arguments.total_steps, arguments.envs * arguments.rollout):
        observation, over = collect(env, agent, observation, over, store, device)
        improve(agent, optimizer, store, advantages_of(agent, observation, over, store))
        scores, seconds = env.finished_episodes()["score"], time.monotonic() - start
        print(f"step {steps}, {seconds:.0f} s: score {np.mean(scores) if len(scores) else 0:.1f}", flush=True)


if __name__ == "__main__":
    main()
