"""The daemon of one table: devices on one side, the journal in the middle, the broker on the other.

``wiring`` turns a table file into parts; ``startup`` opens the journal, ``recovery`` steps what
it says and ``replay`` proves it;
``daemon`` runs the loop: a reading is stamped, stepped, committed, and only then published, with a checkpoint when
``checkpoint_pace`` says so. The others connect it to
pools, operators and the trigger box.
"""
