import { describe, vi } from 'vitest';
import { byForm } from '../harness/long-form.ts';
import { driverClient, gitClient } from './matrix/git-client.ts';
import { testGitLogins, testGitProgram } from './matrix/git-program-scenarios.ts';
import { testGitClient } from './matrix/git-scenarios.ts';
import { testHgPulls, testHgPushes } from './matrix/hg-scenarios.ts';
import { isomorphicClient } from './matrix/isomorphic-client.ts';
import { useMatrixCluster } from './matrix/matrix-cluster.ts';
import { drivers, gitPrograms, hgPrograms, type Program } from './matrix/programs.ts';

// Each test runs several clients, beside whatever else the machine does.
vi.setConfig({ testTimeout: byForm(300_000, 900_000) });

const matrix = useMatrixCluster();

/** Other tests of this directory show more of the machine's own programs. */
const atLength = ({ own }: Program) => byForm(!own, true);

describe.each([...gitPrograms.map(gitClient), isomorphicClient, ...drivers.map(driverClient)])('$name', (client) => {
  testGitClient(client, matrix);
});

describe.each(gitPrograms)('$name', (program) => {
  testGitLogins(program, matrix);
});
describe.each(gitPrograms.filter(atLength))('$name', (program) => {
  testGitProgram(program, matrix);
});

describe.each(hgPrograms)('$name', (program) => {
  testHgPulls(program, matrix);
});
describe.each(hgPrograms.filter(atLength))('$name', (program) => {
  testHgPushes(program, matrix);
});
