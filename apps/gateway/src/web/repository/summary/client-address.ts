import type { Visit } from '../../visit.ts';
import type { RepositoryHead } from '../head/repository-head.ts';
import type { ClientAddress } from './client-commands.ts';

/** The parts of a visit that decide on the address. */
export type AddressedVisit = Pick<Visit, 'baseUrl' | 'visitor'>;

/** Returns the address for a client of the visitor. */
export function clientAddressOf({ baseUrl, visitor }: AddressedVisit, repository: RepositoryHead): ClientAddress {
  const { repo_type: type, repo_name: name } = repository;
  return { type, name, baseUrl, username: visitor.session?.username ?? null };
}
