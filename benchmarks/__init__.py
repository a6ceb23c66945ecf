"""Speed and memory beside the peers: one problem a file in `problems`, one adapter a peer in `peers`.

What a ratio compares runs in one process, the contestants taking turns, and the medians are compared: whatever else the
machine does falls on all of them alike.
"""
