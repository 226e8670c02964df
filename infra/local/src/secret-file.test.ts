import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { keptSecret } from './secret-file.ts';

it('keeps one secret that only its owner can read', () => {
  const dir = mkdtempSync(join(tmpdir(), 'trunkline-secret-'));
  try {
    const path = join(dir, 'secret');
    const made = keptSecret(path);
    expect(made).toMatch(/^[0-9a-f]{64}$/);
    expect(keptSecret(path)).toBe(made);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(dir)).toEqual(['secret']);
    expect(keptSecret(join(dir, 'other'))).not.toBe(made);
  } finally {
    rmSync(dir, { recursive: true });
  }
});
