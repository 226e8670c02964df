# SPDX-License-Identifier: GPL-2.0-or-later
#
# Copyright (C) 2026 Trunkline maintainers
#
# This file runs inside Mercurial and is distributed under its terms: the GNU General Public License, version 2 or any
# later version. The rest of Trunkline is separate from it: it runs this file as a program.
"""Counts what a diff of a changeset would read, before any of it is read.

`hg trunkline-changes --rev REV --parent N --first N --paths-max N --seconds N` prints how many paths differ from the first
or second parent, or from `--base`, the size of the largest content among these paths, from `first` on in the order of paths, and the number of the path at which
the time was up. Of more than `paths-max` paths no size is looked up.
"""

from time import monotonic

from mercurial import copies, registrar, scmutil

cmdtable = {}
command = registrar.command(cmdtable)


def size_of(repo, path, node):
    """Returns the size of a file by the index of its history, which holds it: nothing is unpacked."""
    if node is None:
        return 0
    filelog = repo.file(path)
    return filelog._revlog.rawsize(filelog.rev(node))


def count(one, other):
    # A difference of the numbers of files is a lower bound, and needs no comparison of the files.
    return abs(len(one) - len(other))


@command(
    b'trunkline-changes',
    [
        (b'', b'rev', b'', b''),
        (b'', b'base', b'', b''),
        (b'', b'parent', 1, b''),
        (b'', b'first', 0, b''),
        (b'', b'paths-max', 0, b''),
        (b'', b'seconds', 0, b''),
    ],
)
def changes(ui, repo, **options):
    after = scmutil.revsingle(repo, options['rev'])
    former = after.p2() if options['parent'] == 2 else after.p1()
    before = scmutil.revsingle(repo, options['base']) if options['base'] else former
    manifest, former = after.manifest(), before.manifest()
    paths = count(manifest, former)
    largest, reached = 0, 0
    if paths <= options['paths_max']:
        changed = former.diff(manifest)
        paths = len(changed)
    if paths <= options['paths_max']:
        sources = copies.pathcopies(before, after)
        until = monotonic() + options['seconds']
        ordered = sorted(changed)
        for reached in range(options['first'], len(ordered)):
            path = ordered[reached]
            (old, _old_flags), (new, _new_flags) = changed[path]
            sizes = [size_of(repo, path, old), size_of(repo, path, new)]
            # The content of a file that was copied or renamed is compared with that of its source.
            source = sources.get(path)
            if source is not None and source in former:
                sizes.append(size_of(repo, source, former[source]))
            largest = max(largest, *sizes)
            if monotonic() >= until:
                break
        reached += 1
    ui.write(b'%d %d %d\n' % (paths, largest, reached))
