// A tool of the workspace: its arguments as a schema, and what it does as a read inside the task or a command.

import { plainErrors, problemsOf, problemText } from '@parley/protocol';
import { z } from 'zod';
import type { Tool } from '../../brains/brain.ts';
import { type AtWork, type Call, refusalText } from '../tool-caller.ts';

export interface WorkspaceTool {
  name: string;
  description: string;
  readOnly: boolean;
  /** The schema of the input. */
  schema: z.ZodType;
  /** The schema that is listed, where it is another: a call that asks for more gets an answer in words of its own. */
  listed?: z.ZodType;
  run(at: AtWork, input: never, call: Call): Promise<string>;
}

export const workspaceTool = <S extends z.ZodType>(
  tool: Omit<WorkspaceTool, 'schema' | 'run'> & { schema: S; run: (at: AtWork, input: z.output<S>, call: Call) => Promise<string> },
): WorkspaceTool => tool;

/** The name of somebody or something. A model may write anything there; a text that no database takes is refused before it is looked up. */
export const nameSchema = (most: number) =>
  z
    .string()
    .max(most)
    .refine((text) => !text.includes('\0'), 'must not hold control characters');

/** Keyed by the schema, because each turn may make new tools. */
const schemas = new WeakMap<z.ZodType, Record<string, unknown>>();

function schemaOf({ schema, listed = schema }: WorkspaceTool): Record<string, unknown> {
  const cached = schemas.get(listed);
  if (cached) return cached;
  const { $schema: _, ...made } = z.toJSONSchema(listed, { io: 'input' });
  schemas.set(listed, made);
  return made;
}

/** Many models write null for what they leave out. */
const withoutNulls = (input: unknown): unknown =>
  typeof input === 'object' && input !== null && !Array.isArray(input)
    ? Object.fromEntries(Object.entries(input).filter(([, value]) => value !== null))
    : input;

export function toolAt(tool: WorkspaceTool, at: AtWork): Tool {
  return {
    name: tool.name,
    description: tool.description,
    input: schemaOf(tool),
    readOnly: tool.readOnly,
    // A repetition does no harm: the command knows the key, or the state already holds.
    keyed: !tool.readOnly,
    run: async (input, call) => {
      const parsed = tool.schema.safeParse(withoutNulls(input ?? {}), plainErrors);
      if (!parsed.success) {
        const problem = problemText(problemsOf(parsed.error));
        return { text: `Error: ${tool.name} does not take these arguments: ${problem}`, isError: true };
      }
      try {
        return { text: await tool.run(at, parsed.data as never, call) };
      } catch (error) {
        return { text: refusalText(error), isError: true };
      }
    },
  };
}
