import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { collectionFlag } from '@trunkline/runtime';
import { build, stop, type Plugin } from 'esbuild';

/** Has the directory of the bundles, for the processes that run the tests. */
const bundlesVariable = 'TRUNKLINE_TEST_BUNDLES';
const bundlePath = (directory: string, app: string) => join(directory, `${app}.bundle.cjs`);
const startPath = (directory: string, app: string) => join(directory, `${app}.cjs`);
const runBundle = fileURLToPath(new URL('run-bundle.cjs', import.meta.url));
const builtEntry = (app: string) => fileURLToPath(new URL(`../../apps/${app}/dist/main.js`, import.meta.url));

/** Returns the file that starts an app: that of its bundle, or what was built when there is none, as in benchmarks. */
export function entryOf(app: string): string {
  const directory = process.env[bundlesVariable];
  return directory ? startPath(directory, app) : builtEntry(app);
}

/** Leaves out what has compiled parts, and lets each module find its files where it was built. */
const keepLocations: Plugin = {
  name: 'keep-locations',
  setup({ onLoad, onResolve, resolve }) {
    onResolve({ filter: /^@node-rs\/argon2$/ }, async ({ path, pluginData, ...from }) => {
      if (pluginData === 'external') return undefined;
      const found = await resolve(path, { ...from, pluginData: 'external' });
      return { path: found.path, external: true };
    });
    onLoad({ filter: /\/dist\/.*\.js$/ }, async ({ path }) => {
      const contents = (await readFile(path, 'utf8'))
        .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href))
        // CommonJS has no `await` outside of functions, and nothing comes after this one.
        .replace(/^await (?=runMain\(main\);$)/m, 'void ');
      return { contents };
    });
  },
};

/** Puts the built modules of an app and of its libraries into one file of the directory, and writes one that runs it. */
async function bundleApp(directory: string, app: string): Promise<void> {
  await build({
    entryPoints: [builtEntry(app)],
    outfile: bundlePath(directory, app),
    bundle: true,
    platform: 'node',
    // The form whose compiled code V8 can keep (see `run-bundle.cjs`).
    format: 'cjs',
    target: 'node20',
    // Code that V8 has kept cannot import: the exporter of traces imports `http` when it first sends.
    supported: { 'dynamic-import': false },
    keepNames: true,
    plugins: [keepLocations],
    logLevel: 'error',
  });
  const words = [runBundle, bundlePath(directory, app), collectionFlag].map((word) => JSON.stringify(word));
  await writeFile(startPath(directory, app), `require(${words[0]}).runBundle(${words[1]}, ${words[2]});\n`);
}

/**
 * Makes a file of each app, from which clusters start it: loading its modules one by one takes three quarters of the
 * processor time of a start, and a run of the tests starts hundreds of processes.
 */
export async function bundleApps(directory: string): Promise<void> {
  await Promise.all(['gateway', 'vcs-worker'].map((app) => bundleApp(directory, app)));
  process.env[bundlesVariable] = directory;
  await stop();
}
