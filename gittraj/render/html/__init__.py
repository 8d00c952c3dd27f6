"""Trajectories as pages for people: one HTML file, or a small site that opens from a disk.

What agents, their users and committers wrote reaches a page through ``markup`` alone, as text: no element,
attribute, link, style or script of theirs. A page asks nobody for anything. Nothing here opens a seal.
"""
