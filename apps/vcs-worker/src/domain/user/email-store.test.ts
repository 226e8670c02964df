import { expect, it } from 'vitest';
import { gatherEmails } from './email-store.ts';

it('has one entry for each user, with the addresses in their order', () => {
  const row = (id: number, email: string | null, isPrimary: boolean | null) => {
    return { user: { id, email: null, emails: [] }, email, isPrimary };
  };
  const gathered = gatherEmails([
    row(3, 'b@x', false),
    row(3, 'own@x', true),
    row(3, 'a@x', false),
    row(1, null, null),
    row(2, 'only@x', true),
  ]);
  expect(gathered.map(({ user }) => user)).toEqual([
    { id: 3, email: 'own@x', emails: ['b@x', 'a@x'] },
    { id: 1, email: null, emails: [] },
    { id: 2, email: 'only@x', emails: [] },
  ]);
});
