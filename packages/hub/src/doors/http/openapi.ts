// The OpenAPI document, from the same table the routes are registered from.

import { errorCodes, type Route, routes, WireError } from '@parley/protocol';
import { z } from 'zod';
import { apiPrefix } from './server.ts';

const schemaOf = (schema: z.ZodType, io: 'input' | 'output'): object => {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any', target: 'draft-2020-12' });
  return rest;
};

function parameters(route: Route): object[] {
  const from = (schema: z.ZodType | undefined, where: 'path' | 'query'): object[] => {
    if (!schema) return [];
    const json = schemaOf(schema, 'input') as { properties?: Record<string, { description?: string }>; required?: string[] };
    return Object.entries(json.properties ?? {}).map(([name, property]) => ({
      name,
      in: where,
      required: where === 'path' || (json.required ?? []).includes(name),
      schema: property,
      ...(property.description === undefined ? {} : { description: property.description }),
    }));
  };
  const key = route.idempotent
    ? [
        {
          name: 'Idempotency-Key',
          in: 'header',
          required: false,
          schema: { type: 'string', maxLength: 128 },
          description: 'A repeat under the same key is answered, not done again.',
        },
      ]
    : [];
  return [...from(route.params, 'path'), ...from(route.query, 'query'), ...key];
}

/** Where monitors hand in what they have. */
const cloudEvents = { 'application/cloudevents+json': {}, 'application/cloudevents-batch+json': {} };

function operation(name: string, route: Route): object {
  const content = route.raw ? { 'application/octet-stream': {} } : { 'application/json': { schema: schemaOf(route.response, 'output') } };
  const body = route.bytes
    ? { requestBody: { required: true, content: { 'application/octet-stream': {} } } }
    : route.body
      ? {
          requestBody: {
            required: true,
            content: { 'application/json': { schema: schemaOf(route.body, 'input') }, ...(route.sources ? cloudEvents : {}) },
          },
        }
      : {};
  return {
    operationId: name,
    summary: route.summary,
    tags: [route.tag],
    parameters: parameters(route),
    ...body,
    responses: {
      200: { description: 'OK', content },
      default: {
        description: `An error: one of ${Object.keys(errorCodes).join(', ')}`,
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
      },
    },
    ...(route.open ? { security: [] } : {}),
  };
}

export function openApi(version: string): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const [name, route] of Object.entries(routes) as [string, Route][]) {
    const path = apiPrefix + route.path.replaceAll(/:(\w+)/g, '{$1}');
    (paths[path] ??= {})[route.method.toLowerCase()] = operation(name, route);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Parley',
      version,
      description: 'The HTTP API of a Parley hub: what the page, the command line and the SDK use.',
    },
    security: [{ token: [] }, { session: [] }],
    paths,
    components: {
      schemas: { Error: schemaOf(WireError, 'output') },
      securitySchemes: { token: { type: 'http', scheme: 'bearer' }, session: { type: 'apiKey', in: 'cookie', name: 'parley_<port>' } },
    },
  };
}
