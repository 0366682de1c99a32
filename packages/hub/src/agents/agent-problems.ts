// Why an agent cannot work, or works without some of its tools: beside the agent, as nobody looks for it in the log.

import { type Actor, may } from '@parley/core';
import type { Agent, BrainConfig, ToolServer } from '@parley/protocol';
import { hostOf, keyNameOf } from '../brains/model/provider.ts';
import { mustBePublic, PrivateTarget } from '../outbound/guarded-fetch.ts';
import type { Reader } from '../store/port.ts';
import type { McpClients } from '../tools/mcp-clients.ts';
import { identityOf } from './identity.ts';
import { SecretError, type SecretStore } from './secrets.ts';

export interface ProblemSources {
  store: Reader;
  keys: Pick<SecretStore, 'keyFor' | 'bindingProblem'>;
  privateWebhooks: boolean;
  /** The failure of the last webhook delivery, if this hub delivers for the agent. */
  webhookFailure: (agentId: string) => string | undefined;
}

/** The details that the caller may see. */
interface Sight {
  hosts: boolean;
  /** Undefined: they may not see which there are. */
  servers: readonly ToolServer[] | undefined;
}

/** Hosts are shown to those who manage keys. */
export async function problemSight({ actor }: { actor: Actor }, tools: Pick<McpClients, 'views'>): Promise<Sight> {
  const servers = may('tool.see', actor).allowed ? (await tools.views(may('tool.manage', actor).allowed)).servers : undefined;
  return { hosts: may('secret.manage', actor).allowed, servers };
}

interface WorkProblem {
  needsKey: string | null;
  problem: string | null;
}
type Problems = WorkProblem & { toolProblems: string[] };

const fine: WorkProblem = { needsKey: null, problem: null };
const boundElsewhere = 'Its key may not be sent to the host of its model. Ask an owner or admin to allow it.';
const webhookAway = 'Its webhook gets nothing. Ask an owner or admin, who see why.';

export async function problemsOf(sources: ProblemSources, { id }: Pick<Agent, 'id'>, sight: Sight): Promise<Problems> {
  const { brain: config, tools } = await identityOf(sources.store, id);
  const state = config.kind === 'model' ? await modelState(sources, config) : await webhookState(sources, id, config);
  const hidden = config.kind === 'model' ? boundElsewhere : webhookAway;
  return {
    ...state,
    problem: state.problem === null || sight.hosts ? state.problem : hidden,
    toolProblems: sight.servers ? missingTools(tools, sight.servers) : [],
  };
}

/** A second model may have its own key: then the agent can think. */
export async function modelState(
  { keys }: Pick<ProblemSources, 'keys'>,
  config: Extract<BrainConfig, { kind: 'model' }>,
): Promise<WorkProblem> {
  const models = [config, ...(config.fallback ? [config.fallback] : [])];
  let problem: string | null = null;
  for (const model of models) {
    const [name, host] = [keyNameOf(model), hostOf(model)];
    if (name === undefined) return fine;
    if ((await keys.keyFor(name).catch(() => undefined)) === undefined) continue;
    const bound = await keys.bindingProblem(name, host);
    if (bound === null) return fine;
    problem ??= bound;
  }
  return { needsKey: problem === null ? (keyNameOf(config) ?? null) : null, problem };
}

/** The checks of a delivery that need no delivery, and then how the last one failed. */
async function webhookState(sources: ProblemSources, agentId: string, config: BrainConfig): Promise<WorkProblem> {
  if (config.kind !== 'remote' || !config.webhook) return fine;
  const { url, secret } = config.webhook;
  const problem = (await webhookRefusal(sources, new URL(url), secret)) ?? sources.webhookFailure(agentId);
  return problem === undefined ? fine : { needsKey: null, problem: `Its webhook gets nothing: ${problem}` };
}

async function webhookRefusal({ keys, privateWebhooks }: ProblemSources, url: URL, secret: string): Promise<string | undefined> {
  try {
    if ((await keys.keyFor(secret)) === undefined) return unsetSecret(secret);
    if (!privateWebhooks) mustBePublic(url);
    return (await keys.bindingProblem(secret, url.host)) ?? undefined;
  } catch (error) {
    if (error instanceof SecretError || error instanceof PrivateTarget) return error.message;
    throw error;
  }
}

const unsetSecret = (name: string): string => `The secret ${name} is not set. Set it with \`npx parley secrets set ${name}\`.`;

/** A wrong name is no mistake in the agent, as the server may come later; but it is worth a word. So is a server that is down. */
export function missingTools(references: readonly string[], servers: readonly ToolServer[]): string[] {
  return references.flatMap((given) => {
    const [name, tool] = given.replace('mcp://', '').split('/');
    const server = servers.find((one) => one.name === name);
    if (!server) return `${given}: there is no tool server ${name}. \`npx parley tools list\` shows those there are.`;
    if (server.state === 'down')
      return server.problem === null
        ? `${given}: ${name} is down. An owner or admin can see why.`
        : `${given}: ${name} is down: ${server.problem}. Mend it, then try \`npx parley tools test ${name}\`.`;
    const lacks = tool !== undefined && server.state === 'up' && server.tools.every((one) => one.name !== tool);
    return lacks ? `${given}: ${name} offers no tool ${tool}. \`npx parley tools test ${name}\` shows what it does.` : [];
  });
}
