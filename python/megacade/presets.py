"""make_vec: a vector of environments by a few words, with named styles of preprocessing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal

from megacade.vector_env import AtariVectorEnv

# What a style sets beside AtariVectorEnv's defaults: 84 x 84 gray, a stack of 4, frame skip 4, the maximum of two
# frames, episodes of at most 108,000 frames.
PRESETS: Final[Mapping[str, Mapping[str, Any]]] = {
    # Mnih et al. (2015), training: no-op starts, an episode per life, clipped rewards.
    "dqn": {
        "repeat_action_probability": 0.0,
        "noop_max": 30,
        "use_fire_reset": False,
        "episodic_life": True,
        "reward_clipping": True,
        "full_action_space": False,
    },
    # Machado et al. (2018): sticky actions are the only chance, all actions, whole games, rewards as they are.
    "machado": {
        "repeat_action_probability": 0.25,
        "noop_max": 0,
        "use_fire_reset": False,
        "episodic_life": False,
        "reward_clipping": False,
        "full_action_space": True,
    },
    # envpool.make("Pong-v5"); docs/python.md says what is left.
    "envpool": {
        "episodes": "envpool",
        "repeat_action_probability": 0.0,
        "noop_max": 30,
        "use_fire_reset": True,
        "episodic_life": False,
        "reward_clipping": False,
        "full_action_space": False,
        "max_num_frames_per_episode": 108_000,
    },
    # gymnasium.make_vec("ALE/Pong-v5").
    "ale": {"repeat_action_probability": 0.25, "max_num_frames_per_episode": 108_000},
}


def make_vec(
    game: str | Sequence[str],
    num_envs: int | None = None,
    device: str = "cpu",
    preset: Literal["dqn", "machado", "envpool", "ale"] | None = None,
    **arguments: Any,
) -> AtariVectorEnv:
    """Makes an AtariVectorEnv.

    Args:
        game: a game's name, or several for one batch: environment i plays ``game[i % len(game)]``.
        num_envs: how many environments; by default one for each game.
        device: "cpu"; "cuda" or "cuda:1" for environments on a GPU, whose results stay there (docs/gpu.md).
        preset: a style of preprocessing, see PRESETS; None is AtariVectorEnv's defaults.
        arguments: of AtariVectorEnv; they go before what the preset says.
    """
    if preset is not None and preset not in PRESETS:
        raise ValueError(f"preset is {preset!r}, expected None or one of {', '.join(PRESETS)}")
    if num_envs is None:
        num_envs = 1 if isinstance(game, str) else len(game)
    settings = {**(PRESETS[preset] if preset is not None else {}), **arguments}
    return AtariVectorEnv(game, num_envs, device=device, **settings)
