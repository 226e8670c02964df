import { joinSignature } from '@trunkline/contracts';
import { createSecretVault } from '@trunkline/db';
import { expect, it } from 'vitest';
import { RunningReads } from './running-reads.ts';

const vault = createSecretVault('s'.repeat(32));
const id = '5c9f8a52-7a52-4d6f-9a0a-0b1b2d3f4a5c';

/** Begins a read, whose signal tells whether it was cancelled. */
function begin(reads: RunningReads, requestId: string) {
  const controller = new AbortController();
  const end = reads.begin(requestId, (reason) => controller.abort(reason));
  return { signal: controller.signal, end };
}

const cancellation = (requestId: string, by = vault) =>
  joinSignature(by.hmac('bus cancellation', requestId), Buffer.from(requestId));

it('D12 ends every run of the read that a cancellation names, and no other read', () => {
  const reads = new RunningReads(vault);
  const [first, second, other] = [begin(reads, id), begin(reads, id), begin(reads, 'other')];
  reads.cancel(cancellation(id));
  expect([first, second, other].map(({ signal }) => signal.aborted)).toEqual([true, true, false]);
});

it('E2 ignores a cancellation that is altered, signed for something else, or late', () => {
  const reads = new RunningReads(vault);
  const read = begin(reads, id);
  const body = Buffer.from(id);
  reads.cancel(cancellation(id, createSecretVault('t'.repeat(32))));
  reads.cancel(joinSignature(vault.hmac('bus command', body), body));
  reads.cancel(body);
  reads.cancel(new Uint8Array());
  expect(read.signal.aborted).toBe(false);
  read.end();
  reads.cancel(cancellation(id));
  expect(read.signal.aborted).toBe(false);
});

it('D12 ends a read that was cancelled while it waited for its slot, unless the cancellation was forged', () => {
  const reads = new RunningReads(vault);
  reads.cancel(cancellation(id));
  reads.cancel(cancellation('forged', createSecretVault('t'.repeat(32))));
  expect(begin(reads, id).signal.aborted).toBe(true);
  expect(['forged', 'other'].map((one) => begin(reads, one).signal.aborted)).toEqual([false, false]);
});

it('ends reads whose gateway signs with a former secret', () => {
  const newest = createSecretVault('n'.repeat(32), ['s'.repeat(32)]);
  const reads = new RunningReads(newest);
  const read = begin(reads, id);
  reads.cancel(cancellation(id));
  expect(read.signal.aborted).toBe(true);
});

it('names the reads that it runs, of those that it is asked for', () => {
  const reads = new RunningReads(vault);
  const ended = begin(reads, 'ended');
  begin(reads, id);
  begin(reads, 'not asked for');
  ended.end();
  expect(reads.among([id, 'ended', 'elsewhere'])).toEqual([id]);
});
