"""The table: from dated readings to settled rounds, journaled before anything leaves the process."""
