import { encodeOperationEnded } from '@trunkline/contracts';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { EndWatch, type Watched } from './end-watch.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const operation = (id: string): Watched => ({ kind: 'operation', id });
const repository = (id: number): Watched => ({ kind: 'repository', id });

/** Creates a watch with a fake bus and a fake database. */
function setUp(firstLookUpMs = 500) {
  let receive = (_payload: Uint8Array) => {};
  let reconnect = () => {};
  const lookUps: Watched[][] = [];
  const database = { ended: [] as Watched[], fails: false };
  const calledBack: string[] = [];
  const watch = new EndWatch({
    bus: { listen: (_subject, listener) => (receive = listener), onReconnect: (listener) => (reconnect = listener) },
    async findEnded(watched) {
      lookUps.push([...watched]);
      if (database.fails) throw new Error('away');
      return database.ended;
    },
    firstLookUpMs,
    logger: { warn: () => {} },
  });
  return {
    lookUps,
    database,
    calledBack,
    endWatch: watch,
    watch: (one: Watched, name: string) => watch.watch(one, () => calledBack.push(name)),
    announce: (operationId: string, repositoryId: number, sourceRepositoryId: number | null = null) =>
      receive(encodeOperationEnded({ operationId, repositoryId, sourceRepositoryId })),
    receiveRaw: (text: string) => receive(new TextEncoder().encode(text)),
    reconnect: () => reconnect(),
  };
}

describe('EndWatch', () => {
  it('calls back only watches whose operation, repository or source of a fork a message names', () => {
    const { watch, announce, calledBack } = setUp();
    watch(operation('a'), 'a');
    watch(operation('b'), 'b');
    for (const id of [1, 2, 3]) watch(repository(id), `repository ${id}`);
    announce('a', 1);
    expect(calledBack).toEqual(['a', 'repository 1']);
    announce('c', 7, 3);
    expect(calledBack).toEqual(['a', 'repository 1', 'repository 3']);
  });

  it('calls back at each end until the watch is ended', () => {
    const { watch, announce, calledBack } = setUp();
    const leave = watch(repository(1), 'first');
    watch(repository(1), 'second');
    announce('a', 1);
    leave();
    announce('b', 1);
    expect(calledBack).toEqual(['first', 'second', 'second']);
  });

  it('calls back all watches although one of them throws', async () => {
    const { endWatch, watch, announce, calledBack } = setUp();
    const fail = () => {
      throw new Error('no luck');
    };
    endWatch.watch(operation('a'), fail);
    watch(operation('a'), 'a');
    endWatch.watch(repository(1), fail);
    watch(repository(1), 'repository 1');
    announce('a', 1);
    endWatch.stop();
    expect(calledBack).toEqual(['a', 'repository 1', 'a', 'repository 1']);
  });

  it('looks up all new watches in one batch, then every 10 to 20 s', async () => {
    const { watch, lookUps } = setUp();
    const watched = Array.from({ length: 60 }, (_, id) => repository(id));
    for (const one of watched) watch(one, 'any');
    await vi.advanceTimersByTimeAsync(500);
    expect(lookUps).toEqual([watched]);
    await vi.advanceTimersByTimeAsync(9_999);
    expect(lookUps).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(10_001);
    expect(lookUps).toHaveLength(2);
  });

  it('calls back for an operation that has ended without a message', async () => {
    const { watch, database, calledBack } = setUp();
    watch(operation('a'), 'a');
    watch(operation('b'), 'b');
    database.ended = [operation('b')];
    await vi.advanceTimersByTimeAsync(500);
    expect(calledBack).toEqual(['b']);
  });

  it('looks up again after a failure of the database', async () => {
    const { watch, database, calledBack } = setUp();
    watch(operation('a'), 'a');
    database.fails = true;
    await vi.advanceTimersByTimeAsync(500);
    Object.assign(database, { fails: false, ended: [operation('a')] });
    await vi.advanceTimersByTimeAsync(20_000);
    expect(calledBack).toEqual(['a']);
  });

  it.each([
    ['a reconnection', ({ reconnect }: ReturnType<typeof setUp>) => reconnect()],
    ['a message that cannot be decoded', ({ receiveRaw }: ReturnType<typeof setUp>) => receiveRaw('')],
  ])('looks up soon after %s', async (_what, happen) => {
    const setting = setUp(10_000);
    setting.watch(operation('a'), 'a');
    await vi.advanceTimersByTimeAsync(5_000);
    expect(setting.lookUps).toEqual([]);
    happen(setting);
    await vi.advanceTimersByTimeAsync(500);
    expect(setting.lookUps).toHaveLength(1);
  });

  it('looks up at most 1,000 watches in one batch, all of them in turn', async () => {
    const { watch, lookUps } = setUp();
    for (let id = 0; id < 1_500; id += 1) watch(repository(id), 'any');
    await vi.advanceTimersByTimeAsync(500 + 20_000);
    expect(lookUps.slice(0, 2).map((watched) => watched.length)).toEqual([1_000, 1_000]);
    expect(lookUps[1]?.[0]).toEqual(repository(1_000));
  });

  it('has no timer without watches', async () => {
    const { watch, lookUps, announce, reconnect } = setUp();
    const leave = watch(operation('a'), 'a');
    leave();
    reconnect();
    announce('a', 1);
    expect(vi.getTimerCount()).toBe(0);
    expect(lookUps).toEqual([]);
  });

  it('E8 calls back all watches when it stops, and later watches at once', async () => {
    const { watch, endWatch, calledBack } = setUp();
    watch(operation('a'), 'a');
    watch(repository(1), 'repository 1');
    endWatch.stop();
    watch(operation('b'), 'b');
    await vi.advanceTimersByTimeAsync(0);
    expect(calledBack).toEqual(['a', 'repository 1', 'b']);
  });
});
