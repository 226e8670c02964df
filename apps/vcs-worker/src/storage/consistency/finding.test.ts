import { expect, it } from 'vitest';
import { shownFindings, type Finding } from './finding.ts';

const some = (kind: Finding['kind'], count: number): Finding[] =>
  Array.from({ length: count }, (_, n) => ({ kind, name: String(n), msg: '' }));
const kinds = (findings: readonly Finding[]) => findings.map(({ kind }) => kind);

it('shows all findings up to the limit', () => {
  const findings = [...some('trash_overdue', 2), ...some('audit_mismatch', 1)];
  expect(shownFindings(findings, 3)).toEqual(findings);
});

it('shows some of each kind beyond the limit, in their order', () => {
  const findings = [...some('trash_overdue', 50), ...some('name_misplaced', 1), ...some('audit_mismatch', 50)];
  const shown = shownFindings(findings, 5);
  expect(kinds(shown)).toEqual([
    'trash_overdue',
    'trash_overdue',
    'name_misplaced',
    'audit_mismatch',
    'audit_mismatch',
  ]);
  expect(shown[1]?.name).toBe('1');
});
