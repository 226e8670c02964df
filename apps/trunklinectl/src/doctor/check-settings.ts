import type { DoctorSettings } from '../config.ts';
import { findingsOf, type Finding } from './finding.ts';

const { ok, failure } = findingsOf('settings');

/** Names every variable that is missing or wrong, without its value. */
export function checkSettings({ problems }: DoctorSettings): readonly Finding[] {
  if (problems.length === 0) return [ok('The settings can be used.')];
  return problems.map((problem) =>
    failure(
      `${problem}.`,
      'Correct the variable in the environment of this process (docs/running/settings.md lists all).',
    ),
  );
}
