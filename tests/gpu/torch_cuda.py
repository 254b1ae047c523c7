"""Vectors on a GPU with PyTorch: tensors that are not copied, torch's streams, and the CPU's results.

Ends with 77 and the reason where torch, the package or a GPU is missing. torch_cuda.sh runs it.
"""

import sys

try:
    import numpy as np
    import torch

    import megacade
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)
if not torch.cuda.is_available():
    print("skipped: torch sees no GPU")
    sys.exit(77)

COUNT, STEPS = 256, 300
checks = 0


def check(holds, text):
    global checks
    checks += 1
    if not holds:
        sys.exit(f"FAILED: {text}")


def make(device, **arguments):
    return megacade.make_vec("comet_catch", COUNT, device=device, max_num_frames_per_episode=400, **arguments)


def same(tensor, array):
    return np.array_equal(tensor.cpu().numpy(), array)


def slow_actions(choices, step):
    """Actions that the present stream has only after a while."""
    noise = torch.ones(2048, 2048, device="cuda")
    for _ in range(4):
        noise = (noise @ noise).clamp(0, 1)
    numbers = (torch.arange(COUNT, device="cuda") * 7 + step // 3) % choices
    return (numbers + noise[0, 0].long() - 1).to([torch.int64, torch.int32][step % 2])


def play_together():
    cpu, gpu = make("cpu"), make("cuda", array="torch")
    choices = cpu.single_action_space.n
    expected, _ = cpu.reset(seed=3)
    observations, _ = gpu.reset(seed=3)
    check(observations.is_cuda and observations.dtype == torch.uint8, "observations are on the GPU")
    check(same(observations, expected), "the first observations are those of the CPU")
    address, ends = observations.data_ptr(), 0
    side = torch.cuda.Stream()
    for step in range(STEPS):
        with torch.cuda.stream(side if step % 3 == 0 else torch.cuda.default_stream()):
            actions = slow_actions(choices, step)
            result = gpu.step(actions)
            copy = result[0].clone()  # in the stream that is the present one
        check(result[0].data_ptr() == address, "nothing is copied")
        *arrays, info = cpu.step(((np.arange(COUNT) * 7 + step // 3) % choices).astype(np.int64))
        torch.cuda.synchronize()
        check(same(copy, arrays[0]), f"step {step}: observations are those of the CPU")
        for name, tensor, array in zip(("rewards", "terminations", "truncations"), result[1:4], arrays[1:]):
            check(same(tensor, array), f"step {step}: {name} are those of the CPU")
        check(same(result[4]["lives"], info["lives"]), f"step {step}: lives are those of the CPU")
        ends += int((arrays[2] | arrays[3]).sum())
    check(ends > COUNT, "there were episodes")
    check(np.array_equal(np.asarray(cpu.ram()), np.asarray(gpu.ram())), "the RAM is that of the CPU")


def hand_over():
    cpu, gpu = make("cpu"), make("cuda")
    cpu.reset(seed=1)
    gpu.reset(seed=2)
    for step in range(20):
        cpu.step(np.full(COUNT, step % 3))
    gpu.restore_states(cpu.clone_states())
    view = torch.from_dlpack(gpu.step(np.zeros(COUNT, np.int64))[0])
    check(same(view, cpu.step(np.zeros(COUNT, np.int64))[0]), "states go from the CPU to the GPU")
    gpu.close()
    check(int(view.sum()) > 0, "memory stays as long as somebody looks at it")


def fail():
    try:
        megacade.make_vec("comet_catch", 100_000_000, device="cuda")
        check(False, "a vector that cannot fit is refused")
    except RuntimeError as error:
        check("environments would fit" in str(error), "the message says how many environments would fit")
    try:
        megacade.make_vec("comet_catch", 4, device="cuda:99")
        check(False, "a GPU that is not there is refused")
    except (RuntimeError, ValueError) as error:
        check("no GPU has number 99" in str(error), "the message names the GPU")
    check(same(torch.from_dlpack(make("cuda").reset(seed=1)[0]), make("cpu").reset(seed=1)[0]), "and all goes on")


play_together()
hand_over()
fail()
print(f"{checks} checks, 0 failed")
