"""What is shown beside MQTT: the tap on this machine, lines of text for video, the shift page, figures over HTTP."""
