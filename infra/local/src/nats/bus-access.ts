/** URLs of one bus for three users; all are the same for a server given in TRUNKLINE_NATS_URL. */
export interface BusAccess {
  /** URL of a user with all permissions, for people and tests. */
  readonly url: string;
  /** URL of a user with the permissions of a gateway. */
  readonly gatewayUrl: string;
  /** URL of a user with the permissions of a worker. */
  readonly workerUrl: string;
}
