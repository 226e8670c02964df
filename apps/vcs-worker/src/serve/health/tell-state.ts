import { answerStateRequests, processState, type ProcessIdentity } from '@trunkline/runtime';
import type { LaneSlots } from '../admission/lane-slots.ts';
import type { RepositoryService } from '../../repository-service.ts';
import type { Connections } from '../../connections.ts';

interface Told {
  readonly identity: ProcessIdentity;
  readonly lanes: readonly { readonly lane: string; readonly slots: Pick<LaneSlots, 'size' | 'held'> }[];
  readonly repositoryService: Pick<RepositoryService, 'tools'> | null;
}

/** Tells gateways that ask what this worker does at the moment. */
export function tellState(
  { bus, vault, running }: Pick<Connections, 'bus' | 'vault' | 'running'>,
  { identity, lanes, repositoryService }: Told,
): void {
  const read = () =>
    processState(identity, running, {
      lanes: lanes.map(({ lane, slots }) => ({ lane, slots: slots.size, busy: slots.held })),
      storages: [...(repositoryService?.tools.storages.names ?? [])],
      childMemoryBytes: repositoryService?.tools.children().usedBytes ?? null,
    });
  answerStateRequests({ bus, vault, read });
}
