"""The index: the data that a listing needs, derived from the refs and deleted whenever in doubt.

Three databases, whose files ``file`` manages: it opens them, locks them, checks them and drops them.

- For listings: ``schema`` has the tables; ``history`` knows which commits touched which paths, ``reach`` what
  a tip reaches, ``records`` which commits have which records. ``update`` keeps them current, ``answers``
  serves queries.
- For search: ``text`` has the tables; ``words`` tokenizes, ``language`` parses queries, ``likeness``
  (``words.toml``) finds similar texts, ``excerpts`` picks the passages to show. ``update_text`` keeps the
  database current, ``search`` serves queries.
- For the records that only remotes have: ``remote_records`` reads them and stores them redacted by today's
  rules; ``search_remotes`` searches them.
"""
