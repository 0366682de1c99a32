// A service of its own that shares the hub's port below one path. The hub imports none: the command line passes it in.

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { FastifyInstance, RouteOptions } from 'fastify';
import type { pino } from 'pino';
import type { Config } from '../config.ts';

export interface MountedService {
  /** Sockets connect here; plain requests come below it. */
  path: string;
  /** Also answers GET requests at this path of the hub's root. */
  wellKnownPath?: string;
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  answer(request: IncomingMessage, response: ServerResponse): void;
  close(): Promise<void>;
}

export type MountService = (config: Config, logger: pino.Logger) => Promise<MountedService>;

/** A hub whose service cannot start is still a hub. */
export async function mountOn(app: FastifyInstance, mount: MountService, config: Config, logger: pino.Logger) {
  try {
    const service = await mount(config, logger);
    const answered: Pick<RouteOptions, 'onRequest' | 'handler'> = {
      // Before the hub would read a body, which is the service's to read.
      onRequest: (request, reply) => {
        reply.hijack();
        service.answer(request.raw, reply.raw);
      },
      handler: () => {},
    };
    app.route({ method: ['GET', 'POST'], url: `${service.path}/*`, ...answered });
    if (service.wellKnownPath !== undefined) app.route({ method: 'GET', url: service.wellKnownPath, ...answered });
    return service;
  } catch (error) {
    logger.error({ err: error }, 'A service on the hub’s port could not start; the hub runs without it');
    return undefined;
  }
}
