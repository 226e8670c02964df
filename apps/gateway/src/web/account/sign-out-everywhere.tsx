import { CsrfField } from '../layout/page.tsx';
import type { Visitor } from '../visitor/visitor.ts';

/** The form that ends every session of the visitor, this one included. */
export function SignOutEverywhere({ visitor }: { visitor: Visitor }) {
  return (
    <section aria-labelledby="sessions">
      <h2 id="sessions">Sessions</h2>
      <p>Left a browser signed in somewhere? This ends all your sessions, this one included. API keys stay valid.</p>
      <form method="post" action="/_admin/logout">
        <CsrfField visitor={visitor} />
        <button class="plain" name="everywhere" value="true">
          Sign out everywhere
        </button>
      </form>
    </section>
  );
}
