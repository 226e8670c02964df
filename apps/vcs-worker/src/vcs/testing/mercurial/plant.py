# SPDX-License-Identifier: GPL-2.0-or-later
#
# Copyright (C) 2026 Trunkline maintainers
#
# This file uses the internals of Mercurial and is therefore distributed under
# the terms of the GNU General Public License, version 2 or any later version.
# The rest of Trunkline is separate from it: tests run this file in a program.
"""Commits files that Mercurial itself would not, for tests.

`hg plant` reads a branch, then name, flag and content of each file from stdin, separated by NUL, and checks none of them.
`hg plant-paths N` commits a manifest of N paths that have no files.
`hg plant-texts` commits nothing by an author and with a message that it reads from stdin, separated by NUL, as they are.
"""

import sys
from mercurial import encoding, metadata, node, registrar

cmdtable = {}
command = registrar.command(cmdtable)

@command(b'plant')
def plant(ui, repo):
    branch, *tokens = sys.stdin.buffer.read().split(b'\0')
    with repo.lock(), repo.transaction(b'plant') as tr:
        linkrev, none = len(repo.changelog), repo.nullid
        lines, files = [], metadata.ChangingFiles()
        for name, flag, content in zip(tokens[0::3], tokens[1::3], tokens[2::3]):
            filenode = repo.file(name).add(content, {}, tr, linkrev, none, none)
            files.mark_touched(name)
            lines.append(name + b'\0' + node.hex(filenode) + flag + b'\n')
        revlog = repo.manifestlog.getstorage(b'')._revlog
        manifest = revlog.node(revlog.addrevision(b''.join(lines), tr, linkrev, none, none))
        changeset = repo.changelog.add(manifest, files, b'planted', tr, none, none, b'Ann', (0, 0), {b'branch': branch})
        ui.write(node.hex(changeset))

@command(b'plant-paths', [], b'N')
def plant_paths(ui, repo, count):
    with repo.lock(), repo.transaction(b'plant') as tr:
        linkrev, none = len(repo.changelog), repo.nullid
        lines = [b'%07d\0%s\n' % (number, b'1' * 40) for number in range(int(count))]
        revlog = repo.manifestlog.getstorage(b'')._revlog
        manifest = revlog.node(revlog.addrevision(b''.join(lines), tr, linkrev, none, none))
        files = metadata.ChangingFiles()
        changeset = repo.changelog.add(manifest, files, b'planted', tr, none, none, b'Ann', (0, 0), {})
        ui.write(node.hex(changeset))

@command(b'plant-texts')
def plant_texts(ui, repo):
    author, message = sys.stdin.buffer.read().split(b'\0')
    encoding.fromlocal = lambda text: text
    ui.setconfig(b'ui', b'allowemptycommit', b'yes', b'plant')
    ui.write(node.hex(repo.commit(message, author, b'0 0')))
