// A service of its own that shares the hub's port below one path. The hub imports none: the command line passes it in.

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { FastifyInstance, RouteOptions } from 'fastify';
import type { pino } from 'pino';
import { handleShape, isReservedName } from '@parley/core';
import { reservedHandles } from '@parley/protocol';
import { mostHandleLetters } from '@parley/protocol/relay';
import type { Config } from '../config.ts';
import { hiddenShape } from '../engine/steps/people/handles.ts';
import type { Reader } from '../store/port.ts';

export interface MountedService {
  /** Sockets connect here; plain requests come below it. */
  path: string;
  /** The service also answers GET requests at this path of the hub's root. */
  wellKnownPath?: string;
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  answer(request: IncomingMessage, response: ServerResponse): void;
  close(): Promise<void>;
}

/** The calls that a mounted service may make to the hub. */
export interface MountingHub {
  /** A member or role is or was called so, or nearly so; or the platform keeps the name. */
  hasName: (name: string) => Promise<boolean>;
}

export type MountService = (config: Config, logger: pino.Logger, hub: MountingHub) => Promise<MountedService>;

/** Signs between the letters of a handle are easy to miss, so handles are compared without them. */
const withoutSigns = (shape: string): string => shape.replaceAll(/[._-]/g, '');
const bareSql = ['.', '_', '-'].reduce((text, sign) => `replace(${text}, '${sign}', '')`, 'skeleton');
const bareStart = bareSql.replace('skeleton', `substr(skeleton, 1, ${mostHandleLetters})`);
const groups: ReadonlySet<string> = new Set([...reservedHandles].map(handleShape));

export const namesIn = (store: Reader): MountingHub => ({
  hasName: async (name) => {
    // A member whose name is taken at the relay is `ada-2` there.
    const shapes = [name, name.replace(/[._-][\dilo]+$/, '')].map(handleShape);
    const letters = shapes.map(withoutSigns);
    if (isReservedName(name) || letters.some((one) => groups.has(one))) return true;
    const found = await store.rows(
      'handle_skeletons',
      `where skeleton in (?, ?) or ${bareSql} in (?, ?) or ${bareStart} in (?, ?) limit 1`,
      [...shapes.map(hiddenShape), ...letters, ...letters],
    );
    return found.length > 0;
  },
});

/** A hub whose service cannot start is still a hub. */
export async function mountOn(app: FastifyInstance, mount: MountService, config: Config, logger: pino.Logger, hub: MountingHub) {
  try {
    const service = await mount(config, logger, hub);
    const routeOptions: Pick<RouteOptions, 'onRequest' | 'handler'> = {
      // This runs before the hub would read the body, because the service reads it.
      onRequest: (request, reply) => {
        reply.hijack();
        service.answer(request.raw, reply.raw);
      },
      handler: () => {},
    };
    app.route({ method: ['GET', 'POST'], url: `${service.path}/*`, ...routeOptions });
    if (service.wellKnownPath !== undefined) app.route({ method: 'GET', url: service.wellKnownPath, ...routeOptions });
    return service;
  } catch (error) {
    logger.error({ err: error }, 'A service on the hub’s port could not start; the hub runs without it');
    return undefined;
  }
}
