"""Environment ids for ``gymnasium.make``: those of ale-py, below ``Megacade/`` so that both packages can be there."""

from __future__ import annotations

from typing import Any

import gymnasium

from megacade import _core

NAMESPACE = "Megacade"

# The games of the ids of version 0 and 4, from before version 5.
_CLASSIC = """
    adventure air_raid alien amidar assault asterix asteroids atlantis bank_heist battle_zone beam_rider berzerk
    bowling boxing breakout carnival centipede chopper_command crazy_climber defender demon_attack double_dunk
    elevator_action enduro fishing_derby freeway frostbite gopher gravitar hero ice_hockey jamesbond journey_escape
    kangaroo krull kung_fu_master montezuma_revenge ms_pacman name_this_game phoenix pitfall pong pooyan private_eye
    qbert riverraid road_runner robotank seaquest skiing solaris space_invaders star_gunner tennis time_pilot
    tutankham up_n_down venture video_pinball wizard_of_wor yars_revenge zaxxon
""".split()


def rom_id_to_name(rom: str) -> str:
    """The name of a game in ids: ``tic_tac_toe_3d`` is ``TicTacToe3D``."""
    return rom.title().replace("_", "")


def _register(rom: str, suffix: str, frameskip: Any, repeat_action_probability: float, vector: bool = False) -> None:
    id = f"{NAMESPACE}/{rom_id_to_name(rom)}{suffix}"
    if id in gymnasium.registry:
        return
    gymnasium.register(
        id=id,
        entry_point="megacade.env:AtariEnv",
        vector_entry_point="megacade.vector_env:AtariVectorEnv" if vector else None,
        kwargs={
            "game": rom,
            "repeat_action_probability": repeat_action_probability,
            "full_action_space": False,
            "frameskip": frameskip,
            "max_num_frames_per_episode": 108_000,
        },
    )


def register_v5_envs() -> None:
    """Registers ``Megacade/<Game>-v5`` for every game that rules are known for."""
    for game in _core.games():
        _register(game["name"], "-v5", 4, 0.25, vector=True)


def register_v0_v4_envs() -> None:
    """Registers the older ids: ``-v0``, ``-v4``, ``NoFrameskip-v0`` and ``NoFrameskip-v4``."""
    for rom in _CLASSIC:
        for version, repeat_action_probability in (("-v0", 0.25), ("-v4", 0.0)):
            _register(rom, version, (2, 5), repeat_action_probability)
            _register(rom, "NoFrameskip" + version, 1, repeat_action_probability)


def register_all() -> None:
    """Registers everything; what is there already stays."""
    register_v5_envs()
    register_v0_v4_envs()
