import { mkdir, readdir, readFile, realpath, symlink } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import * as v from 'valibot';

const Dependencies = v.optional(v.record(v.string(), v.string()), {});
const Manifest = v.object({ version: v.string(), dependencies: Dependencies, devDependencies: Dependencies });

const own = '@trunkline/';
/** What the compiler needs, beside the packages' own dependencies. */
const compiler = ['typescript', '@types/node'];

async function readManifest(directory: string) {
  return v.parse(Manifest, JSON.parse(await readFile(join(directory, 'package.json'), 'utf8')));
}

/** Returns the real directory of a package that is installed with exactly this version; null for any other. */
async function findInstalled(path: string, version: string): Promise<string | null> {
  try {
    const found = await realpath(path);
    return (await readManifest(found)).version === version ? found : null;
  } catch {
    return null;
  }
}

async function hasSamePatches(installed: string, checkout: string): Promise<boolean> {
  const names = await readdir(join(checkout, 'patches'));
  const texts = (root: string) =>
    Promise.all(names.map((name) => readFile(join(root, 'patches', name), 'utf8').catch(() => null)));
  const [here, there] = await Promise.all([texts(installed), texts(checkout)]);
  return here.every((text, at) => text === there[at]);
}

async function link(from: string, to: string): Promise<void> {
  await mkdir(dirname(from), { recursive: true });
  await symlink(relative(dirname(from), to), from);
}

/**
 * Gives packages of another checkout the modules that are installed in this one. Returns false, and links none, when one
 * of them is missing here, patched differently or of another version.
 */
export async function linkModules(installed: string, checkout: string, packages: readonly string[]): Promise<boolean> {
  const { devDependencies } = await readManifest(checkout);
  const wanted = compiler.map((name) => ['', name, devDependencies[name] ?? ''] as const);
  const all = await Promise.all(
    packages.map(async (path) =>
      Object.entries((await readManifest(join(checkout, path))).dependencies).map(
        ([name, version]) => [path, name, version] as const,
      ),
    ),
  );
  const links = await Promise.all(
    [...wanted, ...all.flat()].map(async ([path, name, version]) => {
      const from = join(checkout, path, 'node_modules', name);
      const to = name.startsWith(own)
        ? join(checkout, 'packages', name.slice(own.length))
        : await findInstalled(join(installed, path, 'node_modules', name), version);
      return { from, to };
    }),
  );
  const found = links.flatMap(({ from, to }) => (to === null ? [] : [[from, to] as const]));
  if (found.length < links.length || !(await hasSamePatches(installed, checkout))) return false;
  await Promise.all(found.map(([from, to]) => link(from, to)));
  return true;
}
