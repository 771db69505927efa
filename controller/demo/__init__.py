"""The demo: a table with simulated devices and people, its broker and its pool, judged against what truly happened."""
