"""Forms of text that the other formats share: bounded JSON and TOML, moments, tables of rows, captures.

``safe_parse`` is the one decoder for whatever comes from outside: limited in size and depth, each key once.
``struct_decoder`` and ``toml_schema`` turn plain data into typed values and report every mistake with its line.
"""
