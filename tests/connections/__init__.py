"""The programs of others that read a table, each the real one: Home Assistant, Node-RED, Prometheus."""
