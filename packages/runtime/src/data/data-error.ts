const texts = {
  busy: 'too many transfers are under way',
  forged: 'the offer is not signed by a worker with the same TRUNKLINE_SECRET',
  'address-refused': 'its address does not lie in TRUNKLINE_DATA_NETWORKS',
  'unknown-host': 'its host name cannot be resolved',
  unreachable: 'no connection could be opened',
  refused: 'it does not accept the ticket',
  cut: 'the transfer ended before it was complete',
  idle: 'no bytes were transferred for too long',
  late: 'the transfer took too long',
  'too-large': 'more bytes came than were allowed',
  cancelled: 'the transfer was cancelled',
} as const;

export type DataErrorReason = keyof typeof texts;

/** A transfer over a data port has failed. Its message is for the log. */
export class DataError extends Error {
  override readonly name = 'DataError';
  readonly reason: DataErrorReason;

  constructor(reason: DataErrorReason, cause?: unknown) {
    super(texts[reason], { cause });
    this.reason = reason;
  }
}
