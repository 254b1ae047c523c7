"""Networks that we export, read and run by programs of others.

build/tests/export_network writes a network in all formats, and what our reference backend answers to some observations.
The plain answers here are computed with numpy from the raw parameters.
"""

import importlib.util
import json
import os
import shutil
import struct
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = Path(os.environ.get("MEGACADE") or ROOT / "build" / "megacade")
EXPORT = PROGRAM.parent / "tests" / "export_network"
TORCH_FORWARD = ROOT / "tests" / "tools" / "torch_forward.py"

# Network, stack, height, width, actions: the usual one, one with padding, and one where nothing is even. Q-networks have
# atoms and whether they are dueling, too.
NETWORKS = {
    "nature": ("nature", 4, 84, 84, 6),
    "stooke": ("stooke", 4, 104, 80, 18),
    "odd": ("conv 5x5/3+2, conv 7x2/1, fc 33", 1, 51, 37, 3),
    "q": ("nature", 4, 84, 84, 6, 1, 0),
    "dueling": ("small", 4, 42, 42, 5, 1, 1),
    "categorical": ("small", 4, 42, 42, 3, 51, 0),
    "rainbow": ("conv 5x5/3+2, conv 7x2/1, fc 33", 1, 51, 37, 4, 51, 1),
}

CLOSE = {"rtol": 1e-4, "atol": 1e-5}


class Exported:
    """What export_network wrote."""

    def __init__(self, folder, stack, height, width, actions, atoms=1, is_dueling=None):
        self.folder = folder
        self.layers = json.loads((folder / "network.json").read_text())
        self.shape = (self.layers["batch"], stack, height, width)
        self.actions, self.atoms, self.is_dueling = actions, atoms, is_dueling
        self.is_q = is_dueling is not None
        assert self.layers["is_q"] == self.is_q and self.layers["atoms"] == atoms
        (folder / "shape.json").write_text(json.dumps(self.shape))
        self.observations = np.fromfile(folder / "observations.raw", dtype=np.uint8).reshape(self.shape)
        self.logits = np.fromfile(folder / "logits.raw", dtype="<f4").reshape(self.shape[0], actions * atoms)
        value_outputs = 1 if not self.is_q else atoms if is_dueling else 0
        self.values = np.fromfile(folder / "values.raw", dtype="<f4").reshape(self.shape[0], value_outputs)
        numbers = np.fromfile(folder / "parameters.raw", dtype="<f4")
        self.tensors = {}
        for tensor in self.layers["tensors"]:
            count = int(np.prod(tensor["shape"]))
            self.tensors[tensor["name"]] = numbers[:count].reshape(tensor["shape"])
            numbers = numbers[count:]
        assert len(numbers) == 0


@pytest.fixture(scope="module", params=NETWORKS)
def exported(request, tmp_path_factory):
    if not EXPORT.exists():
        pytest.skip(f"{EXPORT} is not built; `make build` builds it")
    folder = tmp_path_factory.mktemp(request.param)
    name, *sizes = NETWORKS[request.param]
    subprocess.run([EXPORT, folder, name, *map(str, sizes)], check=True)
    return Exported(folder, *sizes)


def convolve(x, weight, bias, stride, padding):
    x = np.pad(x, ((0, 0), (0, 0), (padding, padding), (padding, padding)))
    windows = np.lib.stride_tricks.sliding_window_view(x, weight.shape[2:], axis=(2, 3))[:, :, ::stride, ::stride]
    return np.einsum("nchwij,ocij->nohw", windows, weight) + bias[:, None, None]


def forward(exported):
    """What the heads give, in double precision."""
    tensors = {name: tensor.astype(float) for name, tensor in exported.tensors.items()}
    x = exported.observations / 255.0
    for number, conv in enumerate(exported.layers["convs"], 1):
        weight, bias = tensors[f"conv{number}.weight"], tensors[f"conv{number}.bias"]
        x = np.maximum(convolve(x, weight, bias, conv["stride"], conv["padding"]), 0)
    x = np.maximum(x.reshape(len(x), -1) @ tensors["fc.weight"].T + tensors["fc.bias"], 0)
    head = "policy" if not exported.is_q else "advantage" if exported.is_dueling else "q"
    hidden = tensors[head + ".weight"].shape[1]
    logits = x[:, :hidden] @ tensors[head + ".weight"].T + tensors[head + ".bias"]
    if exported.is_q and not exported.is_dueling:
        return logits, logits[:, :0]
    assert x.shape[1] == (2 * hidden if exported.is_dueling else hidden)
    return logits, x[:, -hidden:] @ tensors["value.weight"].T + tensors["value.bias"]


def q_values(exported):
    """The values of the actions: those of a dueling network put together, means of distributions."""
    logits, values = forward(exported)
    atoms = logits.reshape(len(logits), exported.actions, exported.atoms)
    if exported.is_dueling:
        atoms = atoms - atoms.mean(axis=1, keepdims=True) + values[:, None, :]
    if exported.atoms == 1:
        return atoms[:, :, 0]
    exponentials = np.exp(atoms - atoms.max(axis=2, keepdims=True))
    support = np.linspace(exported.layers["least"], exported.layers["most"], exported.atoms)
    return exponentials @ support / exponentials.sum(axis=2)


