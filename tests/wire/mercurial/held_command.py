# SPDX-License-Identifier: GPL-2.0-or-later
#
# Copyright (C) 2026 Trunkline maintainers
#
# This file uses the internals of Mercurial and is therefore distributed under
# the terms of the GNU General Public License, version 2 or any later version.
# The rest of Trunkline is separate from it: tests run this file in a program.
"""Has commands of forked processes wait while a file exists, for tests: the setting `held.hold`."""

import os
import time

from mercurial import dispatch


def uisetup(ui):
    hold = ui.config(b'held', b'hold', b'')
    server = os.getpid()
    run = dispatch.dispatch

    def held(request):
        # The server itself runs commands before it listens.
        while os.getpid() != server and os.path.exists(hold):
            time.sleep(0.1)
        return run(request)

    dispatch.dispatch = held
