// A tool's answer, as text for its caller.

import type { CallToolResult } from '@modelcontextprotocol/client';
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
