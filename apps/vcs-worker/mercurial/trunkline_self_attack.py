# SPDX-License-Identifier: GPL-2.0-or-later
#
# Copyright (C) 2026 Trunkline maintainers
#
# This file uses the internals of Mercurial and is therefore distributed under
# the terms of the GNU General Public License, version 2 or any later version.
# The rest of Trunkline is separate from it: it runs this file as a program.
"""Attacks the process itself before it listens: the internals of Mercurial may have changed."""

import os
import socket

from mercurial import bundle2, changegroup, context, discovery, hg, wireprotoserver

from trunkline_push import Gate, digest, run


def make_changeset(ui, path):
    """Commits one file to the repository; returns the hexadecimal id of the changeset."""
    repo = hg.repository(ui, path)
    with repo.wlock(), repo.lock():
        make_file = lambda repo, ctx, name: context.memfilectx(repo, ctx, name, b'content\n')
        commit = context.memctx(repo, (repo.nullid, None), b'first', [b'file'], make_file, b'nobody', b'0 0')
        return commit.commit().hex().encode('ascii')


def bundle_with(ui, *parts):
    """Returns a bundle with these parts, each a name, its parameters and its content."""
    bundler = bundle2.bundle20(ui)
    bundler.newpart(b'replycaps', data=b'error=abort%2Cunsupportedcontent%2Cpushraced%2Cpushkey')
    for name, params, data in parts:
        bundler.newpart(name, [*params.items()], data=data)
    return b''.join(bundler.getchunks())


def attacks(port):
    """Parts that are known to be dangerous: one with a URL, and one with files of the store and beside it."""
    url = b'http://127.0.0.1:%d/canary' % port
    size = lambda count: bytes([count])
    files = b''.join(
        kind + size(len(name)) + size(4) + name + b'evil' for kind, name in ((b'c', b'canary'), (b's', b'data/canary.i'))
    )
    counts = {b'requirements': b'revlogv1%2Cgeneraldelta', b'filecount': b'2', b'bytecount': b'8'}
    return {
        b'a part with a URL': (b'remote-changegroup', {b'url': url, b'size': b'1', b'digests': b''}, b''),
        b'a part with files of the store': (b'stream2', counts, files),
    }


def files_below(path):
    return {os.path.join(at, name) for at, _directories, names in os.walk(path) for name in names}


def check_self(ui, request, check, path):
    """Pushes to an empty repository what must be refused, and then what must not."""
    hg.repository(ui, path + b'/empty', create=True)
    tree = path + b'/empty/.hg'
    spool = path + b'/spool'

    def attempt(bundle):
        with open(spool, 'wb') as spooled:
            spooled.write(bundle)
        repo = hg.repository(ui.copy(), path + b'/empty')
        gate = Gate(lambda: True)
        media, chunks = run(repo, request(repo.ui, b'heads=666f726365', spool), b'unbundle', gate)
        return gate, media, b''.join(chunks)

    canary = socket.socket()
    canary.bind(('127.0.0.1', 0))
    canary.listen()
    canary.setblocking(False)
    ui = ui.copy()
    ui.setconfig(b'http', b'timeout', b'1', b'trunkline')
    before = files_below(tree)
    for what, part in attacks(canary.getsockname()[1]).items():
        gate, _media, answer = attempt(bundle_with(ui, part))
        check(not gate.is_closed and b'unsupportedcontent' in answer.lower(), what)
        check(not any(b'canary' in file for file in files_below(tree) - before), what)
    try:
        canary.accept()
        check(False, b'the URL of a client was fetched')
    except BlockingIOError:
        pass
    finally:
        canary.close()

    before = digest(hg.repository(ui, path + b'/empty'))
    changes = changegroup_of(hg.repository(ui, path))
    gate, media, _answer = attempt(bundle_with(ui, (b'changegroup', {b'version': b'02'}, changes)))
    check(gate.is_closed and gate.failure is None and media == wireprotoserver.HGTYPE, b'a push')
    check(digest(hg.repository(ui, path + b'/empty')) != before, b'a digest')


def changegroup_of(repo):
    outgoing = discovery.outgoing(repo, commonheads=[repo.nullid], ancestorsof=repo.heads())
    return changegroup.makestream(repo, outgoing, b'02', b'serve')
