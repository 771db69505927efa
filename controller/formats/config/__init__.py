"""The house's files: table, pool, trigger box, client, chips, profiles. Every key is known and every mistake is named.

A value that is wrong is reported with its file, line and key, all of them at once; a key that would be ignored is
refused. What reads the files from disk is in ``controller.io.files``.
"""
