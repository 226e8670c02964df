import { toProgress, type ParseProgress } from '../progress.ts';

const units: Readonly<Record<string, string>> = {
  'Receiving objects': 'objects',
  'Resolving deltas': 'deltas',
};

const line = /^(Receiving objects|Resolving deltas): {1,3}\d{1,3}% \((\d{1,15})\/(\d{1,15})\)/;

/** Parses a line of `git fetch --progress`; lines that the remote sent begin with `remote: ` and are ignored. */
export const parseGitProgress: ParseProgress = (text) => {
  const [, phase = '', done = '', total] = line.exec(text) ?? [];
  return phase === '' ? null : toProgress(phase.toLowerCase(), units[phase] ?? '', done, total);
};
