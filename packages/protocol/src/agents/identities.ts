// What an agent is made of, whether it is kept in a folder of files or written over the API, and the secrets it is run with.

import { z } from 'zod';
import { BehaviourMode } from '../tasks/contacts.ts';
import { MemberId } from '../ids.ts';
import { Body } from '../conversations/messages.ts';
import { About, DisplayName, Handle, HandleOrId } from '../people/members.ts';

/** Lower case, so that its name in the environment (PARLEY_SECRET_…) is that of no other. */
export const SecretName = z.string().regex(/^[a-z][a-z0-9_]{0,62}$/, 'must be 1 to 63 of a-z 0-9 _ and begin with a letter');

/** Without a name and password in it: what is in here is shown. */
const HttpUrl = z
  .url({ protocol: /^https?$/, error: 'must be an http(s) URL' })
  .max(500, 'must be at most 500 characters')
  .refine((url) => !/^[a-z]+:\/\/[^/?#]*@/i.test(url), 'must not hold a name or a password');

/** In millionths of a US dollar; 0 is for what costs nothing. */
export const TokenPrice = z.int().min(0).max(1_000_000_000_000);
const Price = z.strictObject({ inputMicrosPerMillionTokens: TokenPrice, outputMicrosPerMillionTokens: TokenPrice });

const modelFields = {
  provider: z.enum(['anthropic', 'openai', 'openai_compatible']),
  model: z.string().min(1, 'must not be empty').max(200, 'must be at most 200 characters'),
  baseUrl: HttpUrl.optional(),
  key: SecretName.optional().describe('the name of the secret; default: the provider’s own'),
  maxOutputTokens: z.int().min(1).max(1_000_000).optional(),
  maxSteps: z.int().min(1).max(100).optional(),
  temperature: z.number().min(0).max(2).optional(),
  price: Price.optional().describe('what is charged to the chain’s budget'),
};

const Model = z.strictObject(modelFields);
export type ModelConfig = z.infer<typeof Model>;

/** What it thinks with. */
export const BrainConfig = z
  .discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('builtin') }),
    z.strictObject({ kind: z.literal('model'), ...modelFields, fallback: Model.optional().describe('asked when the first one fails') }),
    z.strictObject({
      kind: z.literal('remote'),
      webhook: z
        .strictObject({ url: HttpUrl, secret: SecretName })
        .optional()
        .describe('events come as signed POSTs instead of on a socket'),
    }),
  ])
  .superRefine((brain, context) => {
    if (brain.kind !== 'model') return;
    for (const [model, path] of [[brain, []] as const, ...(brain.fallback ? [[brain.fallback, ['fallback']] as const] : [])])
      if (model.provider === 'openai_compatible' && model.baseUrl === undefined)
        context.addIssue({ code: 'custom', path: [...path, 'baseUrl'], message: 'is required: where the server is' });
  });
export type BrainConfig = z.infer<typeof BrainConfig>;

/** Text that a model is given: held to what a message may be. */
const notes = (most: number) => Body.refine((text) => text.length <= most, `must be at most ${most} characters`);

export const Identity = z.strictObject({
  profile: z.strictObject({ handle: Handle, displayName: DisplayName, about: About }),
  instructions: notes(40_000).describe('what it is to do, in its owner’s words'),
  memory: notes(40_000).describe('what it has noted; its owner’s data, a value a line'),
  tools: z
    .array(z.string().regex(/^mcp:\/\/[A-Za-z0-9][A-Za-z0-9_.-]{0,63}(\/[A-Za-z0-9_.-]{1,128})?$/, 'must be mcp://name'))
    .max(50, 'must be at most 50'),
  brain: BrainConfig,
  mode: BehaviourMode,
  manager: HandleOrId.nullable().describe('the handle of its manager, or their ID'),
});
export type Identity = z.infer<typeof Identity>;

/** What is wrong in the files of an agent; what was there before stays in force. */
export const FolderProblem = z.object({
  file: z.string().describe('below the data folder'),
  line: z.number().nullable(),
  column: z.number().nullable(),
  field: z.string(),
  message: z.string(),
});
export type FolderProblem = z.infer<typeof FolderProblem>;

const version = z.int().min(0);

export const AgentIdentity = z.object({
  agentId: MemberId,
  version: version.describe('0: unchanged since it was made'),
  source: z.enum(['api', 'folder']).describe('where it is edited'),
  at: z.number().nullable(),
  identity: Identity,
  problems: z.array(FolderProblem).describe('`folder`: what is wrong in its files, so that they are not in force'),
});
export type AgentIdentity = z.infer<typeof AgentIdentity>;

export const PutIdentity = Identity.extend({ version: version.describe('the version you have read; refused if there is a newer one') });
export type PutIdentity = z.input<typeof PutIdentity>;

export const RestoreIdentity = z.strictObject({ version: version.describe('the version in force when you read it') });

export const IdentityVersion = z.object({
  version,
  at: z.number(),
  changedBy: MemberId.nullable().describe('null: the operator, or its files'),
  identity: Identity,
});
export type IdentityVersion = z.infer<typeof IdentityVersion>;

export const AgentFolder = z.object({ handle: z.string(), problems: z.array(FolderProblem) });
export type AgentFolder = z.infer<typeof AgentFolder>;

/** Never its value: what is set is known to be set, and by whom. */
export const Secret = z.object({
  name: z.string(),
  from: z.enum(['environment', 'file', 'stored']).describe('where it is taken from; the first of these wins'),
  problem: z.string().nullable().describe('why it cannot be used as it is'),
  hosts: z.array(z.string()).describe('where it may be sent; empty: the first host it is used with becomes its own'),
  setBy: MemberId.nullable(),
  at: z.number().nullable(),
});
export type Secret = z.infer<typeof Secret>;

const SecretHosts = z
  .array(z.string().regex(/^[a-z0-9.[\]:-]{1,255}$/, 'must be a host, as api.example.com or localhost:11434'))
  .max(20, 'must be at most 20');
export const BindSecret = z.strictObject({ hosts: SecretHosts });

export const SetSecret = z.strictObject({
  hosts: SecretHosts.optional().describe('where it may be sent; left out, the first host it is used with'),
  value: z
    .string()
    .min(1, 'must not be empty')
    .max(10_000, 'must be at most 10000 characters')
    .regex(/^[\x20-\x7E]+$/, 'must be one line of plain characters'),
});

const said = Body.refine((text) => text.trim() !== '', 'must not be empty');

/** What a webhook may answer to a delivery; nothing, and it says it later over HTTP. */
export const WebhookAnswer = z
  .strictObject({ say: said.optional(), answer: said.optional(), question: said.optional(), decline: said.optional() })
  .refine(
    (answer) => Object.values(answer).filter((text) => text !== undefined).length <= 1,
    'must be one of say, answer, question, decline',
  );
export type WebhookAnswer = z.infer<typeof WebhookAnswer>;
