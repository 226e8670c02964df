import { StartError } from '../start-error.ts';

const basesTried = 100;

/**
 * The ports of `count` gateways: successive ones from `first`, 0 for "any". Busy ports are passed over unless
 * `first` was asked for. `probe` tells a usable port from an error code.
 */
export async function chooseGatewayPorts(options: {
  first: number;
  isAsked: boolean;
  count: number;
  probe: (port: number) => Promise<number | string>;
}): Promise<readonly number[]> {
  const { first, isAsked, count, probe } = options;
  if (first === 0) return Array.from({ length: count }, () => 0);

  let refused = '';
  for (let base = first; base < first + (isAsked ? 1 : basesTried); base++) {
    const ports = Array.from({ length: count }, (_, index) => base + index);
    const answers = await Promise.all(ports.map(probe));
    const bad = answers.findIndex((answer) => typeof answer === 'string');
    if (bad === -1) return ports;
    refused = `Port ${base + bad} of 127.0.0.1 ${answers[bad] === 'EADDRINUSE' ? 'is in use' : `is refused (${answers[bad]})`}`;
  }
  throw new StartError(`${refused}: set TRUNKLINE_PORT to another port, or to 0 for a free one`);
}
