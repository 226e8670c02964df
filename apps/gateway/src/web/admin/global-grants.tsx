import { globalPermissionTexts } from '../account/permissions-page.tsx';
import { CsrfField } from '../layout/page.tsx';
import type { Visit } from '../visit.ts';
import type { Visitor } from '../identify.ts';

const grantable = globalPermissionTexts(['hg.create.repository', 'hg.fork.repository']);

/** A principal: a user or a user group, as an argument of methods. */
type Principal = { readonly userid: number } | { readonly usersgroupid: number };

/** Reads the global permissions granted to the principal itself. */
export async function readGrants({ worker }: Visit, principal: Principal): Promise<readonly string[]> {
  return (await worker.call('view_global_grants', principal)).permissions;
}

/** Grants or revokes the permission that a form names. Returns the notice for the next page. */
export async function changeGrant({ worker, form }: Visit, principal: Principal): Promise<string> {
  const revoked = form.get('revoke');
  if (revoked !== null) {
    await worker.call('revoke_global_permission', { ...principal, perm: revoked });
    return 'The permission is revoked.';
  }
  await worker.call('grant_global_permission', { ...principal, perm: form.get('grant') });
  return 'The permission is granted.';
}

interface Props {
  readonly visitor: Visitor;
  readonly action: string;
  readonly granted: readonly string[];
}

/** Renders the global permissions that can be granted, each with its state and a form that changes the state. */
export function GlobalGrants({ visitor, action, granted }: Props) {
  return (
    <ul class="plain rows">
      {grantable.map(([permission, text]) => {
        const isGranted = granted.includes(permission);
        return (
          <li class="row">
            <span>{text}</span>
            <span class={isGranted ? 'badge good' : 'badge'}>{isGranted ? 'granted' : 'not granted'}</span>
            <form method="post" action={action}>
              <CsrfField visitor={visitor} />
              <button
                class={isGranted ? 'danger small' : 'plain small'}
                name={isGranted ? 'revoke' : 'grant'}
                value={permission}
              >
                {isGranted ? 'Revoke' : 'Grant'}
                <span class="visually-hidden">: {text}</span>
              </button>
            </form>
          </li>
        );
      })}
    </ul>
  );
}
