"""Strategies for everything that passes between a table and its bet sensors."""

from __future__ import annotations

from hypothesis import strategies as st

from firmware_protocols.messages import Message
from firmware_protocols.sensor_messages import (
    AskOtherwise,
    LockSensors,
    ReadSensorOutputs,
    ReadSensors,
    SensorOutputs,
    SensorsLocked,
    SensorsRead,
    SensorsRefused,
    SensorsSet,
    SetSensors,
)

COMMANDS = ("lock_sensors", "read_sensor_outputs", "read_sensors", "set_sensors", "function_03", "function_10")

addresses = st.integers(1, 247)
numbers = st.sets(st.integers(1, 8)).map(lambda found: tuple(sorted(found)))

SENSOR_WORDS: dict[type[Message], st.SearchStrategy[Message]] = {
    ReadSensors: st.builds(ReadSensors, addresses, st.booleans()),
    ReadSensorOutputs: st.builds(ReadSensorOutputs, addresses),
    LockSensors: st.builds(LockSensors, addresses, st.booleans()),
    SetSensors: st.builds(SetSensors, addresses, st.booleans(), st.lists(st.booleans(), max_size=9).map(tuple)),
    AskOtherwise: st.builds(AskOtherwise, addresses, st.sampled_from(COMMANDS), st.integers(0, 4)),
    SensorsRead: st.builds(SensorsRead, addresses, numbers, st.none() | numbers),
    SensorOutputs: st.builds(SensorOutputs, addresses, st.booleans(), numbers),
    SensorsLocked: st.builds(SensorsLocked, addresses, st.booleans()),
    SensorsSet: st.builds(SensorsSet, addresses, st.integers(0, 9)),
    SensorsRefused: st.builds(SensorsRefused, addresses, st.sampled_from(COMMANDS), st.integers(0, 255)),
}
