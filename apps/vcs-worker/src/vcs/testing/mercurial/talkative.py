# SPDX-License-Identifier: GPL-2.0-or-later
#
# Copyright (C) 2026 Trunkline maintainers
#
# This file uses the internals of Mercurial and is therefore distributed under
# the terms of the GNU General Public License, version 2 or any later version.
# The rest of Trunkline is separate from it: tests run this file in a program.
"""Has Mercurial answer pushes with more text than the service hands on, for tests."""

from mercurial import exchange


def uisetup(ui):
    orig = exchange.unbundle

    def unbundle(*args, **kwargs):
        reply = orig(*args, **kwargs)
        reply.newpart(b'output', data=b'much\n' * 300_000, mandatory=False)
        return reply

    exchange.unbundle = unbundle
