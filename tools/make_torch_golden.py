#!/usr/bin/env python3
"""make_torch_golden.py - writes tests/golden/torch_net.txt: what PyTorch makes of networks and optimisers.

    python3 tools/make_torch_golden.py [FILE]

Needs PyTorch (any version; it is named in the file) and NumPy. tests/unit/test_torch.c reads the file and computes the
same in C. Neither side stores parameters or inputs: both draw them from Philox4x32-10, which is written out here once
more, so that both can be wrong only in the same way by being right.

Every line is a name, a count and so many numbers, but for those that begin a case:

    net STACK HEIGHT WIDTH ACTIONS BATCH KIND DESCRIPTION     KIND: full, or round (see draw_round)
    dueling STACK HEIGHT WIDTH ACTIONS ATOMS BATCH DESCRIPTION
    noisy STACK HEIGHT WIDTH ACTIONS ATOMS BATCH DESCRIPTION
    optimizer NAME
"""
import math
import pathlib
import sys

import numpy as np
import torch
import torch.nn.functional as F

STEPS = 10
CLIP = 0.5
SEED = 2600

# ---- drawing ---------------------------------------------------------------------------------------------


def philox(counter, key):
    """Philox4x32-10 (Salmon et al. 2011) of four arrays of words and two words."""
    mask = np.uint64(0xFFFFFFFF)
    words = [np.asarray(word, dtype=np.uint64) for word in counter]
    key = [int(key[0]), int(key[1])]
    for _ in range(10):
        left = words[0] * np.uint64(0xD2511F53)
        right = words[2] * np.uint64(0xCD9E8D57)
        words = [
            (right >> np.uint64(32)) ^ words[1] ^ np.uint64(key[0]),
            right & mask,
            (left >> np.uint64(32)) ^ words[3] ^ np.uint64(key[1]),
            left & mask,
        ]
        key = [(key[0] + 0x9E3779B9) & 0xFFFFFFFF, (key[1] + 0xBB67AE85) & 0xFFFFFFFF]
    return words


