import { accessSync, constants, existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { debianPackages } from './debian-packages.mjs';
import { addCommands } from './unpacked-tools.mjs';

const systemBundle = '/etc/ssl/certs/ca-certificates.crt';

function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function find(name, env) {
  const dirs = [...(env.PATH ?? '').split(delimiter).filter(Boolean), '/usr/sbin', '/usr/local/sbin'];
  return dirs.map((dir) => join(dir, name)).find(isExecutable);
}

/**
 * Finds nats-server, hg and git, or fetches them. The answer are the variables that tell the programs where they are;
 * fetched ones are on its PATH, too.
 */
export async function findTools(env, say) {
  const nats = env.TRUNKLINE_NATS_SERVER ?? find('nats-server', env);
  const hg = env.TRUNKLINE_HG_COMMAND ?? find('hg', env);
  const git = env.TRUNKLINE_GIT_COMMAND ?? find('git', env);
  const missing = [
    ...(nats || env.TRUNKLINE_NATS_URL ? [] : ['nats-server']),
    ...(hg ? [] : ['mercurial']),
    ...(git ? [] : ['git']),
  ];
  if ((!hg || !git) && !existsSync(systemBundle)) missing.push('ca-certificates');

  const variables = {
    ...(nats ? { TRUNKLINE_NATS_SERVER: nats } : {}),
    TRUNKLINE_HG_COMMAND: env.TRUNKLINE_HG_COMMAND ?? JSON.stringify([hg]),
    TRUNKLINE_GIT_COMMAND: env.TRUNKLINE_GIT_COMMAND ?? JSON.stringify([git]),
  };
  if (missing.length === 0) return variables;
  const tree = await debianPackages(missing, addCommands, env, say);
  const commands = join(tree, 'commands');
  if (missing.includes('nats-server')) variables.TRUNKLINE_NATS_SERVER = join(tree, 'usr/sbin/nats-server');
  if (!hg) variables.TRUNKLINE_HG_COMMAND = JSON.stringify([join(commands, 'hg')]);
  if (!git) variables.TRUNKLINE_GIT_COMMAND = JSON.stringify([join(commands, 'git')]);
  return { ...variables, PATH: `${commands}${delimiter}${env.PATH ?? ''}` };
}
