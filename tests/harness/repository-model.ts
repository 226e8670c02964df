import type { ReplyEnvelope } from '@trunkline/contracts';
import * as v from 'valibot';
import type { HistoryEvent, Step } from './linearizability.ts';

/** A repository; its id is the label of its creation until a reply has shown the number. */
interface Entry {
  readonly id: number | string;
  readonly lockedBy: string | null;
}

/** State of each name; `taken` while its repository is created or deleted and does not exist for any caller. */
export type NameStates = Readonly<Record<string, Entry | 'absent' | 'taken'>>;

export type RepositoryCall =
  | { readonly kind: 'create'; readonly name: string; readonly type: 'hg' | 'git' }
  | { readonly kind: 'rename'; readonly name: string; readonly to: string }
  | { readonly kind: 'delete' | 'read' | 'readLock'; readonly name: string }
  | { readonly kind: 'lock'; readonly name: string; readonly holder: string | null };

/** Returns the method and the arguments of a call. */
export function requestOf(call: RepositoryCall): { method: string; args: Record<string, unknown> } {
  const repoid = call.name;
  switch (call.kind) {
    case 'create':
      return { method: 'create_repo', args: { repo_name: repoid, repo_type: call.type } };
    case 'rename':
      return { method: 'update_repo', args: { repoid, name: call.to } };
    case 'delete':
      return { method: 'delete_repo', args: { repoid } };
    case 'read':
      return { method: 'get_repo', args: { repoid } };
    case 'readLock':
      return { method: 'lock', args: { repoid } };
    case 'lock':
      return { method: 'lock', args: { repoid, userid: call.holder ?? 'admin', locked: call.holder !== null } };
  }
}

type Change = (entry: Entry) => Entry | undefined;

const Created = v.object({ repo: v.object({ repo_id: v.number(), repo_name: v.string() }) });
const Read = v.object({ repo_id: v.number(), repo_name: v.string() });
const Renamed = v.object({ repository: v.object({ ...Read.entries, locked_by: v.nullable(v.string()) }) });
const LockState = v.object({ repo: v.string(), locked_by: v.nullable(v.string()) });

const isEntry = (state: Entry | 'absent' | 'taken' | undefined): state is Entry => typeof state === 'object';

/** Returns a step that changes the repository of a name; impossible without one, or when `change` is undefined. */
function onRepository(name: string, change: Change): Step<NameStates> {
  return (states) => {
    const entry = states[name];
    const next = isEntry(entry) ? change(entry) : undefined;
    return next ? [{ ...states, [name]: next }] : [];
  };
}

function whereName(name: string, holds: (state: NameStates[string]) => boolean): Step<NameStates> {
  return (states) => (holds(states[name] ?? 'absent') ? [states] : []);
}

function to(name: string, from: 'absent' | 'taken' | 'any', next: NameStates[string]): Step<NameStates> {
  return (states) => {
    const state = states[name] ?? 'absent';
    return state === from || (from === 'any' && isEntry(state)) ? [{ ...states, [name]: next }] : [];
  };
}

function either(...steps: Step<NameStates>[]): Step<NameStates> {
  return (states) => steps.flatMap((step) => step(states));
}

function renamed(from: string, target: string, change: Change): Step<NameStates> {
  return (states) => {
    const entry = states[from];
    const next = isEntry(entry) && states[target] === 'absent' ? change(entry) : undefined;
    return next ? [{ ...states, [from]: 'absent', [target]: next }] : [];
  };
}

/** Sets the id of a repository; impossible when its id is another number. */
const identified =
  (id: number): Change =>
  (entry) =>
    typeof entry.id === 'string' || entry.id === id ? { ...entry, id } : undefined;

const invisible = (name: string) => whereName(name, (state) => !isEntry(state));

/** Returns the step, or an impossible step when the reply is about another name than the call. */
const about = (name: string, replied: string, step: Step<NameStates>): Step<NameStates> =>
  name === replied ? step : () => [];

function stepsOfSuccess(call: RepositoryCall, result: unknown): Step<NameStates>[] {
  const { name } = call;
  switch (call.kind) {
    case 'create': {
      const { repo } = v.parse(Created, result);
      const entry = { id: repo.repo_id, lockedBy: null };
      return [to(name, 'absent', 'taken'), about(name, repo.repo_name, to(name, 'taken', entry))];
    }
    case 'rename': {
      const { repository } = v.parse(Renamed, result);
      const same: Change = (entry) =>
        entry.lockedBy === repository.locked_by ? identified(repository.repo_id)(entry) : undefined;
      return [about(call.to, repository.repo_name, renamed(name, call.to, same))];
    }
    case 'delete':
      return [to(name, 'any', 'taken'), to(name, 'taken', 'absent')];
    case 'read': {
      if (result === null) return [invisible(name)];
      const { repo_id, repo_name } = v.parse(Read, result);
      return [about(name, repo_name, onRepository(name, identified(repo_id)))];
    }
    case 'readLock': {
      const { repo, locked_by } = v.parse(LockState, result);
      return [
        about(
          name,
          repo,
          onRepository(name, (entry) => (entry.lockedBy === locked_by ? entry : undefined)),
        ),
      ];
    }
    case 'lock':
      return [about(name, v.parse(LockState, result).repo, lockSet(call))];
  }
}

const lockSet = ({ name, holder }: { name: string; holder: string | null }) =>
  onRepository(name, (entry) => ({ ...entry, lockedBy: holder }));

function stepsOfRefusal(call: RepositoryCall, error: string): Step<NameStates>[] | undefined {
  const { name } = call;
  const refusals: Readonly<Record<string, Step<NameStates>>> = {
    [`repo \`${name}\` already exist`]: whereName(name, (state) => state !== 'absent'),
    [`repository \`${name}\` does not exist`]: invisible(name),
    [`failed to update repo \`${name}\``]: (states) =>
      isEntry(states[name]) && call.kind === 'rename' && states[call.to] !== 'absent' ? [states] : [],
  };
  const step = refusals[error];
  return step && [step];
}

/** Returns the effects that a call without an answer may have. */
function stepsOfUnknown(call: RepositoryCall, label: string): Step<NameStates>[] {
  const { name } = call;
  switch (call.kind) {
    case 'create':
      return [
        to(name, 'absent', 'taken'),
        either(to(name, 'taken', { id: label, lockedBy: null }), to(name, 'taken', 'absent')),
      ];
    case 'rename':
      return [renamed(name, call.to, (entry) => entry)];
    case 'delete':
      return [to(name, 'any', 'taken'), to(name, 'taken', 'absent')];
    case 'lock':
      return [lockSet(call)];
    default:
      return [];
  }
}

/**
 * Returns the event for a call and its reply; null is a call without a reply. Throws when the API must not give this
 * reply to this call.
 */
export function eventOf(
  call: RepositoryCall,
  reply: ReplyEnvelope | null,
  { label, invoked, responded }: { label: string; invoked: number; responded: number },
): HistoryEvent<NameStates> {
  if (reply === null) return { label, invoked, responded: null, steps: stepsOfUnknown(call, label) };
  const steps = reply.error === null ? stepsOfSuccess(call, reply.result) : stepsOfRefusal(call, reply.error);
  if (!steps) throw new Error(`${label} was answered: ${reply.error}`);
  return { label, invoked, responded, steps };
}
