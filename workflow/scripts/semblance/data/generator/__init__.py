"""Generator of labelled English sentence pairs from a small grammar."""
