import { expect, it } from 'vitest';
import { landingRevision } from './repository-head.ts';

it.each([
  ['tip', 'tip'],
  ['rev:tip', 'tip'],
  ['branch:feature/x', 'feature/x'],
  ['rev:', 'tip'],
  ['', 'tip'],
])('reads %j as the revision %s', (landingRev, revision) => {
  expect(landingRevision(landingRev)).toBe(revision);
});
