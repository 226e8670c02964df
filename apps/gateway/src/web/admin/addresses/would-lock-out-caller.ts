import { addressAllowed } from '@trunkline/runtime';

/**
 * Returns whether the networks that a form would leave exclude the address; an empty list excludes none. Networks of
 * other lists, such as those of the caller's own account, are not considered.
 */
export function wouldLockOutCaller(form: URLSearchParams, networks: readonly string[], address: string): boolean {
  const [removed, added] = [form.get('del_ip_id'), form.get('new_ip')?.trim()];
  const remaining = networks.filter((network) => network !== removed);
  return !addressAllowed(address, added && removed === null ? [...remaining, added] : remaining);
}
