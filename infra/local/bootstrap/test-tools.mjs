import { join } from 'node:path';
import { findClientPrograms } from './client-programs.mjs';
import { debianPackages } from './debian-packages.mjs';
import { findProgram } from './tools.mjs';
import { SetupError } from './run.mjs';
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
];
const archiveTools = [['TRUNKLINE_TEST_UNZIP', ['unzip'], ['unzip']]];

// Tests never run sshd as root: for root they use a fake user (nss_wrapper), which the system's sshd would not know.
const isRoot = process.getuid?.() === 0;
const sshTools = [
  ['TRUNKLINE_TEST_SSHD', ['sshd'], ['openssh-server', 'libnss-wrapper']],
  ['TRUNKLINE_TEST_SSH', ['ssh'], ['openssh-client']],
];

const proxyTools = [
  ['TRUNKLINE_TEST_NGINX', ['nginx'], ['nginx']],
  ['TRUNKLINE_TEST_HAPROXY', ['haproxy'], ['haproxy']],
];

// bash is on every Debian system, and elsewhere its tests are left out.
const shellTools = [
  ['TRUNKLINE_TEST_ZSH', ['zsh'], ['zsh']],
  ['TRUNKLINE_TEST_FISH', ['fish'], ['fish']],
];
const manifestTools = [['TRUNKLINE_TEST_KUBECTL', ['kubectl'], ['kubernetes-client']]];
const unitTools = [['TRUNKLINE_TEST_SYSTEMD_ANALYZE', ['systemd-analyze'], ['systemd']]];

const watchTools = [
  ['TRUNKLINE_TEST_PROMETHEUS', ['prometheus'], ['prometheus']],
  ['TRUNKLINE_TEST_PROMTOOL', ['promtool'], ['prometheus']],
];
const hourTools = [['TRUNKLINE_TEST_CURL', ['curl'], ['curl']]];

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
  const packages = [...new Set(missing.flatMap(([, , names]) => names))];
  const tree = await debianPackages(packages, addCommands, env, say);
  for (const [variable, [name]] of missing) variables[variable] = join(tree, 'commands', name);
  return variables;
}

/** Finds or fetches tools that only a few tests need: a failure leaves out these tests, not all. */
async function findForFew(tools, what, env, say, options) {
  try {
    return await findOrFetch(tools, env, say, options);
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    say(`${error.message} Tests with ${what} are left out.`);
    return {};
  }
}

/** Returns the programs of which all are fetched that are missing, as far as this run of vitest needs them. */
export function neededTools(run) {
  const forPages = runsAny(run, { project: 'web', directory: 'tests/web' });
  const forArchives = runsAny(run, { project: 'security', directory: 'tests/security', name: /^archives/ });
  return [...(forPages ? pageTools : []), ...(forPages || forArchives ? archiveTools : [])];
}

/**
 * Finds or fetches the programs that only tests need, as far as the run of vitest has tests that need them: `run` has its
 * arguments, its tier and the root of the tree.
 * Returns the environment variables that hold their paths.
 */
export async function findTestTools(run, env, say) {
  const forSsh = runsAny(run, { project: 'tools', directory: 'apps/vcs-worker/src/vcs/egress', name: /ssh/ });
  const inWire = (name) => runsAny(run, { project: 'wire', directory: 'tests/wire', name });
  const forProxies = inWire(/proxies|anonymous-viewing/);
  const forShells = runsAny(run, { project: 'tools', directory: 'apps/service-api/src/completion' });
  const inInfra = (name) => runsAny(run, { project: 'infra', directory: 'tests/infra', name });
  const forBalancer = runsAny(run, { project: 'cluster', directory: 'tests/cluster', name: /^balanced/ });
  const forClients = inWire(/matrix|anonymous-viewing/);
  const forWatching = runsAny(run, { project: 'cluster', directory: 'tests/cluster', name: /prometheus/ });
  const ignored = isRoot ? ['sshd'] : [];
  return {
    ...(await findOrFetch(neededTools(run), env, say)),
    ...(forSsh ? await findForFew(sshTools, 'an ssh server', env, say, { ignored }) : {}),
    ...(forShells ? await findForFew(shellTools, 'zsh and fish', env, say) : {}),
    ...(inInfra(/first-hour/) ? await findForFew(hourTools, 'the first hour', env, say) : {}),
    ...(forProxies || forBalancer || inInfra(/first-hour/) ? await findForFew(proxyTools, 'proxies', env, say) : {}),
    // Not the kubectl of the machine: manifests are to be rendered by an old one, too.
    ...(inInfra(/kubernetes/)
      ? await findForFew(manifestTools, 'manifests of Kubernetes', env, say, { ignored: ['kubectl'] })
      : {}),
    ...(inInfra(/units/) ? await findForFew(unitTools, 'units of systemd', env, say) : {}),
    ...(forWatching ? await findForFew(watchTools, 'Prometheus', env, say) : {}),
    ...(forClients && env.TRUNKLINE_TEST_CLIENTS === 'all' ? await findClientPrograms(env, say) : {}),
  };
}
