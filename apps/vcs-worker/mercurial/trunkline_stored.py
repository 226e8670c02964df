# SPDX-License-Identifier: GPL-2.0-or-later
#
# Copyright (C) 2026 Trunkline maintainers
#
# This file runs inside Mercurial and is distributed under its terms: the GNU General Public License, version 2 or any
# later version. The rest of Trunkline is separate from it: it runs this file as a program.
"""Keywords of templates for the author and the message of a changeset as the bytes that are stored.

Mercurial stores UTF-8, and takes what is none for Latin-1; clients of old have stored other encodings.
"""

from mercurial import registrar

templatekeyword = registrar.templatekeyword()


def text_of(context, mapping):
    """The manifest, the author, the date and each file in a line of its own, an empty line, and the message."""
    ctx = context.resource(mapping, b'ctx')
    return ctx.repo().changelog.revision(ctx.node())


@templatekeyword(b'stored_user', requires={b'ctx'})
def stored_user(context, mapping):
    """String. The author of the changeset."""
    return b''.join(text_of(context, mapping).split(b'\n', 2)[1:2])


@templatekeyword(b'stored_desc', requires={b'ctx'})
def stored_desc(context, mapping):
    """String. The message of the changeset."""
    return text_of(context, mapping).partition(b'\n\n')[2].strip()
