import { CsrfField } from '../layout/page.tsx';
import type { Visitor } from '../visitor/visitor.ts';

interface Props {
  readonly visitor: Visitor;
  readonly action: string;
  readonly label: string;
  /** The object of the action, for screen readers. */
  readonly of: string;
  /** The consequence of the action. */
  readonly consequence: string;
  readonly name: string;
  readonly value: string;
}

/**
 * Renders a button for an action that cannot be undone: the browser, but not the server, requires that the button is
 * unfolded and the action's consequence ticked.
 */
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
