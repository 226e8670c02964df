import { accessSync, constants, existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { debianPackages } from './debian-packages.mjs';
import { addCommands } from './unpacked-tools.mjs';

function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * Returns the path of the first of the programs `names`, in their order, that is on the PATH or in an sbin directory;
 * undefined when none is.
 */
export function findProgram(names, env) {
  const dirs = [...(env.PATH ?? '').split(delimiter).filter(Boolean), '/usr/sbin', '/usr/local/sbin'];
  return names.flatMap((name) => dirs.map((dir) => join(dir, name))).find(isExecutable);
}

const systemBundle = '/etc/ssl/certs/ca-certificates.crt';

// Variable, program and Debian packages of the commands that workers start; docutils runs in Mercurial's Python.
const commands = [
  ['TRUNKLINE_HG_COMMAND', 'hg', 'mercurial python3-docutils'],
  ['TRUNKLINE_GIT_COMMAND', 'git', 'git'],
  ['TRUNKLINE_BZIP2_COMMAND', 'bzip2', 'bzip2'],
];

/**
 * Finds nats-server, hg, git and bzip2, or fetches them, hg with docutils. Returns the environment variables that hold
 * their paths, and a PATH that includes fetched ones.
 */
export async function findTools(env, say) {
  const variables = {};
  const missing = [];
  const nats = env.TRUNKLINE_NATS_SERVER ?? findProgram(['nats-server'], env);
  if (nats) variables.TRUNKLINE_NATS_SERVER = nats;
  else if (!env.TRUNKLINE_NATS_URL) missing.push('nats-server');
  for (const [variable, name, debianNames] of commands) {
    const found = env[variable] ?? findProgram([name], env);
    if (found) variables[variable] = env[variable] ?? JSON.stringify([found]);
    else missing.push(...debianNames.split(' '));
  }
  if ((missing.includes('git') || missing.includes('mercurial')) && !existsSync(systemBundle)) {
    missing.push('ca-certificates');
  }
  if (missing.length === 0) return variables;
  const tree = await debianPackages(missing, addCommands, env, say);
  if (missing.includes('nats-server')) variables.TRUNKLINE_NATS_SERVER = join(tree, 'usr/sbin/nats-server');
  for (const [variable, name] of commands) variables[variable] ??= JSON.stringify([join(tree, 'commands', name)]);
  return { ...variables, PATH: `${join(tree, 'commands')}${delimiter}${env.PATH ?? ''}` };
}
