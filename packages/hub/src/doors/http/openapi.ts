// The OpenAPI document, from the same table the routes are registered from.

import { errorCodes, type Route, routes } from '@parley/protocol';
import { type JsonSchema, type NamedSchemas, namedSchemas } from './openapi-schemas.ts';
import { apiPrefix } from './server.ts';

export interface ApiDocument {
  openapi: string;
  info: { title: string; version: string; description: string; license: object };
  servers: { url: string }[];
  security: object[];
  paths: Record<string, Record<string, ApiOperation>>;
  components: { schemas: Record<string, JsonSchema>; responses: object; parameters: object; securitySchemes: object };
}
export interface ApiOperation {
  operationId: string;
  summary: string;
  tags: string[];
  parameters: ({ name: string; in: string; required: boolean; description?: string; schema: JsonSchema } | { $ref: string })[];
  requestBody?: { required: boolean; content: Record<string, { schema?: JsonSchema }> };
  responses: Record<string, { description: string; content: Record<string, { schema?: JsonSchema }> } | { $ref: string }>;
  security?: object[];
}

const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  schema: { type: 'string', maxLength: 128 },
  description: 'A repeat under the same key is answered, not done again.',
};

function parameters(name: string, route: Route, schemas: NamedSchemas): ApiOperation['parameters'] {
  const from = (part: 'params' | 'query'): ApiOperation['parameters'] => {
    const schema = route[part];
    if (!schema) return [];
    const { properties, required } = schemas.of(name, part, schema) as { properties?: Record<string, JsonSchema>; required?: string[] };
    return Object.entries(properties ?? {}).map(([field, { description, ...rest }]) => ({
      name: field,
      in: part === 'params' ? 'path' : 'query',
      required: part === 'params' || (required ?? []).includes(field),
      schema: rest,
      ...(description === undefined ? {} : { description: description as string }),
    }));
  };
  const key = route.idempotent ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : [];
  return [...from('params'), ...from('query'), ...key];
}

const bytes = { schema: { type: 'string', format: 'binary' } };
/** The content types in which monitors send events. */
const cloudEvents = { 'application/cloudevents+json': {}, 'application/cloudevents-batch+json': {} };

function requestBody(name: string, route: Route, schemas: NamedSchemas): Pick<ApiOperation, 'requestBody'> {
  if (route.bytes) return { requestBody: { required: true, content: { 'application/octet-stream': bytes } } };
  if (!route.body) return {};
  const content = { 'application/json': { schema: schemas.of(name, 'body', route.body) }, ...(route.sources ? cloudEvents : {}) };
  return { requestBody: { required: true, content } };
}

function operation(name: string, route: Route, schemas: NamedSchemas): ApiOperation {
  const content = route.raw
    ? { 'application/octet-stream': bytes }
    : { 'application/json': { schema: schemas.of(name, 'response', route.response) } };
  return {
    operationId: name,
    summary: route.summary,
    tags: [route.tag],
    parameters: parameters(name, route, schemas),
    ...requestBody(name, route, schemas),
    responses: {
      200: { description: 'OK', content },
      '4XX': { $ref: '#/components/responses/Error' },
      '5XX': { $ref: '#/components/responses/Error' },
    },
    ...(route.open ? { security: [] } : {}),
  };
}

export function openApi(version: string, hub: { url: string; cookieName: string }): ApiDocument {
  const schemas = namedSchemas();
  const paths: ApiDocument['paths'] = {};
  for (const [name, route] of Object.entries(routes) as [string, Route][]) {
    const path = apiPrefix + route.path.replaceAll(/:(\w+)/g, '{$1}');
    (paths[path] ??= {})[route.method.toLowerCase()] = operation(name, route, schemas);
  }
  const error = {
    description: `One of ${Object.keys(errorCodes).join(', ')}.`,
    content: { 'application/json': { schema: schemas.named('WireError') } },
  };
  return {
    openapi: '3.1.0',
    info: {
      title: 'Parley',
      version,
      description: 'The HTTP API of a Parley hub: what the page, the command line and the SDK use.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: hub.url }],
    security: [{ token: [] }, { session: [] }],
    paths,
    components: {
      schemas: schemas.components(),
      responses: { Error: error },
      parameters: { IdempotencyKey: idempotencyKey },
      securitySchemes: { token: { type: 'http', scheme: 'bearer' }, session: { type: 'apiKey', in: 'cookie', name: hub.cookieName } },
    },
  };
}
