"""What can go wrong with a seal, in classes by what can be done about it.

::

    SealError
    └── AgeError
        ├── HeaderError            not a header of age v1, or a stanza does not fit its type
        │   ├── MacError           a key opened it, but it was changed after it was written
        │   └── WorkFactorError    a passphrase that would take too much time and memory to try
        ├── PayloadError           the payload was changed, or is not this header's
        ├── ArmorError             the text form of a file is damaged
        ├── NoMatch                sealed, but not for any of these identities
        │   └── LockedError        perhaps for one whose passphrase is missing or wrong
        ├── KeyFormatError         a text is not a recipient, or not an identity
        ├── RecipientsError        nothing can be sealed for these, or not for these together
        └── UnsupportedError       what is needed for that key is not installed

Their texts contain no key and nothing from a header, which anyone may have written.
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
