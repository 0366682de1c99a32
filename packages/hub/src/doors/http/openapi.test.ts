import { expect, test } from 'vitest';
import { docsPage } from './docs-page.ts';
import { openApi } from './openapi.ts';

const document = openApi('0.0.0', { url: 'https://chat.example.org', cookieName: 'parley_7440' });
const text = JSON.stringify(document);
const find = (ref: string): unknown =>
  ref
    .slice(2)
    .split('/')
    .reduce<unknown>((inside, name) => (inside as Record<string, unknown> | undefined)?.[name], document);

test('every reference of the OpenAPI document leads to something in it', () => {
  const refs = [...new Set([...text.matchAll(/"\$ref":"([^"]*)"/g)].map((match) => match[1]!))];
  expect(refs.length).toBeGreaterThan(100);
  expect(refs.filter((ref) => !ref.startsWith('#/components/') || find(ref) === undefined)).toEqual([]);
});

test('a schema stands in the document once, under its name, and none without a use', () => {
  expect(text.length).toBeLessThan(400_000);
  expect(text).not.toContain('$defs');
  const unused = Object.keys(document.components.schemas).filter((name) => !text.includes(`"#/components/schemas/${name}"`));
  expect(unused).toEqual([]);
  const body = (route: string): object => {
    const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
    return operations.find(({ operationId }) => operationId === route)!.requestBody!.content['application/json']!.schema!;
  };
  expect(body('postMessage')).toEqual({ $ref: expect.stringMatching(/PostMessage/) });
});

test('the document names the hub’s own address and cookie', () => {
  expect(document.servers).toEqual([{ url: 'https://chat.example.org' }]);
  expect(document.components.securitySchemes).toMatchObject({ session: { name: 'parley_7440' } });
});

test('on the page of the API every link to a schema leads to its section', () => {
  const page = docsPage(document);
  const links = new Set([...page.matchAll(/href="#(schema-\w+)"/g)].map((match) => match[1]!));
  expect(links.size).toBeGreaterThan(100);
  expect([...links].filter((id) => !page.includes(`id="${id}"`))).toEqual([]);
});
