import { join } from 'node:path';
import { debianPackages } from './debian-packages.mjs';
import { findProgram } from './find-program.mjs';
import { addCommands } from './unpacked-tools.mjs';

// Variable, the names a program goes by, and Debian's packages of it: a browser needs letters to draw, too.
const tools = [
  [
    'TRUNKLINE_TEST_CHROMIUM',
    ['chromium', 'google-chrome', 'google-chrome-stable', 'chromium-browser'],
    ['chromium', 'fonts-dejavu-core'],
  ],
  ['TRUNKLINE_TEST_SLAPD', ['slapd'], ['slapd']],
  ['TRUNKLINE_TEST_UNZIP', ['unzip'], ['unzip']],
];

const projectsWithout = new Set(['unit', 'tools', 'bench']);

/** Whether tests run that need more than the service does, judged by the words for vitest. */
export function needTestTools(args) {
  const projects = [...args.join(' ').matchAll(/--project[= ](\S+)/g)].map(([, name]) => name);
  return projects.length === 0 || projects.some((name) => !projectsWithout.has(name));
}

/**
 * Finds chromium, slapd and unzip, or fetches them. The answer are the variables that tell the tests where they are.
 */
export async function findTestTools(env, say) {
  const found = tools.map(([variable, names]) => [variable, env[variable] ?? findProgram(names, env)]);
  const missing = tools.filter((_, index) => !found[index][1]);
  const variables = Object.fromEntries(found);
  if (missing.length === 0) return variables;
  const packages = missing.flatMap(([, , names]) => names);
  const tree = await debianPackages(packages, addCommands, env, say);
  for (const [variable, [name]] of missing) variables[variable] = join(tree, 'commands', name);
  return variables;
}
