"""Dulwich as a client: clone URL PATH [DEPTH], fetch URL PATH, push URL PATH CHANGE..."""

import io
import sys

import dulwich
from dulwich import porcelain
from dulwich.repo import Repo


def clone(url, path, depth=None):
    try:
        porcelain.clone(url, path, depth=depth and int(depth), errstream=io.BytesIO()).close()
    except ValueError as error:
        # Releases such as 0.22 clone no empty repositories.
        if 'neither origin_head nor branch' not in str(error):
            raise
        porcelain.init(path).close()


def fetch(url, path):
    with Repo(path) as repo:
        config = repo.get_config()
        config.set((b'remote', b'origin'), b'url', url.encode())
        config.set((b'remote', b'origin'), b'fetch', b'+refs/heads/*:refs/remotes/origin/*')
        config.write_to_path()
    porcelain.fetch(path, 'origin', outstream=io.StringIO(), errstream=io.BytesIO())


def push(url, path, *changes):
    refspecs = [change.encode() for change in changes]
    porcelain.push(path, url, refspecs, outstream=io.BytesIO(), errstream=io.BytesIO())


if sys.argv[1] == '--version':
    print('.'.join(map(str, dulwich.__version__)))
else:
    {'clone': clone, 'fetch': fetch, 'push': push}[sys.argv[1]](*sys.argv[2:])
