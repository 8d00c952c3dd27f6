"""Trajectories as pages for people: one HTML file, or a small site that opens from a disk.

Text by agents, users and committers reaches a page through ``markup`` alone, escaped: it cannot add an
element, attribute, link, style or script. A page makes no requests. This package opens no seal.
"""
