import { VcsError } from '../vcs-error.ts';
import { asVerificationError, verificationError } from '../verification-error.ts';
import { onRepository } from './hg-argv.ts';
import type { RunAlone } from './own-server.ts';

/** The beginning of Mercurial's report of an error that it does not expect, such as one of a damaged file. */
const unexpected = /^\*\* unknown exception|^Traceback /im;
const aborted = 255;
const saidCharsMax = 4_000;

function lastOf(said: string): string {
  if (said.length <= saidCharsMax) return said;
  const last = said.slice(-saidCharsMax);
  // Of a line without its beginning, nothing tells the name of a file from what is said of it.
  return last.slice(last.indexOf('\n') + 1);
}

/** Reads all of a repository. Throws VcsError `damaged` when Mercurial says that something is, another one when it could not read all. */
export async function verifyHg(run: RunAlone, path: string, signal: AbortSignal): Promise<void> {
  let said = '';
  const onStderr = (text: string) => {
    said = lastOf(said + text);
  };
  const { exitCode } = await run(onRepository(path, ['verify']), signal, onStderr).catch((error: unknown) => {
    const hasEnded = error instanceof VcsError && error.kind === 'failed' && unexpected.test(said);
    if (hasEnded) return { exitCode: aborted };
    throw asVerificationError(error);
  });
  if (exitCode !== 0) throw verificationError('hg verify', { exitCode, said });
}
