// How calls are answered: one function for each, with the host's means and the argument.

import type { PeerCall, PeerCalls } from '@parley/protocol';
import type { CallContext } from './context.ts';

export type CallAnswers<C extends PeerCall, Context = CallContext> = {
  readonly [N in C]: (context: Context, argument: PeerCalls[N]['in']) => Promise<PeerCalls[N]['out']>;
};
