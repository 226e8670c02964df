import {
  copyFileSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';
import { execFileSync } from 'node:child_process';
import * as v from 'valibot';
import { findClosedDir } from '../data-dir.ts';
import type { SystemUser } from '../process/system-users.ts';

const names = v.optional(v.record(v.string(), v.string()), {});
const packageSchema = v.object({
  dependencies: names,
  optionalDependencies: names,
  peerDependencies: names,
  peerDependenciesMeta: v.optional(v.record(v.string(), v.object({ optional: v.optional(v.boolean()) })), {}),
});

/** Directories of a package that its programs do not read, or that come with the packages in them. */
const leftOut = new Set(['node_modules', 'src']);
/** Files for compilers and people. */
const unread = /\.(?:map|md|d\.[cm]?ts)$/;

interface Dependencies {
  readonly needed: readonly string[];
  /** What the package uses if another one has brought it. */
  readonly optional: readonly string[];
}

function dependenciesOf(path: string): Dependencies {
  const found = v.parse(packageSchema, JSON.parse(readFileSync(join(path, 'package.json'), 'utf8')));
  const optional = Object.keys(found.peerDependencies).filter((name) => found.peerDependenciesMeta[name]?.optional);
  const all = Object.keys({ ...found.peerDependencies, ...found.optionalDependencies, ...found.dependencies });
  return { needed: all.filter((name) => !optional.includes(name)), optional };
}

/** Returns where a package finds one that it depends on: a directory, or a link to one; undefined when it is not there. */
function findDependency(path: string, name: string): string | undefined {
  const dirs = createRequire(join(path, 'package.json')).resolve.paths(name) ?? [];
  return dirs.map((dir) => join(dir, name)).find((found) => existsSync(found));
}

/** Copies packages of a checkout with all that they depend on to the same paths below `target`, without their sources. */
export function copyPrograms(checkout: string, packages: readonly string[], target: string): void {
  const root = realpathSync(checkout);
  const copied = new Set<string>();
  const optional: string[] = [];
  const targetOf = (path: string) => join(target, relative(root, path));
  const copyLink = (path: string) => {
    if (!lstatSync(path).isSymbolicLink() || existsSync(targetOf(path))) return;
    mkdirSync(dirname(targetOf(path)), { recursive: true });
    symlinkSync(readlinkSync(path), targetOf(path));
  };
  const copyPackage = (path: string) => {
    if (copied.has(path)) return;
    copied.add(path);
    // Sources are left out of the checkout's own packages alone: published ones may run from `src`.
    const own = !path.includes('/node_modules/');
    const isLeftOut = (name: string) => (own ? leftOut.has(name) : name === 'node_modules');
    const isWanted = (from: string) => !unread.test(from) && (dirname(from) !== path || !isLeftOut(basename(from)));
    cpSync(path, targetOf(path), { recursive: true, verbatimSymlinks: true, filter: isWanted });
    const dependencies = dependenciesOf(path);
    optional.push(...dependencies.optional.flatMap((name) => findDependency(path, name) ?? []));
    for (const found of dependencies.needed.flatMap((name) => findDependency(path, name) ?? [])) {
      copyPackage(realpathSync(found));
      copyLink(found);
    }
  };
  for (const name of packages) copyPackage(join(root, name));
  for (const path of optional) if (copied.has(realpathSync(path))) copyLink(path);
}

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
