import { readFile, realpath } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import * as v from 'valibot';

const Package = v.object({ version: v.string(), dependencies: v.optional(v.record(v.string(), v.string()), {}) });

const ownPackage = createRequire(import.meta.url).resolve('@trunkline/vcs-worker/package.json');

async function readPackage(path: string) {
  return v.parse(Package, JSON.parse(await readFile(path, 'utf8')));
}

/** Finds the package.json of a package's dependency, even when the dependency does not export it. */
async function findPackage(name: string, from: string): Promise<string> {
  for (const directory of createRequire(from).resolve.paths(name) ?? []) {
    const found = await realpath(join(directory, name, 'package.json')).catch(() => null);
    if (found) return found;
  }
  throw new Error(`${name} is not installed`);
}

async function collect(from: string, found: Map<string, string>): Promise<void> {
  const { dependencies } = await readPackage(from);
  for (const name of Object.keys(dependencies)) {
    const path = await findPackage(name, from);
    if (name.startsWith('@trunkline/')) await collect(path, found);
    else found.set(name, (await readPackage(path)).version);
  }
}

/** Lists the libraries that the worker and its packages import, with their installed versions, by name. */
export async function listLibraries(): Promise<[name: string, version: string][]> {
  const found = new Map<string, string>();
  await collect(ownPackage, found);
  return [...found].toSorted(([one], [other]) => (one < other ? -1 : 1));
}
