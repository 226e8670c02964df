import { StartError } from '../start-error.ts';

const basesTried = 100;
const portMax = 65_535;

/**
 * Returns the ports of `count` gateways: successive ports from `first`, or all 0 (any port) when `first` is 0. Busy
 * ports are passed over unless `first` was set. `probe` resolves to a usable port or to an error code.
 */
export async function chooseGatewayPorts(options: {
  first: number;
  isSet: boolean;
  count: number;
  probe: (port: number) => Promise<number | string>;
}): Promise<readonly number[]> {
  const { first, isSet, count, probe } = options;
  if (first === 0) return Array.from({ length: count }, () => 0);

  let refused = '';
  for (let base = first; base < first + (isSet ? 1 : basesTried); base++) {
    if (base + count - 1 > portMax) {
      refused ||= `Fewer than ${count} ports are available from ${first} on`;
      break;
    }
    const ports = Array.from({ length: count }, (_, index) => base + index);
    const answers = await Promise.all(ports.map(probe));
    const bad = answers.findIndex((answer) => typeof answer === 'string');
    if (bad === -1) return ports;
    refused = `Port ${base + bad} of 127.0.0.1 ${answers[bad] === 'EADDRINUSE' ? 'is in use' : `is refused (${answers[bad]})`}`;
  }
  throw new StartError(`${refused}: set TRUNKLINE_PORT to another port, or to 0 for a free one`);
}
