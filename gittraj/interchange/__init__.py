"""What the readers and the writers of interchange formats have to agree on.

A format of others has no place for some of what an event says, and we have none for some of what it says.
So each side keeps what the other would not understand: a writer under
:data:`~gittraj.interchange.carried.KEY`, where the format allows foreign data, a reader in the event's
``extra``. What is carried is only the difference to what is understood without it, so a file that needs none
has none. It opens no file and knows no repository.
"""
