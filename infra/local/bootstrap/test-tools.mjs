import { join } from 'node:path';
import { debianPackages } from './debian-packages.mjs';
import { findProgram } from './find-program.mjs';
import { SetupError } from './setup-error.mjs';
import { runsAny } from './tests-to-run.mjs';
import { addCommands } from './unpacked-tools.mjs';

// Variable, the names a program goes by, and Debian's packages of it: a browser needs letters to draw, too.
const pageTools = [
  [
    'TRUNKLINE_TEST_CHROMIUM',
    ['chromium', 'google-chrome', 'google-chrome-stable', 'chromium-browser'],
    ['chromium', 'fonts-dejavu-core'],
  ],
  ['TRUNKLINE_TEST_SLAPD', ['slapd'], ['slapd']],
  ['TRUNKLINE_TEST_UNZIP', ['unzip'], ['unzip']],
];

// Tests never run sshd as root: there it gets a user that is made up, which the machine's own would not believe in.
const isRoot = process.getuid?.() === 0;
const sshTools = [
  ['TRUNKLINE_TEST_SSHD', ['sshd'], ['openssh-server', 'libnss-wrapper']],
  ['TRUNKLINE_TEST_SSH', ['ssh'], ['openssh-client']],
];

async function findOrFetch(tools, env, say, { ignored = [] } = {}) {
  const find = (names) =>
    findProgram(
      names.filter((name) => !ignored.includes(name)),
      env,
    );
  const found = tools.map(([variable, names]) => [variable, env[variable] ?? find(names)]);
  const missing = tools.filter((_, index) => !found[index][1]);
  const variables = Object.fromEntries(found);
  if (missing.length === 0) return variables;
  const packages = missing.flatMap(([, , names]) => names);
  const tree = await debianPackages(packages, addCommands, env, say);
  for (const [variable, [name]] of missing) variables[variable] = join(tree, 'commands', name);
  return variables;
}

/** A few tests need these, which is no reason to run none: those are left out where there are none to be had. */
async function findSshTools(env, say) {
  try {
    return await findOrFetch(sshTools, env, say, { ignored: isRoot ? ['sshd'] : [] });
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    say(`${error.message} Tests with an ssh server are left out.`);
    return {};
  }
}

/**
 * Finds the programs that only tests need, or fetches them: those that the tests need which `args` has vitest run.
 * The result are the variables that tell the tests where they are.
 */
export async function findTestTools(args, root, env, say) {
  const forPages = runsAny(args, root, { project: 'web', directory: 'tests/web' });
  const forSsh = runsAny(args, root, { project: 'tools', directory: 'apps/vcs-worker/src/vcs/egress', name: /ssh/ });
  return {
    ...(forPages ? await findOrFetch(pageTools, env, say) : {}),
    ...(forSsh ? await findSshTools(env, say) : {}),
  };
}
