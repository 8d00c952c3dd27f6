"""The index: what a listing needs, derived from the refs and thrown away whenever in doubt.

``file`` owns the database's file: who may write, whether it is the one that was written, when to drop it.
``glance`` is how anyone looks in. ``schema`` says what stands in it, ``history`` which commits touched which
paths, ``reach`` what a tip reaches, ``records`` which commits carry what. ``text`` is a second file, for
search: ``words`` says how text becomes words, ``language`` what may be asked, ``likeness`` (with
``synonyms``) what is like a text, ``excerpts`` what is shown. Nothing here knows git, notes or how anything
is shown: ``gittraj.index`` feeds it.
"""
