import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { secureHeaders } from './plain-answers.ts';

const headersFor = (config: Parameters<typeof secureHeaders>[1]): string[] => {
  const names: string[] = [];
  secureHeaders({ setHeader: (name: string) => names.push(name) } as unknown as ServerResponse, config);
  return names;
};

test('[SYS-11] a relay that people reach by HTTPS says so to browsers, below a hub too', () => {
  expect(headersFor({ pageUrl: 'https://hub.example/relay', tls: undefined })).toEqual(['strict-transport-security']);
  expect(headersFor({ pageUrl: undefined, tls: { cert: '', key: '' } })).toEqual(['strict-transport-security']);
  expect(headersFor({ pageUrl: 'http://localhost:7440', tls: undefined })).toEqual([]);
});
