import { CsrfField } from '../layout/page.tsx';
import type { Visitor } from '../visitor/visitor.ts';

interface Props {
  readonly visitor: Visitor;
  readonly action: string;
  readonly label: string;
  /** Of what, for who does not see where the button stands. */
  readonly of: string;
  /** What it brings about. */
  readonly consequence: string;
  readonly name: string;
  readonly value: string;
}

/** A button for what cannot be undone: it has to be unfolded, and the consequence ticked. */
export function ConfirmedButton({ visitor, action, label, of, consequence, name, value }: Props) {
  return (
    <details class="confirmed">
      <summary>
        {label}… <span class="visually-hidden">{of}</span>
      </summary>
      <form method="post" action={action}>
        <CsrfField visitor={visitor} />
        <label>
          <input type="checkbox" name="confirmed" value="true" required />
          {consequence}
        </label>
        <button class="danger small" name={name} value={value}>
          {label}
        </button>
      </form>
    </details>
  );
}
