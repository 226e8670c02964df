import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from './run.mjs';
import { SetupError } from './setup-error.mjs';

/** Returns the directories of the projects that are compiled. */
export function projectsOf(root) {
  const { references } = JSON.parse(readFileSync(join(root, 'tsconfig.json'), 'utf8'));
  return references.map(({ path }) => join(root, path));
}

function sourcesOf(project) {
  const names = readdirSync(join(project, 'src'), { recursive: true }).filter((name) =>
    /(?<!\.test)\.tsx?$/.test(name),
  );
  return ['tsconfig.json', 'package.json', ...names.map((name) => join('src', name))];
}

/** Returns a hash of the names, times and sizes of all files from which tsc builds; it takes some milliseconds. */
function stampOf(root) {
  const shared = ['tsconfig.json', 'tsconfig.base.json', 'pnpm-lock.yaml'].map((name) => join(root, name));
  const sources = projectsOf(root).flatMap((project) => sourcesOf(project).map((name) => join(project, name)));
  const hash = createHash('sha256');
  for (const file of [...shared, ...sources]) {
    const { mtimeMs, size } = statSync(file);
    hash.update(`${file} ${mtimeMs} ${size}\n`);
  }
  return hash.digest('hex');
}

function stampFile(root) {
  return join(root, '.bootstrap', 'build');
}

export function buildIsFresh(root) {
  const built = projectsOf(root).every((project) => existsSync(join(project, 'dist', '.tsbuildinfo')));
  const file = stampFile(root);
  return built && existsSync(file) && readFileSync(file, 'utf8') === stampOf(root);
}

export async function build(root, say) {
  say('Building');
  // Taken before the build, so that a file changed during the build is built the next time.
  const stamp = stampOf(root);
  const { ok, output } = await run(join(root, 'node_modules', '.bin', 'tsc'), ['-b'], { cwd: root });
  if (!ok) throw new SetupError(`${output.trim()}\nThe build has failed.`);
  mkdirSync(join(root, '.bootstrap'), { recursive: true });
  writeFileSync(stampFile(root), stamp);
}
