import { InvalidArgsError } from '@trunkline/contracts';
import type { Child } from 'hono/jsx';
import { CheckField } from '../form/fields.tsx';
import { CsrfField } from '../layout/page.tsx';
import type { Visitor } from '../visitor/visitor.ts';

interface Props {
  readonly visitor: Visitor;
  readonly action: string;
  /** What is deleted: of which kind, and which one. */
  readonly kind: string;
  readonly name: string;
  /** What goes with it, and what must not be there. */
  readonly children: Child;
}

/** Deletes what the page is about, once that was confirmed. */
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
  if (!form.has('confirmed')) throw new InvalidArgsError('Nothing was deleted: it was not confirmed');
}
