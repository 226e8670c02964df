import { readConfig } from '@trunkline/runtime';
import { describe, expect, it } from 'vitest';
import { gatewaySettings } from './config.ts';

const needed = {
  TRUNKLINE_DATABASE_URL: 'postgres://host/name',
  TRUNKLINE_NATS_URL: 'nats://host',
  TRUNKLINE_SECRET: 'x'.repeat(32),
};

function read(url: string): string {
  return readConfig(gatewaySettings, { ...needed, TRUNKLINE_BASE_URL: url }).TRUNKLINE_BASE_URL;
}

describe('TRUNKLINE_BASE_URL', () => {
  it.each(['', 'https://code.example.com', 'http://127.0.0.1:5000/', 'https://[2001:db8::1]:8443'])(
    'may be %j',
    (url) => expect(read(url)).toBe(url),
  );

  it.each([
    'code.example.com',
    'https://',
    'https://[',
    'https://a:b',
    'https://user:password@code.example.com',
    'https://code.example.com/below',
    'https://code.example.com?query',
    'https://code.example.com#part',
    'https://code.example.com\\below',
    'ftp://code.example.com',
  ])('may not be %j', (url) => expect(() => read(url)).toThrow(/TRUNKLINE_BASE_URL must be a URL such as/));
});
