/** URLs of one database for its roles; all are the same for a database given in TRUNKLINE_DATABASE_URL. */
export interface DatabaseAccess {
  /** URL of the owner of the schema, for migrations and for people. */
  readonly ownerUrl: string;
  /** URL of the role with the rights of a gateway. */
  readonly gatewayUrl: string;
  /** URL of the role with the rights of a worker. */
  readonly workerUrl: string;
}
