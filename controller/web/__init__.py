"""The pages that people look at in a browser, and the program that serves them.

In come what a broker publishes of its tables (retained pictures and events), journals, opened read-only, and a day of
the whole floor from a function that is handed in; out go pages, and over a WebSocket a picture of each table, at most
ten times a second. It is a program of its own: a table
does not know that it is there, and never waits for it. ``pages`` is the front end: standard modules, served as they
lie there.

Never in here: a card that is not published, a decision about money, a connection that a table depends on.
"""
