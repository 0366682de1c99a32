// Schemas that the hub publishes for editors.

import { z } from 'zod';
import { PapEvent } from './events.ts';
import { Manifest, ProvokeDocument } from './manifests.ts';
import { Absence, Schedule } from './schedules.ts';
import { Source } from './sources.ts';
import { Trigger } from './triggers.ts';

/** What an editor checks files and requests with. */
export const publishedSchemas = {
  document: ProvokeDocument,
  trigger: Trigger,
  manifest: Manifest,
  schedule: Schedule,
  absence: Absence,
  source: Source,
  event: PapEvent,
} as const;
export const SchemaName = z.enum(Object.keys(publishedSchemas) as [keyof typeof publishedSchemas, ...(keyof typeof publishedSchemas)[]]);
