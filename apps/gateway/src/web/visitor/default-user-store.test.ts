import { UnavailableError } from '@trunkline/contracts';
import { openDatabase } from '@trunkline/db';
import { expect, it, onTestFinished } from 'vitest';
import { defaultUserIdReader } from './default-user-store.ts';

it('E12 without the database, nobody can be told whether anonymous visitors may read', async () => {
  // Nothing listens on this port.
  const { db, close } = openDatabase('postgres://127.0.0.1:1/none', { connectionsMax: 1, name: 'test' });
  onTestFinished(close);
  await expect(defaultUserIdReader(db)()).rejects.toThrow(UnavailableError);
});
