// A page of the API that a person can read, made from the OpenAPI document. No script: it works under the strict
// content policy, in a text browser, and printed.

import type { ApiDocument, ApiOperation } from './openapi.ts';

interface Schema {
  $ref?: string;
  type?: string | string[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  description?: string;
  default?: unknown;
}

const escape = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

const nameOf = (ref: string): string => ref.slice(ref.lastIndexOf('/') + 1);

function typeOf(schema: Schema): string {
  if (schema.$ref !== undefined) return nameOf(schema.$ref);
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  if (schema.anyOf) return schema.anyOf.map(typeOf).join(' | ');
  if (schema.type === 'array') return `${typeOf(schema.items ?? {})}[]`;
  return Array.isArray(schema.type) ? schema.type.join(' | ') : (schema.type ?? 'any');
}

/** A type whose named parts lead to their own sections. */
const typeText = (schema: Schema): string => {
  const names = [...JSON.stringify(schema).matchAll(/"\$ref":"([^"]*)"/g)].map((match) => nameOf(match[1]!));
  const linked = (name: string): string => (names.includes(name) ? `<a href="#schema-${name}">${name}</a>` : name);
  return `<code>${escape(typeOf(schema)).replaceAll(/\b[A-Z]\w*\b/g, linked)}</code>`;
};

function fields(schema: Schema | undefined): string {
  const inner = schema?.type === 'array' ? schema.items : schema;
  if (!inner?.properties) return schema ? `<p>${typeText(schema)}</p>` : '';
  const rows = Object.entries(inner.properties).map(([name, field]) => {
    const optional = (inner.required ?? []).includes(name) && field.default === undefined ? '' : ' <small>optional</small>';
    const nested = field.type === 'object' || (field.type === 'array' && field.items?.properties) ? fields(field) : '';
    return `<tr><td><code>${escape(name)}</code>${optional}</td><td>${typeText(field)} ${escape(field.description ?? '')}${nested}</td></tr>`;
  });
  return `<table>${rows.join('')}</table>`;
}

function section(path: string, method: string, op: ApiOperation): string {
  const params = op.parameters.map((p) =>
    '$ref' in p
      ? `<tr><td><code>Idempotency-Key</code> <small>header, optional</small></td><td><code>string</code></td></tr>`
      : `<tr><td><code>${escape(p.name)}</code> <small>${p.in}${p.required ? '' : ', optional'}</small></td><td>${typeText(p.schema)} ${escape(p.description ?? '')}</td></tr>`,
  );
  const body = op.requestBody?.content['application/json']?.schema;
  const { 200: ok } = op.responses;
  const answer = ok && 'content' in ok ? ok.content['application/json']?.schema : undefined;
  return `<section id="${op.operationId}"><h3><b>${method.toUpperCase()}</b> <code>${escape(path)}</code></h3><p>${escape(op.summary)}</p>
${params.length > 0 ? `<h4>Parameters</h4><table>${params.join('')}</table>` : ''}${body ? `<h4>Body</h4>${fields(body)}` : ''}<details><summary>Answer</summary>${fields(answer) || '<p>bytes</p>'}</details></section>`;
}

/** Replaced by the hub's own address where the page is served. */
export const exampleUrl = 'http://localhost:7440';

const introduction = `<section><h2>Begin here</h2>
<p>Make a token on the machine the hub runs on; it is shown once:</p>
<pre><code>npx parley token create --member ann --kind person --label "my script"</code></pre>
<p>Send it as <code>Authorization: Bearer …</code>, and bodies as <code>content-type: application/json</code>:</p>
<pre><code>curl ${exampleUrl}/api/v1/conversations -H "Authorization: Bearer $TOKEN"
curl ${exampleUrl}/api/v1/conversations/$CHANNEL/messages \\
  -H "Authorization: Bearer $TOKEN" -H "content-type: application/json" \\
  -H "Idempotency-Key: $(date +%s)" -d '{"body":"Hello from curl"}'</code></pre>
<p>An error is <code>{"error":{"code","message","problems":[{"field","message"}]}}</code> with a fitting status; look at <code>code</code>. <code>rate_limited</code> comes with <code>retry-after</code>.</p>
<p>Follow what happens on <code>GET /api/v1/socket?cursor=…</code> (WebSocket) or <code>GET /api/v1/stream?cursor=…</code> (server-sent events). Every fact carries a <code>cursor</code>: come back with the last one you handled, and nothing is missed or told twice. <code>GET /api/v1/session</code> gives the cursor to begin with.</p></section>`;

export function docsPage({ info, paths, components }: ApiDocument): string {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, op]) => ({ path, method, op })),
  );
  const groups = Map.groupBy(operations, ({ op }) => op.tags[0] ?? 'other');
  const index = [...groups].map(
    ([tag, list]) =>
      `<li>${escape(tag)}<ul>${list.map(({ op }) => `<li><a href="#${op.operationId}">${escape(op.summary)}</a></li>`).join('')}</ul></li>`,
  );
  const body = [...groups].map(
    ([tag, list]) => `<h2>${escape(tag)}</h2>${list.map(({ path, method, op }) => section(path, method, op)).join('')}`,
  );
  const schemas = Object.entries(components.schemas).map(
    ([name, schema]) => `<section id="schema-${name}"><h3><code>${name}</code></h3>${fields(schema)}</section>`,
  );
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${escape(info.title)} API</title><link rel="icon" href="/favicon.svg">
<link rel="stylesheet" href="/docs/style.css"></head><body><nav><h1>${escape(info.title)} API ${escape(info.version)}</h1><p><a href="/api/v1/openapi.json">openapi.json</a></p><ul>${index.join('')}<li><a href="#schemas">Schemas</a></li></ul></nav><main><p>${escape(info.description)}</p>${introduction}${body.join('')}<h2 id="schemas">Schemas</h2>${schemas.join('')}</main></body></html>`;
}

export const docsStyle = `:root{color-scheme:light dark;--line:color-mix(in srgb,CanvasText 15%,transparent)}
body{font:16px/1.5 system-ui,sans-serif;margin:0;display:grid;grid-template-columns:minmax(14rem,20rem) minmax(0,1fr)}
nav{padding:1.5rem;border-right:1px solid var(--line);position:sticky;top:0;height:100vh;overflow:auto;box-sizing:border-box;font-size:.875rem}
nav h1{font-size:1.1rem}nav ul{padding-left:1rem;margin:.25rem 0}main{padding:1.5rem 2rem;max-width:56rem}
h2{margin-top:3rem;text-transform:capitalize}section{border-top:1px solid var(--line);padding:.5rem 0 1rem}
h3{font-size:1rem;overflow-wrap:anywhere}h3 b{font-size:.8rem;padding:.1rem .4rem;border:1px solid var(--line);border-radius:.3rem}h4{margin:.75rem 0 .25rem}
table{border-collapse:collapse;width:100%;font-size:.875rem}td{border-top:1px solid var(--line);padding:.3rem .5rem .3rem 0;vertical-align:top;overflow-wrap:anywhere}td:first-child{width:30%}
pre{overflow:auto;padding:.75rem 1rem;border:1px solid var(--line);border-radius:.4rem}
code{font-family:ui-monospace,monospace;font-size:.9em}small{opacity:.65}a{color:LinkText}
@media(max-width:48rem){body{display:block}nav{position:static;height:auto;border:0}main{padding:1rem}}`;
