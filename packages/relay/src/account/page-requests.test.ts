import { expect, test } from 'vitest';
import { originOf } from './page-requests.ts';

const tls = {};

test.for([
  { name: 'localhost', port: 7450, origin: 'http://localhost:7450' },
  { name: 'localhost', tls, port: 7450, origin: 'https://localhost:7450' },
  { name: 'relay.example', port: 7450, origin: 'https://relay.example' },
  { name: 'relay.example:8443', port: 7450, origin: 'https://relay.example:8443' },
  { name: 'relay.example', tls, port: 443, origin: 'https://relay.example' },
  { name: 'relay.example', tls, port: 8443, origin: 'https://relay.example:8443' },
  { name: 'relay.example:8443', tls, port: 7450, origin: 'https://relay.example:8443' },
  { name: 'relay.example', pageUrl: 'https://hub.example/parley', port: 7440, origin: 'https://hub.example' },
])('[A2C-1] the account page of $name on port $port is at $origin', ({ name, tls: files, pageUrl, port, origin }) => {
  expect(originOf({ tls: files, pageUrl }, name, port)).toBe(origin);
});
