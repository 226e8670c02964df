import { InvalidArgsError } from '@trunkline/contracts';
import { requireSuccess } from '../../form/require-success.ts';
import type { Visit } from '../../visit.ts';

/** Adds or removes the network that a form names. Returns the notice for the next page. */
export async function changeAddresses({ worker, form }: Visit, userid: number | string): Promise<string> {
  const [removed, added] = [form.get('del_ip_id'), form.get('new_ip')?.trim()];
  if (removed !== null) {
    requireSuccess(await worker.call('remove_user_ip', { userid, ip: removed }));
    return `${removed} is removed.`;
  }
  if (!added) throw new InvalidArgsError('Enter an address or a network');
  requireSuccess(await worker.call('add_user_ip', { userid, ip: added }));
  return `${added} is added.`;
}
