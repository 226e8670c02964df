import { describe, expect, it } from 'vitest';
import { isBelowFloor } from './server-floor.ts';

describe('isBelowFloor', () => {
  it.each(['2.9.10', '1.4.1', '2.10.29', '2.11.11', '2.12.0', '2.12.2', '2.12.2-RC.1', 'v2.11.0'])(
    '%s is older than what is needed',
    (version) => expect(isBelowFloor(version)).toBe(true),
  );

  it.each(['2.11.12', '2.11.20', '2.12.3', '2.12.10', '2.13.0', '3.0.0', '2.100.0', '', 'main'])(
    '%s is not',
    (version) => expect(isBelowFloor(version)).toBe(false),
  );
});
