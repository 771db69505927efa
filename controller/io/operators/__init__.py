"""People at a table: the operator channel, its client, certificates, and whether the program is the installed one."""
