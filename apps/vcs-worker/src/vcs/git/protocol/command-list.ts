import { PushRefusedError, type NameChange } from '../../push.ts';
import { malformed, type PktReader } from './pkt-line.ts';
import { referenceNameProblem } from './reference-rules.ts';

/** What a client asks for at the beginning of a push. */
export interface CommandList {
  readonly changes: readonly NameChange[];
  readonly capabilities: ReadonlySet<string>;
  /** Whether there are no more changes: a list that is too long is left unread, and its client expects a report. */
  readonly isWhole: boolean;
  /** Number and bytes of options, as of `git push -o`: none has an effect, and none is kept. */
  readonly options: { readonly count: number; readonly bytes: number };
}

const changesMax = 50_000;
const shallowMax = 1_000;
const listBytesMax = 16 * 1024 * 1024;
const none = { count: 0, bytes: 0 };
const optionsMax = { count: 100, bytes: 64 * 1024 };
const commandPattern = /^([0-9a-f]{40}) ([0-9a-f]{40}) (.+)$/;
const zeros = '0'.repeat(40);

const idOf = (sent: string) => (sent === zeros ? null : sent);

function textOf(line: Buffer): string {
  // Bytes that are not UTF-8 become U+FFFD, which no name may have.
  const text = line.toString('utf8');
  return text.endsWith('\n') ? text.slice(0, -1) : text;
}

/** Reads the options that a client sends between its list and its objects. */
async function readOptions(reader: PktReader): Promise<CommandList['options']> {
  let [count, bytes] = [0, 0];
  for (let line = await reader.line(); line !== null; line = await reader.line()) {
    count += 1;
    bytes += line.length;
  }
  return { count, bytes };
}

/**
 * Reads the list with which a push begins; an empty one is how git tests a login. Throws PushRefusedError for a list
 * that cannot be understood; `refusalOf` judges the others.
 */
export async function readCommandList(reader: PktReader): Promise<CommandList> {
  const changes: NameChange[] = [];
  let capabilities: ReadonlySet<string> | undefined;
  let shallow = 0;
  for (let line = await reader.line(); line !== null; line = await reader.line()) {
    const [command = '', words] = textOf(line).split('\0', 2);
    if (command.startsWith('shallow ')) {
      // The commits that the client lacks do not matter: the pushed history has to be complete here.
      shallow += 1;
      if (shallow > shallowMax) throw malformed();
      continue;
    }
    if (command === 'push-cert') throw new PushRefusedError('signed pushes are not accepted');
    const [, from, to, name] = commandPattern.exec(command) ?? [];
    if (from === undefined || to === undefined || name === undefined) throw malformed();
    capabilities ??= new Set(words?.split(' ').filter(Boolean) ?? []);
    changes.push({ name, from: idOf(from), to: idOf(to) });
    if (changes.length > changesMax || reader.received > listBytesMax) {
      return { changes, capabilities, isWhole: false, options: none };
    }
  }
  const asked = capabilities ?? new Set();
  const options = asked.has('push-options') ? await readOptions(reader) : none;
  return { changes, capabilities: asked, isWhole: true, options };
}

/** Throws PushRefusedError when a list has a name that no push may change, or asks for what is not offered. */
export function requireAcceptable({ changes, capabilities, isWhole, options }: CommandList): void {
  if (!isWhole) throw new PushRefusedError(`a push may change ${changesMax} references at most`);
  if (options.count > optionsMax.count || options.bytes > optionsMax.bytes) {
    throw new PushRefusedError(
      `a push may have ${optionsMax.count} options of ${optionsMax.bytes} bytes in all at most`,
    );
  }
  const format = [...capabilities].find((word) => word.startsWith('object-format='));
  if (format !== undefined && format !== 'object-format=sha1') {
    throw new PushRefusedError('the repository has ids of another kind');
  }
  const reasons = new Map<string, string>();
  const seen = new Set<string>();
  for (const { name } of changes) {
    const problem = seen.has(name) ? 'the push changes this reference twice' : referenceNameProblem(name);
    if (problem !== null) reasons.set(name, problem);
    seen.add(name);
  }
  const [first] = reasons;
  if (first) throw new PushRefusedError(`${first[0]}: ${first[1]}`, { reasons });
}
