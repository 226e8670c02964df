import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SetupError } from './run.mjs';

const ownRoot = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..');

/** What runs: by package, the files of its `dist` and the modules that each of them begins with. */
export const programs = {
  'apps/gateway': { main: 'src/main.ts', 'render-thread': 'src/web/render/thread-main.ts' },
  'apps/vcs-worker': {
    main: 'src/main.ts',
    migrate: 'src/migrate.ts',
    spawner: 'src/vcs/process/spawner/main.ts',
    'connect-command': 'src/vcs/egress/connect-command.ts',
  },
  'apps/service-api': { main: 'src/main.ts' },
  'apps/trunklinectl': { main: 'src/main.ts' },
  'packages/runtime': { 'password-thread': 'src/password-thread.ts' },
  'infra/local': { start: 'src/start.ts' },
};

/** Directories of all packages with sources: those of the programs, and of the libraries that are built into them. */
export const packageDirs = [...Object.keys(programs), 'packages/contracts', 'packages/db'];

/** Packages with files beside their modules, which are loaded from where they are installed. */
const external = ['@node-rs/argon2', 'sql.js'];

/** Packages that are no modules get what these have. */
export const requireOfModule = `import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);`;

function sourcesOf(project) {
  const names = readdirSync(join(project, 'src'), { recursive: true }).filter((name) =>
    /(?<!\.test)\.tsx?$/.test(name),
  );
  return ['package.json', ...names.map((name) => join('src', name))];
}

/** Returns a hash of the names, times and sizes of all files from which programs are built; it takes some milliseconds. */
function stampOf(root) {
  const shared = ['tsconfig.json', 'pnpm-lock.yaml', relative(ownRoot, fileURLToPath(import.meta.url))];
  const sources = packageDirs.flatMap((dir) => sourcesOf(join(root, dir)).map((name) => join(dir, name)));
  const hash = createHash('sha256');
  for (const file of [...shared, ...sources]) {
    const { mtimeMs, size } = statSync(join(root, file));
    hash.update(`${file} ${mtimeMs} ${size}\n`);
  }
  return hash.digest('hex');
}

const stampFile = (root) => join(root, '.bootstrap', 'build');

export function buildIsFresh(root) {
  const built = Object.entries(programs).every(([dir, entries]) =>
    Object.keys(entries).every((name) => existsSync(join(root, dir, 'dist', `${name}.js`))),
  );
  const file = stampFile(root);
  return built && existsSync(file) && readFileSync(file, 'utf8') === stampOf(root);
}

/** Builds the files of one package; what they load only at times, and what they share, are files beside them. */
async function buildPackage(esbuild, root, dir) {
  const entryPoints = Object.entries(programs[dir]).map(([out, path]) => ({ out, in: join(dir, path) }));
  const { metafile } = await esbuild.build({
    absWorkingDir: root,
    entryPoints,
    outdir: join(dir, 'dist'),
    bundle: true,
    splitting: true,
    // All files are in one directory: modules find others beside them, whichever file they are built into.
    chunkNames: '[name]-[hash]',
    platform: 'node',
    format: 'esm',
    target: 'node20',
    external,
    banner: { js: requireOfModule },
    keepNames: true,
    sourcemap: true,
    sourcesContent: false,
    metafile: true,
    logLevel: 'silent',
  });
  const built = new Set(Object.keys(metafile.outputs).map((path) => resolve(root, path)));
  const dist = join(root, dir, 'dist');
  for (const name of readdirSync(dist)) if (!built.has(join(dist, name))) rmSync(join(dist, name), { recursive: true });
}

/** Builds all programs from their sources, whose types `pnpm check` checks. */
export async function build(root) {
  // Taken before the build, so that a file changed during the build is built the next time.
  const stamp = stampOf(root);
  const esbuild = await import('esbuild');
  try {
    // One after the other: side by side they take no less processor time, and more than twice the memory.
    for (const dir of Object.keys(programs)) await buildPackage(esbuild, root, dir);
  } catch (error) {
    const texts = (error.errors ?? []).map(({ text, location }) => `${location?.file}:${location?.line}: ${text}`);
    throw new SetupError(`${texts.join('\n') || error.message}\nThe build has failed.`);
  } finally {
    // Its process would stay as long as this one, which is the supervisor after `npm start`.
    await esbuild.stop();
  }
  mkdirSync(join(root, '.bootstrap'), { recursive: true });
  writeFileSync(stampFile(root), stamp);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await build(ownRoot);
