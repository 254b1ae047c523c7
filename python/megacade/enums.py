"""The two enumerations of the interface."""

from enum import Enum


class Action(Enum):
    """What a player does in a frame. The numbers are those that ``ALEInterface.act`` takes."""

    NOOP = 0
    FIRE = 1
    UP = 2
    RIGHT = 3
    LEFT = 4
    DOWN = 5
    UPRIGHT = 6
    UPLEFT = 7
    DOWNRIGHT = 8
    DOWNLEFT = 9
    UPFIRE = 10
    RIGHTFIRE = 11
    LEFTFIRE = 12
    DOWNFIRE = 13
    UPRIGHTFIRE = 14
    UPLEFTFIRE = 15
    DOWNRIGHTFIRE = 16
    DOWNLEFTFIRE = 17


class LoggerMode(Enum):
    """How much is written to standard error: messages of this importance and above."""

    Info = 0
    Warning = 1
    Error = 2
