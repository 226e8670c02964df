# SPDX-License-Identifier: GPL-2.0-or-later
#
# Copyright (C) 2026 Trunkline maintainers
#
# This file runs inside Mercurial and is distributed under its terms: the GNU General Public License, version 2 or any
# later version. The rest of Trunkline is separate from it: it runs this file as a program.
"""Makes differences in git's format that `hg import` and, with `trunkline.for-git`, `git apply` can apply.

Mercurial's own differences cannot be applied where

- a name has a tab: both programs end the name there, in the lines before a hunk. A binary patch has no such lines;
- a directory becomes a file: `hg import` adds the file first;
- a file becomes a symbolic link, or a link a file: `git apply` wants a removal and an addition. The two together are
  what `hg import --bypass` refuses.

Where `trunkline.paths` names files, by the hexadecimal digits of their names, all others are left out.
`hg trunkline-diff --base REV --rev REV` prints the difference of any two changesets, of which subrepositories are no part.
"""

import binascii
import heapq

from mercurial import cmdutil, extensions, patch, pathutil, pycompat, registrar, scmutil

cmdtable = {}
command = registrar.command(cmdtable)
configtable = {}
setting = registrar.configitem(configtable)
setting(b'trunkline', b'for-git', default=False)
setting(b'trunkline', b'paths', default=b'')


def path_of(difference):
    before, after = difference[:2]
    return (after or before).path()


def trydiff(original, repo, revs, ctx1, ctx2, modified, added, removed, copy, getfilectx, opts, *rest):
    names = repo.ui.config(b'trunkline', b'paths').split()
    if names:
        wanted = {binascii.unhexlify(name) for name in names}
        modified, added, removed = ([path for path in paths if path in wanted] for paths in (modified, added, removed))
        copy = {path: source for path, source in copy.items() if path in wanted}

    def contents(path, ctx):
        content = getfilectx(path, ctx)
        if b'\t' in path and not opts.nobinary:
            content.isbinary = lambda: True
        return content

    def differences(modified, added, removed, copy):
        return original(repo, revs, ctx1, ctx2, modified, added, removed, copy, contents, opts, *rest)

    def is_replaced(path):
        return (b'l' in ctx1.flags(path)) != (b'l' in ctx2.flags(path))

    new, sources = set(added), set(copy.values())
    below_new = {path for path in removed if path not in sources and not new.isdisjoint(pathutil.finddirs(path))}
    for_git = repo.ui.configbool(b'trunkline', b'for-git')
    replaced = {path for path in modified if for_git and is_replaced(path)}

    yield from differences([], [], sorted(below_new), {})
    others = differences(
        [path for path in modified if path not in replaced],
        added,
        [path for path in removed if path not in below_new],
        copy,
    )
    replacements = (
        difference
        for path in sorted(replaced)
        for after, before in (([], [path]), ([path], []))
        for difference in differences([], after, before, {})
    )
    yield from heapq.merge(others, replacements, key=path_of)


@command(b'trunkline-diff', [(b'', b'base', b'', b''), (b'', b'rev', b'', b''), *cmdutil.diffopts])
def diff(ui, repo, **options):
    before, after = (scmutil.revsingle(repo, options[side]).node() for side in ('base', 'rev'))
    for piece in patch.diff(repo, before, after, opts=patch.diffallopts(ui, pycompat.byteskwargs(options))):
        ui.write(piece)


def extsetup(ui):
    extensions.wrapfunction(patch, 'trydiff', trydiff)
