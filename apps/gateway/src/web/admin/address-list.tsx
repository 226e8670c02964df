import { InvalidArgsError, type IpRecord } from '@trunkline/contracts';
import { requireSuccess, type Refusal } from '../form/form-route.ts';
import { TextField } from '../form/fields.tsx';
import { CsrfField } from '../layout/page.tsx';
import type { Visit } from '../visit.ts';

type Ranges = IpRecord['user_ips'];

function Range({ range: { ip_addr: network, ip_range: range } }: { range: Ranges[number] }) {
  const [first, last] = range;
  return (
    <span>
      <code>{network}</code>{' '}
      {first !== last && (
        <span class="soft small">
          {first} – {last}
        </span>
      )}
    </span>
  );
}

/** Renders networks as a list without buttons to remove them. */
export function Networks({ ranges }: { ranges: Ranges }) {
  return (
    <ul class="plain rows">
      {ranges.map((range) => (
        <li>
          <Range range={range} />
        </li>
      ))}
    </ul>
  );
}

interface Props {
  readonly visit: Visit;
  readonly action: string;
  readonly ranges: Ranges;
  readonly refusal: Refusal | null;
}

/** Renders the allowed networks of a user, each with a button that removes it, and a form that adds one. */
export function AddressList({ visit: { visitor, form }, action, ranges, refusal }: Props) {
  return (
    <>
      {ranges.length === 0 && <p class="soft">No addresses or networks.</p>}
      <ul class="plain rows">
        {ranges.map((range) => (
          <li class="row">
            <Range range={range} />
            <form method="post" action={action}>
              <CsrfField visitor={visitor} />
              <button class="danger small" name="del_ip_id" value={range.ip_addr}>
                Remove<span class="visually-hidden"> {range.ip_addr}</span>
              </button>
            </form>
          </li>
        ))}
      </ul>
      <h3>Add an address or network</h3>
      <form method="post" action={action} class="stacked">
        <CsrfField visitor={visitor} />
        <TextField
          label="Address or network"
          name="new_ip"
          value={(refusal && form.get('new_ip')) ?? ''}
          required
          hint="For example 192.0.2.7, 192.0.2.0/24 or 2001:db8::/32."
        />
        <button>Add</button>
      </form>
    </>
  );
}

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
