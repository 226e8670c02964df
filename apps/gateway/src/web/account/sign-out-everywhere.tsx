import { CsrfField } from '../layout/page.tsx';
import type { Visitor } from '../visitor/visitor.ts';

/** Renders the form that ends every session of the visitor, the current one included. */
export function SignOutEverywhere({ visitor }: { visitor: Visitor }) {
  return (
    <section aria-labelledby="sessions">
      <h2 id="sessions">Sessions</h2>
      <p>This ends all your sessions, including this one. API keys stay valid.</p>
      <form method="post" action="/_admin/logout">
        <CsrfField visitor={visitor} />
        <button class="plain" name="everywhere" value="true">
          Sign out everywhere
        </button>
      </form>
    </section>
  );
}
