// A resource of a tool server, as text for one person. The words are the server's: they are shown, and nothing follows them.

import type { Client } from '@modelcontextprotocol/client';
import { cutText } from '@parley/core';

export interface ReadResource {
  mediaType: string | null;
  text: string;
  isCut: boolean;
}

export async function readResource(
  client: Client,
  uri: string,
  most: number,
  options: { signal: AbortSignal; timeout: number },
): Promise<ReadResource> {
  const { contents } = await client.readResource({ uri }, options);
  const whole = contents
    .map((part) => ('text' in part && typeof part.text === 'string' ? part.text : `[${part.mimeType ?? 'unknown type'}, not shown]`))
    .join('\n');
  const text = cutText(whole, most);
  return { mediaType: contents[0]?.mimeType ?? null, text, isCut: text !== whole };
}
