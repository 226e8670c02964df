# SPDX-License-Identifier: GPL-2.0-or-later
#
# Copyright (C) 2026 Trunkline maintainers
#
# This file uses the internals of Mercurial and is therefore distributed under
# the terms of the GNU General Public License, version 2 or any later version.
# The rest of Trunkline is separate from it: tests run this file in a program.
"""Has Mercurial store nothing of a push while a file exists, for tests: the setting `held.hold`."""

import os
import time

from mercurial import exchange


def uisetup(ui):
    hold = ui.config(b'held', b'hold', b'')
    unbundle = exchange.unbundle

    def held(repo, *args, **kwargs):
        # Workers try Mercurial in a repository of their own before they serve.
        while b'/trunkline-worker-' not in repo.root and os.path.exists(hold):
            time.sleep(0.1)
        return unbundle(repo, *args, **kwargs)

    exchange.unbundle = held