def read_safetensors(path):
    """From the format's documentation: size of the header, header, numbers without gaps."""
    data = path.read_bytes()
    (size,) = struct.unpack_from("<Q", data)
    assert size % 8 == 0 and data[8:9] == b"{"
    header = json.loads(data[8 : 8 + size].decode())
    metadata = header.pop("__metadata__")
    tensors, reached = {}, 0
    for name, entry in sorted(header.items(), key=lambda item: item[1]["data_offsets"]):
        assert entry["dtype"] == "F32"
        begin, end = entry["data_offsets"]
        assert begin == reached and end - begin == 4 * np.prod(entry["shape"])
        reached = end
        tensors[name] = np.frombuffer(data[8 + size + begin : 8 + size + end], "<f4").reshape(entry["shape"])
    assert 8 + size + reached == len(data)
    return tensors, metadata


def check_same(tensors, exported):
    assert set(tensors) == set(exported.tensors)
    for name, tensor in exported.tensors.items():
        assert tensors[name].shape == tensor.shape
        assert np.array_equal(tensors[name], tensor)


def check_metadata(metadata):
    assert metadata["megacade"].count(".") == 2
    assert metadata["game"] == "pong"
    assert metadata["quote"] == '"\\ ä'


def test_reference(exported):
    """The answers that the others are compared with are those of our own reference."""
    logits, values = forward(exported)
    assert np.allclose(exported.logits, logits, **CLOSE)
    assert np.allclose(exported.values, values, **CLOSE)
    assert np.std(exported.logits) > 1e-3  # a network that answers nothing would agree with anything


def test_safetensors(exported):
    tensors, metadata = read_safetensors(exported.folder / "network.safetensors")
    check_same(tensors, exported)
    check_metadata(metadata)
    assert metadata["format"] == "pt"
    assert list(tensors) == sorted(tensors)


def test_safetensors_package(exported):
    package = pytest.importorskip("safetensors", reason="the package safetensors is not installed")
    with package.safe_open(exported.folder / "network.safetensors", framework="np") as file:
        check_same({name: file.get_tensor(name) for name in file.keys()}, exported)
        check_metadata(file.metadata())


def test_onnx(exported):
    runtime = pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")
    path = exported.folder / "network.onnx"
    session = runtime.InferenceSession(path, providers=["CPUExecutionProvider"])
    (observation,) = session.get_inputs()
    assert (observation.name, observation.type) == ("observation", "tensor(uint8)")
    assert observation.shape == ["N", *exported.shape[1:]]
    if exported.is_q:
        expected = {"q": q_values(exported)}
        assert np.std(expected["q"]) > 1e-3
    else:
        expected = dict(zip(("logits", "value"), forward(exported)))
    assert [(output.name, output.shape) for output in session.get_outputs()] == [
        (name, ["N", numbers.shape[1]]) for name, numbers in expected.items()
    ]
    check_metadata(session.get_modelmeta().custom_metadata_map)
    for count in (exported.shape[0], 1):
        answers = session.run(list(expected), {"observation": exported.observations[:count]})
        for answer, numbers in zip(answers, expected.values()):
            assert np.allclose(answer, numbers[:count], **CLOSE)


def test_onnx_checker(exported):
    if importlib.util.find_spec("onnx") is None:
        pytest.skip("the package onnx, which checks models strictly, is not installed")
    import onnx

    model = onnx.load(exported.folder / "network.onnx")
    onnx.checker.check_model(model, full_check=True)
    assert model.ir_version == 8
    assert [(opset.domain, opset.version) for opset in model.opset_import] == [("", 13)]
    tensors = {tensor.name: onnx.numpy_helper.to_array(tensor) for tensor in model.graph.initializer}
    assert tensors.pop("scale") == np.float32(1 / 255)
    for name in ("support", "action_shape", "value_shape"):
        tensors.pop(name, None)
    check_same(tensors, exported)


@pytest.fixture(scope="module")
def python_with_torch():
    """This Python, or the system's, where torch is a package of the distribution."""
    for program in (sys.executable, shutil.which("python3", path="/usr/bin:/usr/local/bin")):
        if program and not subprocess.run([program, "-c", "import torch, numpy"], capture_output=True).returncode:
            return program
    pytest.skip("no Python with torch was found: not tested whether PyTorch loads what we export")


def test_torch(exported, python_with_torch):
    subprocess.run([python_with_torch, TORCH_FORWARD, exported.folder], check=True)
    answers = np.fromfile(exported.folder / "torch.raw", dtype="<f4").reshape(exported.shape[0], -1)
    assert np.allclose(answers, np.concatenate(forward(exported), axis=1), **CLOSE)
