import { addressAllowed } from '@trunkline/runtime';

/** Whether a form would leave a list of networks that does not contain the address. */
export function wouldLockOutCaller(form: URLSearchParams, networks: readonly string[], address: string): boolean {
  const [removed, added] = [form.get('del_ip_id'), form.get('new_ip')?.trim()];
  const left = networks.filter((network) => network !== removed);
  return !addressAllowed(address, added && removed === null ? [...left, added] : left);
}
