// A tool has a name, a schema, and a function over the peer. It knows nothing of MCP's messages.

import type { OwnPeerCalls } from '@parley/protocol';
import type { z } from 'zod';
import type { Form } from './forms.ts';

/** Told to the client: whether it may call the tool without asking its person. */
export type Effect = 'reads' | 'writes' | 'removes';

export interface ToolCall {
  peer: OwnPeerCalls;
  /** The client can show a form to its person. */
  hasForms: boolean;
  /** The person's answer to the form of this name; undefined before the form was shown. */
  answerTo: (name: string) => FormAnswer | undefined;
}

/** `fields`: as the client sent them, unchecked; undefined where the person closed the form or refused it. */
export interface FormAnswer {
  fields: Readonly<Record<string, unknown>> | undefined;
}

/** The tool needs its person: it runs again with their answer. */
export class PersonNeeded {
  readonly name: string;
  readonly form: Form;

  constructor(name: string, form: Form) {
    this.name = name;
    this.form = form;
  }
}

export interface PeerTool {
  name: string;
  title: string;
  description: string;
  effect: Effect;
  input: z.ZodObject;
  run(input: unknown, call: ToolCall): Promise<object | PersonNeeded>;
}

export function tool<S extends z.ZodObject>(
  definition: Omit<PeerTool, 'input' | 'run'> & { input: S; run(input: z.output<S>, call: ToolCall): Promise<object | PersonNeeded> },
): PeerTool {
  return definition;
}

/** The result of a tool whose form the person closed. */
export const undecided = (id: string): object => ({
  undecided: id,
  message: 'The person closed the form without an answer. Nothing changed; the prompt stays open.',
});
