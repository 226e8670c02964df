import { join } from 'node:path';
import { debianPackages } from './debian-packages.mjs';
import { findProgram } from './find-program.mjs';
import { SetupError } from './setup-error.mjs';
import { runsAny } from './tests-to-run.mjs';
import { addCommands } from './unpacked-tools.mjs';

// Variable, possible names of the program, and its Debian packages; a browser also needs a font.
const pageTools = [
  [
    'TRUNKLINE_TEST_CHROMIUM',
    ['chromium', 'google-chrome', 'google-chrome-stable', 'chromium-browser'],
    ['chromium', 'fonts-dejavu-core'],
  ],
  ['TRUNKLINE_TEST_SLAPD', ['slapd'], ['slapd']],
  ['TRUNKLINE_TEST_UNZIP', ['unzip'], ['unzip']],
];

// Tests never run sshd as root: for root they use a fake user (nss_wrapper), which the system's sshd would not know.
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

/** Finds or fetches the ssh tools. Only a few tests need them, so a failure leaves out these tests, not all. */
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
 * Finds or fetches the programs that only tests need, as far as vitest, called with `args`, runs tests that need them.
 * Returns the environment variables that hold their paths.
 */
export async function findTestTools(args, root, env, say) {
  const forPages = runsAny(args, root, { project: 'web', directory: 'tests/web' });
  const forSsh = runsAny(args, root, { project: 'tools', directory: 'apps/vcs-worker/src/vcs/egress', name: /ssh/ });
  return {
    ...(forPages ? await findOrFetch(pageTools, env, say) : {}),
    ...(forSsh ? await findSshTools(env, say) : {}),
  };
}
