"""The errors of seals; there is one class for each remedy.

::

    SealError
    └── AgeError
        ├── HeaderError            not a header of age v1, or a stanza is malformed
        │   ├── MacError           a key opened it, but it was changed after it was written
        │   └── WorkFactorError    a passphrase that would take too much time and memory to try
        ├── PayloadError           the payload was changed, or does not belong to the header
        ├── ArmorError             the text form of a file is damaged
        ├── NoMatch                sealed, but not for any of these identities
        │   └── LockedError        a passphrase is missing or wrong, so it may be sealed for that identity
        ├── KeyFormatError         a text is not a recipient, or not an identity
        ├── RecipientsError        nothing can be sealed for these recipients, or not for all of them together
        └── UnsupportedError       a library that such a key needs is not installed

Their messages contain no key, and nothing from a header, which anyone may have written.
"""

from __future__ import annotations

from gittraj.errors import SealError


class AgeError(SealError):
    pass


class HeaderError(AgeError):
    pass


class MacError(HeaderError):
    pass


class WorkFactorError(HeaderError):
    pass


class PayloadError(AgeError):
    pass


class ArmorError(AgeError):
    pass


class NoMatch(AgeError):  # noqa: N818 - not always an error
    pass


class LockedError(NoMatch):
    pass


class KeyFormatError(AgeError):
    pass


class RecipientsError(AgeError):
    pass


class UnsupportedError(AgeError):
    pass
