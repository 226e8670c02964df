import { toProgress, type ParseProgress } from '../progress.ts';

/** Mercurial's topic and unit of each step of a fetch or a copy, with Trunkline's phase and unit for the step. */
const steps: Readonly<Record<string, readonly [phase: string, unit: string]>> = {
  'changesets chunks': ['receiving changesets', 'changesets'],
  'manifests chunks': ['receiving manifests', 'manifests'],
  'files files': ['receiving files', 'files'],
  'clone bytes': ['receiving data', 'bytes'],
  'linking files': ['linking files', 'files'],
  'copying files': ['copying files', 'files'],
};

const line = /^([a-z]{1,20}) {1,15}(\d{1,15})(?:\/(\d{1,15}))? ([a-z]{1,20})$/;

/** Options that make a command print its progress to a pipe, too, without names of files, which the remote chooses. */
export const progressOptions = [
  '--config=progress.assume-tty=True',
  '--config=progress.delay=0',
  '--config=progress.changedelay=0',
  '--config=progress.refresh=0.2',
  '--config=progress.width=80',
  '--config=progress.format=topic number unit',
];

/** Parses the progress that commands with `progressOptions` print. */
export const parseHgProgress: ParseProgress = (text) => {
  const [, topic, done = '', total, unit] = line.exec(text) ?? [];
  const step = Object.hasOwn(steps, `${topic} ${unit}`) ? steps[`${topic} ${unit}`] : undefined;
  return step ? toProgress(...step, done, total) : null;
};
