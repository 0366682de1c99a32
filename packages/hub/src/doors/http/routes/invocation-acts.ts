import { invocationView } from '../../../views/events.ts';
import type { RouteHandlers } from '../context.ts';

export const invocationActs: Pick<RouteHandlers, 'askInvocationAgain' | 'cancelInvocation'> = {
  askInvocationAgain: async ({ input, caller, hub }) => {
    const { invocationId } = input.params;
    return invocationView((await hub.engine.submit({ type: 'invocation.ask_again', by: caller.by, invocationId })).invocation);
  },
  cancelInvocation: async ({ input, caller, hub }) => {
    const { invocationId } = input.params;
    return invocationView((await hub.engine.submit({ type: 'invocation.cancel', by: caller.by, invocationId })).invocation);
  },
};
