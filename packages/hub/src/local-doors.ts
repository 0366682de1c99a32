// The doors of a hub that does not listen: what the command line asks when no hub is running goes through the same
// routes, the same checks and the same engine as a request would.

import type { Config } from './config.ts';
import { openDataDir } from './data-dir.ts';
import { buildServer } from './doors/http/server.ts';
import { Live } from './doors/stream/live-streams.ts';
import { httpDoor } from './hub.ts';
import { startKernel } from './kernel.ts';
import { logFault, openLog } from './log.ts';
import { privateServices } from './outbound/guarded-fetch.ts';

export interface LocalDoor {
  /** Answers as a hub at any address would. */
  fetch: typeof fetch;
  operatorKey: string;
  stop(): Promise<void>;
}

/** The caller holds the lock on the data folder. */
export async function openLocally(config: Config): Promise<LocalDoor> {
  const logger = openLog(config);
  const dataDir = await openDataDir(config.dataDir);
  const kernel = await startKernel({
    dataDir,
    databaseUrl: config.databaseUrl,
    workspaceName: config.workspaceName,
    limits: config.work,
    runsAgents: false,
    mayCallPrivate: privateServices(config.privateServices),
    onError: (error) => logFault(logger, error),
  });
  // Links lead to where the hub will be once it is up.
  const pageUrl = (): string => config.publicUrl ?? `http://localhost:${config.port}`;
  const app = await buildServer(httpDoor({ config, kernel, dataDir, live: new Live(kernel.store, kernel.tail), logger, pageUrl }));
  return {
    operatorKey: dataDir.operatorKey,
    fetch: async (input, init) => {
      const request = new Request(input, init);
      const url = new URL(request.url);
      const answer = await app.inject({
        method: request.method as 'GET',
        url: url.pathname + url.search,
        headers: { ...Object.fromEntries(request.headers), host: 'localhost' },
        ...(request.body === null ? {} : { payload: Buffer.from(await request.arrayBuffer()) }),
      });
      return new Response(answer.body, { status: answer.statusCode, headers: { 'content-type': String(answer.headers['content-type']) } });
    },
    stop: async () => {
      await app.close();
      await kernel.stop();
    },
  };
}
