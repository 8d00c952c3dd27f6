"""The index: the data that a listing needs, derived from the refs and thrown away whenever in doubt.

``file`` owns the database files: who may write, whether a file is intact, when to drop it; ``fast_open``
reads them. ``schema`` has the tables of listings; ``history`` knows which commits touched which paths,
``reach`` what a tip reaches, ``records`` which commits have which records; ``update`` keeps them current,
``answers`` serves queries. ``text`` is a second database, for search, with its tables: ``words`` tokenizes,
``language`` parses queries, ``likeness`` (``words.toml``) finds similar texts, ``excerpts`` picks what is
shown, ``update_text`` keeps it current, ``search`` answers. ``remote_records`` reads the records that only
remotes have, and keeps them, redacted by today's rules, in a third one; ``search_remotes`` searches them.
"""
