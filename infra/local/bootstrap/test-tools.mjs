import { join } from 'node:path';
import { debianPackages } from './debian-packages.mjs';
import { findProgram } from './find-program.mjs';
import { SetupError } from './setup-error.mjs';
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

const projectsWithoutPages = new Set(['unit', 'tools', 'bench']);

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
 * Finds the programs that only tests need, or fetches them: those of the projects that the words for vitest name.
 * The answer are the variables that tell the tests where they are.
 */
export async function findTestTools(args, env, say) {
  const projects = [...args.join(' ').matchAll(/--project[= ](\S+)/g)].map(([, name]) => name);
  const some = (test) => projects.length === 0 || projects.some(test);
  const forPages = some((name) => !projectsWithoutPages.has(name)) ? await findOrFetch(pageTools, env, say) : {};
  const forSsh = some((name) => !['unit', 'system', 'bench'].includes(name)) ? await findSshTools(env, say) : {};
  return { ...forPages, ...forSsh };
}
