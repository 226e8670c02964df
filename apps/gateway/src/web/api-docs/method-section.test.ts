import { methods } from '@trunkline/contracts';
import { expect, it } from 'vitest';
import { clientLine, curlLine } from './method-section.tsx';

const baseUrl = 'https://code.example.com';

it('prints the required arguments of a method, and no others', () => {
  const { create_user: createUser } = methods;
  const body = '{"id":1,"api_key":"YOUR_KEY","method":"create_user","args":{"username":"USERNAME","email":"EMAIL"}}';
  expect(curlLine(createUser, baseUrl)).toBe(`curl -d '${body}' ${baseUrl}/_admin/api`);
  expect(clientLine(createUser, baseUrl)).toBe(
    `service-api --apihost=${baseUrl} --apikey=YOUR_KEY create_user username:USERNAME email:EMAIL`,
  );
});
