"""English sentence pairs with meaning attached, written from a small grammar."""
