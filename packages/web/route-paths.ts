import { fileURLToPath } from 'node:url';
import type { Route } from '@parley/protocol';
import type { Plugin } from 'vite';

const table = fileURLToPath(new URL('../protocol/src/routes.ts', import.meta.url));

/** The page calls routes by method and path. Without this, each visitor would load the schemas of every request and answer first. */
export const routePaths = (): Plugin => ({
  name: 'route-paths',
  async load(id) {
    if (id !== table) return null;
    // While developing, the table changes under a running server.
    const { routes } = (await import(`${table}?${Date.now()}`)) as { routes: Record<string, Route> };
    const lines = Object.entries(routes).map(
      ([name, { method, path, idempotent }]) => `${name}: ${JSON.stringify({ method, path, idempotent })}`,
    );
    return `export const routes = {\n${lines.join(',\n')}\n};`;
  },
});
