import { ApiText } from '../layout/api-text.tsx';

interface SignInFormProps {
  readonly username: string;
  /** The page to return to. */
  readonly cameFrom: string;
  readonly error: string | null;
}

export function SignInForm({ username, cameFrom, error }: SignInFormProps) {
  return (
    <div class="narrow">
      <h1>Sign in</h1>
      {error !== null && (
        <p class="error" role="alert">
          <ApiText text={error} />
        </p>
      )}
      <form method="post" action="/_admin/login" class="stacked">
        <input type="hidden" name="came_from" value={cameFrom} />
        <label>
          Username
          <input name="username" value={username} required autocomplete="username" autocapitalize="none" autofocus />
        </label>
        <label>
          Password
          <input name="password" type="password" required autocomplete="current-password" />
        </label>
        <button>Sign in</button>
      </form>
      <p class="hint">
        Clients of Git and Mercurial ask for the same name and password. An API key from your account can be the
        password there.
      </p>
    </div>
  );
}
