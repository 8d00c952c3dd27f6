"""What can go wrong with a seal, told apart by what is done about it.

::

    SealError
    └── AgeError
        ├── HeaderError            the header is none of age v1, or not as its type of stanza must be
        │   ├── MacError           a key opened it, but it is not as its writer left it
        │   └── WorkFactorError    a passphrase that would take too much time and memory to try
        ├── PayloadError           the payload was changed, or is not this header's
        ├── ArmorError             the text form of a file is damaged
        ├── NoMatch                sealed, but not for any of these identities
        │   └── LockedError        perhaps for one whose passphrase is missing or wrong
        ├── KeyFormatError         a text is no recipient or no identity
        ├── RecipientsError        nothing can be sealed for these, or not for these together
        └── UnsupportedError       what is needed for that key is not installed

Their texts hold no key and nothing of what a header says: that may come from anybody.
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


class NoMatch(AgeError):  # noqa: N818 - reads as what it says
    pass


class LockedError(NoMatch):
    pass


class KeyFormatError(AgeError):
    pass


class RecipientsError(AgeError):
    pass


class UnsupportedError(AgeError):
    pass
