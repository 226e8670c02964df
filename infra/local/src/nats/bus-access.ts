/** Three ways onto one bus; servers that were asked for have one for all. */
export interface BusAccess {
  /** May do everything: for people and tests. */
  readonly url: string;
  /** May do what a gateway does. */
  readonly gatewayUrl: string;
  /** May do what a worker does. */
  readonly workerUrl: string;
}
