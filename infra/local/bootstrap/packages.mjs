import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageDirs } from './build.mjs';
import { failureLine, run, SetupError, withProgress } from './run.mjs';

// Variables in which npm describes itself to its scripts; settings of the user (npm_config_registry, ...) are kept.
const npmInternalVariables =
  /^(npm_(lifecycle|package|command|execpath|node_execpath)|npm_config_(user_agent|node_gyp|init_module)|INIT_CWD)/;
const npmPrefixVariables = /^npm_config_(local_prefix|global_prefix|prefix|globalconfig)$/;

function cleanEnvironment(env) {
  const kept = Object.entries(env).filter(
    ([name]) => !npmInternalVariables.test(name) && !npmPrefixVariables.test(name),
  );
  return { ...Object.fromEntries(kept), CI: '1' };
}

function stampFile(root) {
  return join(root, 'node_modules', '.trunkline-packages');
}

function stampOf(root) {
  const hash = createHash('sha256').update(`${process.version} ${process.platform} ${process.arch}`);
  for (const name of ['pnpm-lock.yaml', 'pnpm-workspace.yaml']) hash.update(readFileSync(join(root, name)));
  return hash.digest('hex');
}

/** Returns whether the packages in every node_modules are those of the lock file, installed for this Node. */
export function packagesAreFresh(root) {
  const file = stampFile(root);
  const linked = packageDirs.every((dir) => existsSync(join(root, dir, 'node_modules')));
  return linked && existsSync(file) && readFileSync(file, 'utf8') === stampOf(root);
}

export async function installPackages(root, env, say) {
  const { pnpmVersion } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  say(`Installing packages with pnpm ${pnpmVersion}`);
  rmSync(stampFile(root), { force: true });
  let step = '';
  const options = {
    cwd: root,
    env: cleanEnvironment(env),
    onOutput: (output) => (step = output.match(/Progress: .*/g)?.at(-1) ?? ''),
  };
  const { ok, output } = await withProgress(
    'Installing packages',
    say,
    (seconds) => `Installing packages for ${seconds} s. ${step}`.trim(),
    () => run('npx', ['-y', `pnpm@${pnpmVersion}`, 'install', '--frozen-lockfile'], options),
  );
  if (!ok) {
    const log = join(root, '.bootstrap', 'packages.log');
    mkdirSync(join(root, '.bootstrap'), { recursive: true });
    writeFileSync(log, output);
    const line = failureLine(output, /ERR_|ERR!|ENOTFOUND|EAI_AGAIN|ENOENT/);
    throw new SetupError(`The packages cannot be installed: ${line} (log: ${log})`);
  }
  writeFileSync(stampFile(root), stampOf(root));
}
