import { toOneLine } from '@trunkline/runtime';
import { withTimeout } from '@trunkline/runtime/concurrency';
import type { DoctorSettings } from '../config.ts';
import { type Finding, findingsOf, type Machine } from './check.ts';
import { checkBus } from './check-bus.ts';
import { checkCertificates } from './check-certificates.ts';
import { checkDatabase } from './check-database.ts';
import { checkLdap } from './check-ldap.ts';
import { checkMachine } from './check-machine.ts';
import { checkNetwork } from './check-network.ts';
import { checkProcesses } from './check-processes.ts';
import { checkPrograms } from './check-programs.ts';
import { checkStorages } from './check-storages.ts';

const { ok, failure } = findingsOf('settings');

/** Names every variable that is missing or wrong, without its value. */
function checkSettings({ problems }: DoctorSettings): readonly Finding[] {
  if (problems.length === 0) return [ok('The settings can be used.')];
  return problems.map((problem) =>
    failure(
      `${problem}.`,
      'Correct the variable in the environment of this process (docs/running/settings.md lists all).',
    ),
  );
}

const checkMsMax = 60_000;

type Check = (settings: DoctorSettings, machine: Machine) => readonly Finding[] | Promise<readonly Finding[]>;

const checks = {
  settings: checkSettings,
  machine: checkMachine,
  programs: checkPrograms,
  network: checkNetwork,
  certificates: checkCertificates,
  database: checkDatabase,
  bus: checkBus,
  ldap: checkLdap,
  storages: checkStorages,
  processes: checkProcesses,
} as const satisfies Record<string, Check>;

export type CheckName = keyof typeof checks;

export const checkNames = Object.keys(checks) as readonly CheckName[];

/** Runs one group of checks, for a minute at most: a disk or a server that hangs keeps no other group from being run. */
async function runCheck(name: CheckName, settings: DoctorSettings, machine: Machine): Promise<readonly Finding[]> {
  const { failure } = findingsOf(name);
  const todo = 'Look at the server or the disk that this is about.';
  const check: Check = checks[name];
  try {
    return await withTimeout(Promise.resolve(check(settings, machine)), checkMsMax, () => [
      failure(`The checks of ${name} have not ended within a minute.`, todo),
    ]);
  } catch (error) {
    return [failure(`The checks of ${name} have failed: ${toOneLine(error)}.`, todo)];
  }
}

/** Runs the groups of checks one after the other. */
export async function diagnose(
  names: readonly CheckName[],
  settings: DoctorSettings,
  machine: Machine,
): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const name of names) findings.push(...(await runCheck(name, settings, machine)));
  return findings;
}
