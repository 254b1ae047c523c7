"""Megacade: Atari 2600 consoles for reinforcement learning, with the names and the behaviour of ale-py 0.12.1.

``import megacade`` also registers ``Megacade/Pong-v5`` and the like with Gymnasium.
"""

from megacade import roms
from megacade._core import version as _version
from megacade.enums import Action, LoggerMode
from megacade.env import AtariEnv, AtariEnvStepMetadata
from megacade.interface import ALEInterface
from megacade.presets import PRESETS, make_vec
from megacade.registration import register_all, register_v0_v4_envs, register_v5_envs
from megacade.state import ALEState
from megacade.vector_env import AtariVectorEnv
from megacade.vector_interface import ALEVectorInterface
from megacade.watching import SDL_SUPPORT

__version__: str = _version()

__all__ = [
    "ALEInterface",
    "ALEState",
    "ALEVectorInterface",
    "Action",
    "AtariEnv",
    "AtariEnvStepMetadata",
    "AtariVectorEnv",
    "LoggerMode",
    "PRESETS",
    "SDL_SUPPORT",
    "__version__",
    "make_vec",
    "register_v0_v4_envs",
    "register_v5_envs",
    "roms",
]

register_all()
