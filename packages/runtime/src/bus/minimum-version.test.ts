import { describe, expect, it } from 'vitest';
import { isBelowMinimumVersion } from './minimum-version.ts';

describe('isBelowMinimumVersion', () => {
  it.each(['2.9.10', '1.4.1', '2.10.29', '2.11.11', '2.12.0', '2.12.2', '2.12.2-RC.1', 'v2.11.0'])(
    '%s is below the minimum',
    (version) => expect(isBelowMinimumVersion(version)).toBe(true),
  );

  it.each(['2.11.12', '2.11.20', '2.12.3', '2.12.10', '2.13.0', '3.0.0', '2.100.0', '', 'main'])(
    '%s is not below the minimum',
    (version) => expect(isBelowMinimumVersion(version)).toBe(false),
  );
});
