import { toProgress, type ParseProgress } from '../progress.ts';

const units: Readonly<Record<string, string>> = {
  'Receiving objects': 'objects',
  'Resolving deltas': 'deltas',
};

const line = /^(Receiving objects|Resolving deltas): {1,3}\d{1,3}% \((\d{1,15})\/(\d{1,15})\)/;

/** Of `git fetch --progress`. What the remote says stands behind `remote: ` and is none of it. */
export const parseGitProgress: ParseProgress = (text) => {
  const [, phase = '', done = '', total] = line.exec(text) ?? [];
  return phase === '' ? null : toProgress(phase.toLowerCase(), units[phase] ?? '', done, total);
};
