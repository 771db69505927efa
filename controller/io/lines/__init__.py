"""Lines to devices: ports by name, terminals, device servers, and the supervisor that keeps each line alive.

``supervisor`` opens a port, lets its session identify the device, and opens it again when it is lost or says too much;
``line_tools`` are a technician's: look, capture, play back.
"""
