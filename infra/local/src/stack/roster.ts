import type { RunningChild } from '../process/running-child.ts';
import { timed } from '../timed.ts';
import { keepRunning, type KeepOptions, type KeptProcess } from './keep-running.ts';
import type { StackProcess } from './stack-file.ts';

export interface StackChild extends RunningChild {
  readonly port: number | null;
}

export type Role = Exclude<StackProcess['role'], 'supervisor'>;

/** The processes of a stack. */
export interface Roster {
  /** Starts a process, keeps it running and lists it under its role. */
  keep<T extends StackChild>(role: Role, options: Pick<KeepOptions<T>, 'name' | 'start'>): Promise<KeptProcess<T>>;
  processes(): StackProcess[];
  /** Ends all processes: the apps first, then the servers that the apps need. */
  stop(): Promise<void>;
}

const servers: readonly Role[] = ['postgres', 'nats-server'];

export function createRoster(options: Pick<KeepOptions<StackChild>, 'say' | 'onReplaced'>): Roster {
  const listed: { role: Role; kept: KeptProcess<StackChild> }[] = [];
  let stopping = false;

  const stopAll = (roles: (role: Role) => boolean) =>
    Promise.all(listed.filter(({ role }) => roles(role)).map(({ kept }) => kept.stop()));
  return {
    async keep(role, what) {
      const step = `Starting ${what.name}`;
      options.say(step);
      const kept = await timed(step, () => keepRunning({ ...options, ...what }));
      listed.push({ role, kept });
      if (stopping) await kept.stop();
      return kept;
    },
    processes: () => listed.map(({ role, kept: { current } }) => ({ role, pid: current.pid, port: current.port })),
    async stop() {
      stopping = true;
      await stopAll((role) => !servers.includes(role));
      await stopAll((role) => servers.includes(role));
    },
  };
}
