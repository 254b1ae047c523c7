"""Loads FOLDER/network.safetensors into a torch module and writes what it answers to FOLDER/torch.raw.

    python torch_forward.py FOLDER

FOLDER is what export_network wrote. A program of its own, since torch may be there for another Python than the one
that runs the tests. The module has the usual PyTorch shapes and names, so that load_state_dict(strict=True) says
whether the file has just what such a module needs.
"""

import json
import struct
import sys
from pathlib import Path

import numpy as np
import torch
from torch import nn


def read_safetensors(path):
    data = path.read_bytes()
    (size,) = struct.unpack_from("<Q", data)
    header = json.loads(data[8 : 8 + size])
    header.pop("__metadata__", None)
    tensors = {}
    for name, entry in header.items():
        begin, end = entry["data_offsets"]
        numbers = np.frombuffer(data[8 + size + begin : 8 + size + end], dtype="<f4")
        tensors[name] = torch.tensor(numbers.reshape(entry["shape"]).copy())
    return tensors


class Policy(nn.Module):
    def __init__(self, layers):
        super().__init__()
        shapes = {tensor["name"]: tensor["shape"] for tensor in layers["tensors"]}
        self.conv_names = []
        for number, conv in enumerate(layers["convs"], 1):
            outputs, inputs, kernel, _ = shapes[f"conv{number}.weight"]
            self.conv_names.append(f"conv{number}")
            layer = nn.Conv2d(inputs, outputs, kernel, conv["stride"], conv["padding"])
            self.add_module(f"conv{number}", layer)
        total, features = shapes["fc.weight"]
        self.fc = nn.Linear(features, total)
        self.head_name = next(name for name in ("policy", "q", "advantage") if name + ".weight" in shapes)
        outputs, self.hidden = shapes[self.head_name + ".weight"]
        self.add_module(self.head_name, nn.Linear(self.hidden, outputs))
        self.value = nn.Linear(self.hidden, layers["value_outputs"]) if layers["value_outputs"] else None

    def forward(self, observations):
        x = observations.float() / 255
        for name in self.conv_names:
            x = torch.relu(getattr(self, name)(x))
        x = torch.relu(self.fc(x.flatten(1)))
        logits = getattr(self, self.head_name)(x[:, : self.hidden])
        # Two hidden layers side by side are one head's and then the other's; one is both heads'.
        return logits, self.value(x[:, -self.hidden :]) if self.value else logits[:, :0]


def main(folder):
    layers = json.loads((folder / "network.json").read_text())
    module = Policy(layers)
    module.load_state_dict(read_safetensors(folder / "network.safetensors"), strict=True)
    observations = np.fromfile(folder / "observations.raw", dtype=np.uint8)
    shape = json.loads((folder / "shape.json").read_text())
    with torch.no_grad():
        logits, values = module(torch.tensor(observations.reshape(shape)))
    np.concatenate([logits.numpy(), values.numpy()], axis=1).astype("<f4").tofile(folder / "torch.raw")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
