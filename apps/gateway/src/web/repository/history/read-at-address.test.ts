import { UnavailableError } from '@trunkline/contracts';
import { expect, it } from 'vitest';
import type { Visit } from '../../visit.ts';
import type { RepositoryHead } from '../repository-head.ts';
import { RepositoryPageError } from '../repository-page-error.ts';
import { callOfThisRelease } from './read-at-address.tsx';

it('a page that a worker of the former release cannot answer says so below the name of the repository', async () => {
  const visit = { worker: { callNew: async () => null } } as unknown as Visit;
  const asked = callOfThisRelease(visit, { repo_name: 'a' } as RepositoryHead, 'annotate_file', {});
  const error: unknown = await asked.catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(RepositoryPageError);
  expect(error).toMatchObject({ cause: expect.any(UnavailableError) as unknown });
  const { note }: { note: unknown } = error as RepositoryPageError;
  expect(String(note)).toContain('The service is being upgraded');
});
