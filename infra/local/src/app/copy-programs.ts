import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  symlinkSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';
import * as v from 'valibot';

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
