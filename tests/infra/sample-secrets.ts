/** Values of the form of the secrets to which manifests refer. */
export const sampleSecrets: Readonly<Record<string, string>> = {
  TRUNKLINE_SECRET: 'a'.repeat(64),
  TRUNKLINE_DATABASE_URL: 'postgres://user:password@database.example.com:5432/trunkline',
  TRUNKLINE_MIGRATE_URL: 'postgres://owner:password@database.example.com:5432/trunkline',
  TRUNKLINE_NATS_URL: 'nats://user:password@nats:4222',
  TRUNKLINE_ADMIN_API_KEY: 'a'.repeat(40),
  TRUNKLINE_ADMIN_PASSWORD: 'password of the administrator',
};