def words_of(seed, stream, count):
    """The first words of a stream."""
    blocks = np.arange((count + 3) // 4, dtype=np.uint64)
    zeros = np.zeros_like(blocks)
    block = philox([blocks, zeros, zeros + np.uint64(stream), zeros], [seed & 0xFFFFFFFF, seed >> 32])
    return np.stack(block, axis=1).reshape(-1)[:count]


def signed_uniform(seed, stream, count):
    """Numbers in [-1, 1), as doubles."""
    return 2.0 * ((words_of(seed, stream, count) >> np.uint64(8)).astype(np.float64) / 2.0**24) - 1.0


def below(seed, stream, count, limit):
    return (words_of(seed, stream, count) * np.uint64(limit)) >> np.uint64(32)


# ---- networks --------------------------------------------------------------------------------------------


class Network:
    """Tensors in the order of src/nn/network.h: of an actor-critic, or with atoms of a dueling Q-network."""

    def __init__(self, stack, height, width, actions, description, atoms=0):
        self.strides, self.names, self.shapes = [], [], []
        channels, rows, columns = stack, height, width
        for layer in description.split(","):
            kind, _, rest = layer.strip().partition(" ")
            if kind == "conv":
                out, _, rest = rest.partition("x")
                kernel, _, rest = rest.partition("/")
                stride, _, padding = rest.partition("+")
                out, kernel, stride, padding = int(out), int(kernel), int(stride), int(padding or 0)
                self.strides.append((stride, padding))
                self.add(f"conv{len(self.strides)}", (out, channels, kernel, kernel))
                channels = out
                rows = (rows + 2 * padding - kernel) // stride + 1
                columns = (columns + 2 * padding - kernel) // stride + 1
            else:
                self.hidden = int(rest)
                self.add("fc", (self.hidden * (2 if atoms else 1), channels * rows * columns))
                self.add("advantage" if atoms else "policy", (actions * (atoms or 1), self.hidden))
                self.add("value", (atoms or 1, self.hidden))

    def add(self, name, shape):
        self.names += [name + ".weight", name + ".bias"]
        self.shapes += [shape, shape[:1]]

    def set(self, arrays):
        self.tensors = [torch.tensor(a.astype(np.float32)).reshape(s).requires_grad_() for a, s in zip(arrays, self.shapes)]

    def draw(self, seed):
        """As MEGA_INIT_UNIFORM, and twice as large."""
        arrays = []
        for i, shape in enumerate(self.shapes):
            bound = 1.0 / math.sqrt(math.prod(self.shapes[i & ~1]) // self.shapes[i][0])
            numbers = (bound * signed_uniform(seed, i, math.prod(shape))).astype(np.float32)
            arrays.append(numbers * np.float32(2))
        self.set(arrays)

    def draw_round(self, seed):
        """Few multiples of 1/32: with pixels of 0 and 1, sums are the same in any order, and no unit is on in one
        program and off in another."""
        self.set([(below(seed, i, math.prod(s), 7).astype(np.float64) - 3) / 32 for i, s in enumerate(self.shapes)])

    def forward(self, observations):
        x = observations.float() / 255.0
        for i, (stride, padding) in enumerate(self.strides):
            x = F.relu(F.conv2d(x, self.tensors[2 * i], self.tensors[2 * i + 1], stride, padding))
        weight, bias, head, head_bias, value, value_bias = self.tensors[-6:]
        x = F.relu(F.linear(x.flatten(1), weight, bias))
        logits = F.linear(x[:, : self.hidden], head, head_bias)
        return logits, F.linear(x[:, -self.hidden :], value, value_bias).squeeze(1)


def draw_observations(seed, stream, batch, stack, height, width, is_round):
    numbers = words_of(seed, stream, batch * stack * height * width) & np.uint64(0xFF)
    if is_round:
        numbers = np.where(numbers < 128, 0, 255)
    return torch.tensor(numbers.astype(np.uint8)).reshape(batch, stack, height, width)


# ---- the file --------------------------------------------------------------------------------------------


def numbers_line(name, numbers):
    flat = np.asarray(numbers, dtype=np.float64).reshape(-1)
    return " ".join([name, str(len(flat))] + [f"{number:.9g}" for number in flat])


def actor_critic_loss(logits, values, actions, advantages, returns):
    log_policy = F.log_softmax(logits, 1)
    chosen = log_policy.gather(1, actions[:, None]).squeeze(1)
    entropy = -(log_policy.exp() * log_policy).sum(1)
    return -(chosen * advantages).mean() + 0.5 * (values - returns).pow(2).mean() - 0.01 * entropy.mean()


def net_case(stack, height, width, actions, batch, kind, description):
    network = Network(stack, height, width, actions, description)
    (network.draw if kind == "full" else network.draw_round)(SEED)
    observations = draw_observations(SEED, 101, batch, stack, height, width, kind == "round")
    chosen = torch.tensor(below(SEED, 102, batch, actions).astype(np.int64))
    advantages = torch.tensor(signed_uniform(SEED, 103, batch).astype(np.float32))
    returns = torch.tensor(signed_uniform(SEED, 104, batch).astype(np.float32))
    logits, values = network.forward(observations)
    logits.retain_grad()
    values.retain_grad()
    loss = actor_critic_loss(logits, values, chosen, advantages, returns)
    loss.backward()
    lines = [f"net {stack} {height} {width} {actions} {batch} {kind} {description}"]
    for name, tensor in (("logits", logits), ("values", values), ("loss", loss)):
        lines.append(numbers_line(name, tensor.detach().numpy()))
    lines.append(numbers_line("logit_grads", logits.grad.numpy()))
    lines.append(numbers_line("value_grads", values.grad.numpy()))
    for i, (name, tensor) in enumerate(zip(network.names, network.tensors)):
        gradient = tensor.grad.numpy().reshape(-1)
        if kind == "full":
            lines.append(numbers_line(name, gradient))
        else:  # its norm, and its products with random vectors
            wide = gradient.astype(np.float64)
            products = [signed_uniform(SEED, 1000 + 10 * i + k, len(wide)) @ wide for k in range(4)]
            lines.append(numbers_line(name, [np.sqrt(wide @ wide)] + products))
    return lines


def add_noise(network):
    """Factorised noise (Fortunato et al. 2017) in the fully connected layers. Returns what is learned, with names."""
    names, means, spreads = network.names, network.tensors, []
    network.tensors = means[:-6]
    for i in range(len(means) - 6, len(means), 2):
        outs, ins = network.shapes[i]
        drawn = [3 * signed_uniform(SEED, 600 + i + k, n) for k, n in ((0, ins), (1, outs))]
        into, out_of = (e.sign() * e.abs().sqrt() for e in (torch.tensor(d.astype(np.float32)) for d in drawn))
        for k, noise in ((i, torch.outer(out_of, into)), (i + 1, out_of)):
            numbers = 0.5 * signed_uniform(SEED, 500 + k, noise.numel())
            spreads.append(torch.tensor(numbers.astype(np.float32)).reshape(noise.shape).requires_grad_())
            network.tensors.append(means[k] + spreads[-1] * noise)
    return list(zip(names + names[-6:], means + spreads))


def dueling_case(stack, height, width, actions, atoms, batch, description, is_noisy=False):
    """The cross-entropy of the chosen actions' distributions, as in categorical DQN."""
    network = Network(stack, height, width, actions, description, atoms)
    network.draw(SEED)
    learned = add_noise(network) if is_noisy else list(zip(network.names, network.tensors))
    observations = draw_observations(SEED, 101, batch, stack, height, width, False)
    chosen = torch.tensor(below(SEED, 102, batch, actions).astype(np.int64))
    wanted = torch.tensor(signed_uniform(SEED, 105, batch * atoms).astype(np.float32) + 1).reshape(batch, atoms)
    logits, values = network.forward(observations)
    logits.retain_grad()
    values.retain_grad()
    advantages = logits.reshape(batch, actions, atoms)
    q = values[:, None, :] + advantages - advantages.mean(1, keepdim=True)
    log_probabilities = F.log_softmax(q[torch.arange(batch), chosen], 1)
    loss = -(wanted / wanted.sum(1, keepdim=True) * log_probabilities).sum(1).mean()
    loss.backward()
    lines = [f"{'noisy' if is_noisy else 'dueling'} {stack} {height} {width} {actions} {atoms} {batch} {description}"]
    for name, tensor in (("logits", logits), ("values", values), ("loss", loss)):
        lines.append(numbers_line(name, tensor.detach().numpy()))
    lines.append(numbers_line("logit_grads", logits.grad.numpy()))
    lines.append(numbers_line("value_grads", values.grad.numpy()))
    return lines + [numbers_line(name, tensor.grad.numpy()) for name, tensor in learned]


class RmspropInside:
    """RMSProp with epsilon inside the root (Tieleman & Hinton; Graves 2013 if centred), which PyTorch does not have."""

    def __init__(self, parameters, lr, alpha, eps, centered):
        self.parameters, self.lr, self.alpha, self.eps, self.centered = parameters, lr, alpha, eps, centered
        self.squares = [torch.zeros_like(p) for p in parameters]
        self.means = [torch.zeros_like(p) for p in parameters]

    @torch.no_grad()
    def step(self):
        for p, v, m in zip(self.parameters, self.squares, self.means):
            v.mul_(self.alpha).addcmul_(p.grad, p.grad, value=1 - self.alpha)
            m.mul_(self.alpha).add_(p.grad, alpha=1 - self.alpha)
            spread = v - m * m if self.centered else v
            p.sub_(self.lr * p.grad / (spread + self.eps).sqrt())


OPTIMIZERS = {
    "adam": lambda p: torch.optim.Adam(p, lr=2.5e-3, betas=(0.9, 0.999), eps=1e-5),
    "rmsprop_outside": lambda p: torch.optim.RMSprop(p, lr=7e-4, alpha=0.99, eps=1e-3),
    "rmsprop_inside": lambda p: RmspropInside(p, 7e-4, 0.99, 1e-5, False),
    "centred_outside": lambda p: torch.optim.RMSprop(p, lr=2.5e-4, alpha=0.95, eps=1e-2, centered=True),
    "centred_inside": lambda p: RmspropInside(p, 2.5e-4, 0.95, 1e-2, True),
}


def optimizer_case(name):
    """Ten steps down the loss sum(logits * a) + sum(values * b), with other observations, a and b each time."""
    stack, height, width, actions, batch = 2, 9, 6, 5, 3
    network = Network(stack, height, width, actions, "conv 3x3/2+1, conv 4x2/1, fc 7")
    network.draw(SEED)
    optimizer = OPTIMIZERS[name](network.tensors)
    norms = []
    for step in range(STEPS):
        observations = draw_observations(SEED, 200 + step, batch, stack, height, width, False)
        a = torch.tensor(signed_uniform(SEED, 300 + step, batch * actions).astype(np.float32)).reshape(batch, actions)
        b = torch.tensor(signed_uniform(SEED, 400 + step, batch).astype(np.float32))
        for tensor in network.tensors:
            tensor.grad = None
        logits, values = network.forward(observations)
        ((logits * a).sum() + (values * b).sum()).backward()
        norms.append(float(torch.nn.utils.clip_grad_norm_(network.tensors, CLIP)))
        optimizer.step()
    lines = [f"optimizer {name}", numbers_line("norms", norms)]
    return lines + [numbers_line(n, t.detach().numpy()) for n, t in zip(network.names, network.tensors)]


def main():
    root = pathlib.Path(__file__).resolve().parent.parent
    path = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else root / "tests" / "golden" / "torch_net.txt"
    torch.set_num_threads(1)
    lines = [f"torch {torch.__version__}"]
    lines += net_case(2, 9, 6, 5, 3, "full", "conv 3x3/2+1, conv 4x2/1, fc 7")
    lines += net_case(4, 20, 17, 6, 5, "full", "conv 6x8/4, conv 8x3/2+1, fc 24")
    lines += net_case(3, 12, 12, 3, 2, "full", "conv 5x4/2, conv 6x3/1, conv 7x2/1+1, fc 16")
    lines += net_case(4, 84, 84, 6, 4, "round", "conv 32x8/4, conv 64x4/2, conv 64x3/1, fc 512")
    lines += net_case(4, 104, 80, 18, 2, "round", "conv 16x8/4, conv 32x4/2+1, fc 256")
    lines += dueling_case(2, 9, 6, 3, 51, 3, "conv 3x3/2+1, conv 4x2/1, fc 7")
    lines += dueling_case(4, 20, 17, 6, 5, 5, "conv 6x8/4, conv 8x3/2+1, fc 12")
    lines += dueling_case(2, 9, 6, 3, 5, 3, "conv 3x3/2+1, conv 4x2/1, fc 7", is_noisy=True)
    for name in OPTIMIZERS:
        lines += optimizer_case(name)
    path.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
