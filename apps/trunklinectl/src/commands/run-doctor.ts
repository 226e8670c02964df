import { Option } from 'commander';
import type { AddCommand, Context, Outcome } from '../command.ts';
import { readDoctorSettings } from '../config.ts';
import { checkNames, diagnose, type CheckName } from '../doctor/diagnose.ts';
import { type Finding, thisMachine } from '../doctor/check.ts';
import { formatRows } from '../printable.ts';

const signs: Readonly<Record<Finding['level'], string>> = { ok: 'ok', warning: 'WARNING', failure: 'FAILURE' };

function format(findings: readonly Finding[]): string {
  const rows = findings.flatMap(({ check, level, what, todo }) => [
    [signs[level], check, what],
    ...(todo === null ? [] : [['', '', `-> ${todo}`]]),
  ]);
  const failures = findings.filter(({ level }) => level === 'failure').length;
  const warnings = findings.filter(({ level }) => level === 'warning').length;
  return `${formatRows(rows)}\n\n${failures} failures, ${warnings} warnings`;
}

async function act({ environment }: Context, { only }: { readonly only?: readonly CheckName[] }): Promise<Outcome> {
  const findings = await diagnose(only ?? checkNames, readDoctorSettings(environment), thisMachine);
  const isFailure = findings.some(({ level }) => level === 'failure');
  return { text: format(findings), record: { findings }, isFailure };
}

export const runDoctor: AddCommand = (program, choose) => {
  program
    .command('doctor')
    .description(
      'check settings, programs, machine, database, bus, LDAP server, storages and processes, and say what to do',
    )
    .addOption(new Option('--only <CHECK...>', 'run these checks alone').choices(checkNames))
    .action((options: { readonly only?: readonly CheckName[] }) => choose((context) => act(context, options)));
};
