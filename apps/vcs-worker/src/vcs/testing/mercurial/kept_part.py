# SPDX-License-Identifier: GPL-2.0-or-later
#
# Copyright (C) 2026 Trunkline maintainers
#
# This file uses the internals of Mercurial and is therefore distributed under
# the terms of the GNU General Public License, version 2 or any later version.
# The rest of Trunkline is separate from it: tests run this file in a program.
"""Has Mercurial keep one part of bundles that the service removes, for tests: the setting `kept.part`."""

from mercurial import bundle2


def uisetup(ui):
    part = ui.config(b'kept', b'part', b'')

    class Kept(dict):
        def __delitem__(self, name):
            if name != part:
                super().__delitem__(name)

    bundle2.parthandlermapping = Kept(bundle2.parthandlermapping)
