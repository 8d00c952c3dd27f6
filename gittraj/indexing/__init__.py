"""Feeds the index from git and from the notes, and answers queries from it.

``upkeep`` brings it up to the refs' tips, ``answers`` is what queries ask, ``memory`` fills in what would be
folded at the first look. For search, ``said`` says which texts of a part count, ``gathering`` keeps them up
to the refs, ``tips`` tells whether that is needed, ``finding`` answers. The index is never right where git
says otherwise: whatever fails here, the query asks git.
"""
