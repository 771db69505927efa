"""House rules as data, one TOML file for each rule card."""
