// The model that a hub offers to its people's peers, and the questions that a peer asks it through the hub (A2C-35, A2C-37).

import { z } from 'zod';

export const modelProviders = ['anthropic', 'openai', 'openai_compatible'] as const;

/** One provider of the hub, with its model for each size. The hub alone has the key. */
export interface HubModelProvider {
  provider: (typeof modelProviders)[number];
  baseUrl: string | null;
  models: { small?: string; medium?: string; large?: string };
}

/** `second`: asked when the first one fails. */
export interface HubModels {
  first: HubModelProvider;
  second: HubModelProvider | null;
}

export interface PeerModelQuestion {
  isSecond: boolean;
  model: string;
  system: string;
  user: string;
  tools: { name: string; description: string; input: Record<string, unknown> }[];
}

/** `failed`: why no model answered, in words for the person. */
export type PeerModelAnswer = { calls: { name: string; input: unknown; broken?: true }[] } | { failed: string };

export const PeerModel = z.object({
  offered: z
    .array(z.object({ provider: z.string(), models: z.array(z.string()) }))
    .describe('models of this hub that your peer may ask, the second provider last; empty: it offers none'),
  isOn: z.boolean().describe('false: rules negotiate for you, without a model'),
});
export type PeerModel = z.infer<typeof PeerModel>;

export const SetPeerModel = z.strictObject({ isOn: z.boolean() });

/** Where a peer asks with its person's own key: the key itself, or the variable of the environment that holds it. */
export interface OwnModelProvider {
  provider: (typeof modelProviders)[number];
  baseUrl: string | null;
  models: { small?: string | undefined; medium?: string | undefined; large?: string | undefined };
  key: { value: string } | { variable: string } | null;
}

/** No answer shows a key that is stored. */
export interface ShownModelProvider extends Omit<OwnModelProvider, 'key'> {
  key: 'stored' | 'none' | { variable: string };
}

/** `second`: asked when the first one fails. Both null: rules negotiate, without a model. */
export interface OwnModels {
  first: ShownModelProvider | null;
  second: ShownModelProvider | null;
}
