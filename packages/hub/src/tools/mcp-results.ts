// A tool's answer, as text for its caller.

import type { CallToolResult, Client } from '@modelcontextprotocol/client';
import { cutText } from '@parley/core';

export function textOf({ content, structuredContent }: Pick<CallToolResult, 'content' | 'structuredContent'>, most: number): string {
  const parts = content.map((block): string => {
    switch (block.type) {
      case 'text':
        return block.text;
      case 'image':
      case 'audio':
        return `[${block.type} of type ${block.mimeType}, not shown]`;
      case 'resource':
        return 'text' in block.resource ? block.resource.text : `[resource ${block.resource.uri}, not shown]`;
      case 'resource_link':
        return `[resource ${block.uri}]`;
    }
  });
  const text = parts.length === 0 && structuredContent !== undefined ? JSON.stringify(structuredContent) : parts.join('\n');
  return cutText(text, most);
}

// A resource of a tool server, as text for one person. The words are the server's: they are shown, and nothing follows them.

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
