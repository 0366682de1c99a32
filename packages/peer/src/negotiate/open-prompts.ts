// Questions to the person that nobody needs to answer any more.

import { getRecord } from '../packets/records.ts';
import type { Staging } from '../packets/staging.ts';
import { putPrompt } from './records.ts';

export async function withdrawPrompt(staging: Staging, id: string): Promise<void> {
  const prompt = (await getRecord(staging, 'prompt', id))?.value;
  if (prompt?.state === 'open') await staging.commit([putPrompt({ ...prompt, state: 'withdrawn' })]);
}
