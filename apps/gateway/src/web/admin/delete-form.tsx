import { InvalidArgsError } from '@trunkline/contracts';
import type { Child } from 'hono/jsx';
import { CheckField } from '../form/fields.tsx';
import { CsrfField } from '../layout/page.tsx';
import type { Visitor } from '../visitor/visitor.ts';

interface Props {
  readonly visitor: Visitor;
  readonly action: string;
  /** The kind and the name of the object to delete. */
  readonly kind: string;
  readonly name: string;
  /** The text about what is deleted with the object, and what prevents the deletion. */
  readonly children: Child;
}

/** Renders the form that deletes the object of the page after a confirmation, which `requireConfirmed` checks. */
export function DeleteForm({ visitor, action, kind, name, children }: Props) {
  return (
    <form method="post" action={action} class="stacked">
      <CsrfField visitor={visitor} />
      <p class="warning">{children}</p>
      <CheckField label={`Yes, delete ${name}`} name="confirmed" checked={false} required />
      <button class="danger">Delete this {kind}</button>
    </form>
  );
}

export function requireConfirmed(form: URLSearchParams): void {
  if (!form.has('confirmed')) throw new InvalidArgsError('Nothing was deleted: confirm the deletion first');
}
