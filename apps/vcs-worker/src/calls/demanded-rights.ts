import { levels, type Permission } from '@trunkline/contracts';
import { addressAllowed } from '@trunkline/runtime';
import { callerParameters } from '../authz/authorize.ts';
import type { Call } from './call.ts';

/** Returns the global permissions of which a caller needs one; null for no such need. */
export function demandedPermissions({ caller }: Permission): readonly string[] | null {
  if (caller === 'any') return null;
  // None makes an administrator.
  return caller === 'admin' ? [] : caller;
}

/** Returns the networks of the caller as they were, if they allow the address; else none, which stands for no list. */
export function allowingNetworks({ environment, frame }: Call): readonly string[] {
  const { userId, ip } = frame.request.caller;
  const known = environment.networks.of(userId);
  return addressAllowed(ip, known) ? known : [];
}

/** Returns the parameters by which the function `caller_rights` decides whether the rights of a call suffice. */
export function demandedRights(call: Call) {
  const { permission } = call.method;
  return {
    ...callerParameters(call.frame.request.caller),
    networks: allowingNetworks(call),
    permissions: demandedPermissions(permission),
    leastLevel: permission.repository ? levels[permission.repository] : null,
  };
}
