# SPDX-License-Identifier: GPL-2.0-or-later
#
# Copyright (C) 2026 Trunkline maintainers
#
# This file runs inside Mercurial and is distributed under its terms: the GNU General Public License, version 2 or any
# later version. The rest of Trunkline is separate from it: it runs this file as a program.
"""Permits connections to the egress guard alone.

Mercurial uses its proxy for http and https alone, and Python itself follows redirects to ftp, past the proxy.
"""

import os
import socket

guard = os.environ['TRUNKLINE_EGRESS'].split(':')[:2]
connect = socket.socket.connect


def connect_to_guard(self, address):
    if [str(part) for part in address[:2]] != guard:
        raise OSError('only the egress guard is reachable')
    return connect(self, address)


socket.socket.connect = connect_to_guard
