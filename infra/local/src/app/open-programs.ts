import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { findClosedDir } from '../data-dir.ts';
import type { SystemUser } from '../process/system-users.ts';
import { copyPrograms } from './copy-programs.ts';

/** Paths of what starts gateways and workers. */
export interface Programs {
  readonly node: string;
  readonly gateway: string;
  readonly worker: string;
}

const apps = ['apps/gateway', 'apps/vcs-worker'];
/** A file of each kind: built by the checkout, and installed. */
const samples = [...apps.map((app) => `${app}/dist/main.js`), 'packages/db/package.json', 'node_modules/.modules.yaml'];

function isReadable(path: string, user: SystemUser): boolean {
  if (!existsSync(path)) return true;
  return (statSync(path).mode & 0o004) !== 0 && findClosedDir(dirname(path), user) === null;
}

function programsIn(checkout: string, node: string): Programs {
  const [gateway = '', worker = ''] = apps.map((app) => join(checkout, app, 'dist', 'main.js'));
  return { node, gateway, worker };
}

/**
 * Returns the programs of a checkout for a user other than that of this process, if any. Where that user cannot read
 * them, as in the home directory of root, they are copied to `copyDir` at each start.
 */
export function openPrograms(checkout: string, copyDir: string, user: SystemUser | null): Programs {
  const node = process.execPath;
  rmSync(copyDir, { recursive: true, force: true });
  const isOpen = user === null || samples.every((path) => isReadable(join(checkout, path), user));
  const isNodeOpen = user === null || isReadable(node, user);
  if (isOpen && isNodeOpen) return programsIn(checkout, node);

  const unfinished = `${copyDir}.new`;
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(unfinished, { recursive: true });
  if (!isOpen) copyPrograms(checkout, apps, unfinished);
  if (!isNodeOpen) copyFileSync(node, join(unfinished, 'node'));
  execFileSync('chmod', ['-R', 'a+rX', unfinished]);
  renameSync(unfinished, copyDir);
  return programsIn(isOpen ? checkout : copyDir, isNodeOpen ? node : join(copyDir, 'node'));
}
