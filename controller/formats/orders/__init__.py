"""What people may ask of a table, who may ask it, and the words of the reply.

``requests`` and ``meter_requests`` are the orders; ``operators`` the roles and rights; ``signed_orders`` an order with
its operator's own Ed25519 signature; ``epoch_authorization`` the two signed documents that begin a journal anew.
"""
