import * as fs from 'node:fs';
import * as git from 'isomorphic-git';
import http from 'isomorphic-git/http/node';
import type { GitClient } from './git-client.ts';

/** The client takes a login from a function, and not from the URL. */
function withLogin(address: string) {
  const url = new URL(address);
  const [username, password] = [decodeURIComponent(url.username), decodeURIComponent(url.password)];
  url.username = '';
  url.password = '';
  return { url: url.href, onAuth: () => ({ username, password }) };
}

const cache = {};

/** isomorphic-git, which pushes one reference at a time. */
export const isomorphicClient: GitClient = {
  name: 'isomorphic-git',
  depths: [1],
  pushesMany: false,
  async clone(address, dir, depth) {
    await git.clone({ fs, http, dir, ...withLogin(address), ...(depth !== undefined && { depth }) });
  },
  async fetch(address, dir) {
    await git.fetch({ fs, http, dir, remote: 'origin', tags: true, ...withLogin(address) });
  },
  async push(address, dir, changes) {
    for (const change of changes) {
      const [from = '', to = ''] = change.replace('+', '').split(':');
      const names = from === '' ? { ref: to, delete: true } : { ref: from, remoteRef: to };
      await git.push({ fs, http, dir, cache, force: change.startsWith('+'), ...names, ...withLogin(address) });
    }
  },
};
