"""The one training engine, and the parts it is made of."""
