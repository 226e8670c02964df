# SPDX-License-Identifier: GPL-2.0-or-later
#
# Copyright (C) 2026 Trunkline maintainers
#
# This file uses the internals of Mercurial and is therefore distributed under
# the terms of the GNU General Public License, version 2 or any later version.
# The rest of Trunkline is separate from it: tests run this file in a program.
"""Has Mercurial give the beginning of a bundle alone while a file exists, for tests: the setting `held.hold`.

Each fork of the process adds a line to the file of the setting `held.started`.
"""

import os
import time

from mercurial import exchange

FIRST_BYTES = 300_000


def uisetup(ui):
    hold = ui.config(b'held', b'hold', b'')
    started = ui.config(b'held', b'started', b'')
    bundle_chunks = exchange.getbundlechunks

    def note_fork():
        with open(started, 'a') as log:
            log.write('hg\n')

    def held(chunks):
        sent = 0
        for chunk in chunks:
            yield chunk
            sent += len(chunk)
            while sent > FIRST_BYTES and os.path.exists(hold):
                time.sleep(0.1)

    def held_bundle_chunks(*args, **kwargs):
        info, chunks = bundle_chunks(*args, **kwargs)
        return info, held(chunks)

    os.register_at_fork(after_in_child=note_fork)
    exchange.getbundlechunks = held_bundle_chunks
