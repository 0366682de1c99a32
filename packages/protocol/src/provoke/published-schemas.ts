// Schemas that the hub publishes for editors and programs.

import { z } from 'zod';
import { type AgentMethod, agentMethods, Delivery, RpcRequest } from '../agents/agent-socket.ts';
import { PapEvent } from './events.ts';
import { Manifest, ProvokeDocument } from './manifests.ts';
import { Absence, Schedule } from './schedules.ts';
import { Source } from './sources.ts';
import { Trigger } from './triggers.ts';

type MethodSchemas = Record<`agent_${'params' | 'result'}.${AgentMethod}`, z.ZodType>;
const methodSchemas = Object.fromEntries<z.ZodType>(
  Object.entries(agentMethods).flatMap(([method, { params, result }]) => [
    [`agent_params.${method}`, params],
    [`agent_result.${method}`, result],
  ]),
) as MethodSchemas;

/** What an editor or a program checks files, requests and frames with. */
export const publishedSchemas = {
  document: ProvokeDocument,
  trigger: Trigger,
  manifest: Manifest,
  schedule: Schedule,
  absence: Absence,
  source: Source,
  event: PapEvent,
  agent_request: RpcRequest,
  agent_delivery: Delivery,
  ...methodSchemas,
} as const;
export const SchemaName = z.enum(Object.keys(publishedSchemas) as [keyof typeof publishedSchemas, ...(keyof typeof publishedSchemas)[]]);
