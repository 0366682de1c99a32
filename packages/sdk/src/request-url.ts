import { routes } from '@parley/protocol';
import type { Route, RouteName } from '@parley/protocol';

export interface LooseInput {
  params?: Record<string, unknown>;
  query?: Record<string, unknown>;
  body?: unknown;
}

export const routeOf = (name: RouteName): Route => routes[name];

const text = (value: unknown): string => (typeof value === 'string' ? value : String(value));

/** Parameters are encoded one by one: an emoji or a slash in one must not change which route is reached. */
export function urlOf(baseUrl: string, name: RouteName, input: LooseInput): string {
  const path = routeOf(name).path.replaceAll(/:(\w+)/g, (_, key: string) => {
    const value = input.params?.[key];
    if (value === undefined) throw new TypeError(`${name} needs params.${key}`);
    return encodeURIComponent(text(value));
  });
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(input.query ?? {})) if (value !== undefined) query.set(key, text(value));
  return `${apiUrl(baseUrl)}${path}${query.size > 0 ? `?${query.toString()}` : ''}`;
}

export const apiUrl = (baseUrl: string): string => `${baseUrl.replace(/\/+$/, '')}/api/v1`;
