export interface Remote {
  readonly scheme: 'http' | 'https' | 'ssh' | 'git';
  /** Normalised URL without user name and password. */
  readonly url: string;
  readonly username: string | null;
  readonly password: string | null;
}
