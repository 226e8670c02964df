/** What the addresses and directories of a compose file are on this machine. */
export interface Surroundings {
  /** Addresses by those of the compose file, such as `postgres:5432`. */
  readonly addresses: ReadonlyMap<string, string>;
  /** Directory for the files of all services. */
  readonly directory: string;
}

/** Settings that must differ where containers have no network of their own. */
const own: Readonly<Record<string, string>> = {
  TRUNKLINE_METRICS_PORT: '0',
  TRUNKLINE_DATA_PORT: '0',
  TRUNKLINE_DATA_URL: '',
  // Tests do not depend on the free space of their machine.
  TRUNKLINE_STORAGE_FREE_BYTES_MIN: '0',
  // The balancer of the test looks at gateways each second, as that of the compose file does.
  TRUNKLINE_LOG_LEVEL: 'warn',
  TRUNKLINE_DRAIN_SECONDS: '1',
};

/** Returns the environment of a container as its process needs it on this machine. */
export function onThisMachine(
  service: string,
  environment: Readonly<Record<string, string>>,
  { addresses, directory }: Surroundings,
): Record<string, string> {
  const translate = (value: string) => {
    let text = value.replaceAll('/srv/', `${directory}/srv/`).replaceAll('0.0.0.0', '127.0.0.1');
    text = text.replaceAll('/var/cache/trunkline', `${directory}/cache/${service}`);
    text = text.replaceAll(/\b10\.213\.6\d\.0\/24\b/g, '127.0.0.0/8');
    for (const [name, address] of addresses) text = text.replaceAll(name, address);
    return text;
  };
  const translated = Object.entries(environment).map(([name, value]) => [name, own[name] ?? translate(value)]);
  return { ...Object.fromEntries<string>(translated as [string, string][]), ...own };
}
