import { expect, inject } from 'vitest';
import { readDoctorSettings } from '../../apps/trunklinectl/src/config.ts';
import { diagnose, type CheckName } from '../../apps/trunklinectl/src/doctor/diagnose.ts';
import { type Finding, type Machine, thisMachine } from '../../apps/trunklinectl/src/doctor/check.ts';
import './provided.ts';
import { toolCommand } from './tool-command.ts';

const cluster = inject('cluster');
const commands = Object.fromEntries(
  ['git', 'hg', 'bzip2'].map((name) => {
    const variable = `TRUNKLINE_${name.toUpperCase()}_COMMAND`;
    return [variable, JSON.stringify(toolCommand(variable, name))];
  }),
);
export const storages = Object.entries(cluster.storageRoots);

/** The settings of the shared cluster, in which nothing is wrong. */
export const sound: Record<string, string> = {
  TRUNKLINE_DATABASE_URL: cluster.database.workerUrl,
  TRUNKLINE_NATS_URL: cluster.bus.gatewayUrl,
  TRUNKLINE_SECRET: cluster.secret,
  TRUNKLINE_STORAGES: storages.map(([name, root]) => `${name}=${root}`).join(','),
  TRUNKLINE_STORAGE_FREE_BYTES_MIN: '0',
  UV_THREADPOOL_SIZE: '16',
  ...commands,
};

/** Runs one group of checks with something changed; returns what is not as it should be. */
export async function wrongIn(
  check: CheckName,
  env: Readonly<Record<string, string>>,
  machine: Partial<Machine> = {},
): Promise<readonly Finding[]> {
  const findings = await diagnose([check], readDoctorSettings({ ...sound, ...env }), { ...thisMachine, ...machine });
  return findings.filter(({ level }) => level !== 'ok');
}

/** Expects one finding, with what is wrong and something to do. */
export function expectOne(wrong: readonly Finding[], level: Finding['level'], what: string): void {
  expect(wrong).toEqual([
    {
      check: expect.any(String),
      level,
      what: expect.stringContaining(what),
      todo: expect.stringMatching(/^[A-Z].*\.$/),
    },
  ]);
}
