import { buffer } from 'node:stream/consumers';
import { UnavailableError, type Caller, type Correlation, type Lane, type Method } from '@trunkline/contracts';
import { isBrokenOff, type BusReply } from '@trunkline/runtime';
import ipaddr from 'ipaddr.js';
import { parseAddress } from '../http/network.ts';

export interface Command extends Correlation {
  readonly method: Method;
  readonly lane: Lane;
  readonly args: unknown;
  readonly caller: Caller;
  readonly requestId: string;
  /** URL of the service for the client, where an answer may contain it. */
  readonly baseUrl?: string;
  /** Name of the one storage that the call concerns; absent where the repository or nothing determines it. */
  readonly storage?: string;
  /** Whether a worker that does not know the method, as one of the former release, ends the call: no other is asked. */
  readonly endsWhenUnknown?: boolean;
  /** Aborts when the client has gone, which ends a call that changes nothing; others go on. */
  readonly clientGone?: AbortSignal;
}

/**
 * Has a worker run the method; returns finished JSON, whole or as a stream that must be read or destroyed. A read whose
 * client has gone throws the reason of `clientGone`.
 */
export type Dispatch = (command: Command) => Promise<BusReply['payload']>;

/**
 * Throws UnavailableError when a worker, or the way from it, was lost in the middle of an answer, since a retry may succeed.
 * Rethrows any other error.
 */
export function throwBrokenOff(thrown: unknown): never {
  throw isBrokenOff(thrown) ? new UnavailableError({ cause: thrown }) : thrown;
}

/** Returns the bytes of an answer, whether whole or sent as a stream; throws UnavailableError when the stream breaks off. */
export async function readWhole(answer: BusReply['payload']): Promise<Uint8Array> {
  return answer instanceof Uint8Array ? answer : buffer(answer.stream).catch(throwBrokenOff);
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

/** Returns the method that a worker runs: a view, for some arguments of a method of the API. */
export function workingMethod(method: Method, args: unknown): Method {
  return method.viewFor?.(isRecord(args) ? args : {}) ?? method;
}

export function laneOf(method: Method, args: unknown): Lane {
  return method.laneOf?.(isRecord(args) ? args : {}) ?? method.lane;
}

/** Bits of an IPv6 address that one client is given, within which it can choose its address at will. */
const clientBits = 64;

/**
 * Returns the key by which shares of a caller are counted: the user or, for a caller without credentials, the
 * client's address: an IPv4 address or the /64 of an IPv6 address.
 */
export function callerKey({ userId, ip, credential }: Pick<Caller, 'userId' | 'ip' | 'credential'>): string {
  if (credential.kind !== 'anonymous') return `user ${userId}`;
  const address = parseAddress(ip);
  if (address?.kind() !== 'ipv6') return `address ${address?.toString() ?? ip}`;
  const network = ipaddr.IPv6.networkAddressFromCIDR(`${address.toString()}/${clientBits}`);
  return `address ${network.toString()}/${clientBits}`;
}
