import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { DoctorSettings } from '../config.ts';
import { findingsOf, type Finding } from './check.ts';

const { ok, warning, failure } = findingsOf('programs');

const runMsMax = 10_000;

interface Program {
  readonly name: string;
  readonly variable: 'TRUNKLINE_GIT_COMMAND' | 'TRUNKLINE_HG_COMMAND' | 'TRUNKLINE_BZIP2_COMMAND';
  /** Arguments with which the program prints its version. */
  readonly args: readonly string[];
  /** The oldest version that was tested; null where any will do. */
  readonly versionMin: readonly [number, number] | null;
  /** Whether a worker cannot do without it. */
  readonly isNeeded: boolean;
}

const programs: readonly Program[] = [
  {
    name: 'git',
    variable: 'TRUNKLINE_GIT_COMMAND',
    args: ['--version'],
    versionMin: [2, 30],
    isNeeded: true,
  },
  {
    name: 'Mercurial',
    variable: 'TRUNKLINE_HG_COMMAND',
    args: ['version', '--template={ver}'],
    versionMin: [5, 6],
    isNeeded: true,
  },
  { name: 'bzip2', variable: 'TRUNKLINE_BZIP2_COMMAND', args: ['--help'], versionMin: null, isNeeded: false },
];

/** Commands are searched for as workers do. */
const environment = { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', HGRCPATH: '' };

async function outputOf([file = '', ...words]: readonly string[]): Promise<string | null> {
  try {
    const { stdout, stderr } = await promisify(execFile)(file, words, { env: environment, timeout: runMsMax });
    return stdout + stderr;
  } catch {
    return null;
  }
}

async function checkProgram({ config }: DoctorSettings, program: Program): Promise<Finding> {
  const { name, variable, args, versionMin, isNeeded } = program;
  const command = config[variable];
  const output = command === undefined ? null : await outputOf([...command, ...args]);
  if (output === null) {
    const todo = `Install ${name}, or set ${variable} to the command that starts it.`;
    const what = `${name} cannot be started by \`${(command ?? []).join(' ')}\`.`;
    return isNeeded ? failure(what, todo) : warning(`${what} Archives of the format .tar.bz2 fail.`, todo);
  }
  if (versionMin === null) return ok(`${name} can be started.`);
  const [version = '?', major = 0, minor = 0] = /(\d{1,5})\.(\d{1,5})[\w.+-]{0,50}/.exec(output) ?? [];
  const isTested = Number(major) > versionMin[0] || (Number(major) === versionMin[0] && Number(minor) >= versionMin[1]);
  if (isTested) return ok(`${name} is ${version}.`);
  return warning(`${name} is ${version}, which was not tested.`, `Install ${name} ${versionMin.join('.')} or newer.`);
}

/** Checks the programs that a worker with storages runs. */
export async function checkPrograms(settings: DoctorSettings): Promise<readonly Finding[]> {
  if (settings.storages.length === 0) return [ok('No storage is set here, so that no git and hg are needed.')];
  return Promise.all(programs.map((program) => checkProgram(settings, program)));
}
