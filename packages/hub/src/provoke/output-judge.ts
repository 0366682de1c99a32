// Whether what an invocation said fits its schema. Patterns of a schema are patterns of others: where one is asked, the whole
// check is a matter of the thread that can be stopped.

import type { CompiledManifest, OutputVerdict } from '@parley/core/provoke';
import type { Matcher } from '../regex/matcher.ts';

const tooSlow: OutputVerdict = { ok: false, problems: [{ field: '(output)', message: 'takes too long to be checked against its schema' }] };

/** `owner`: whose time it is. */
export const outputJudge =
  (matcher: Matcher, { manifest, judge }: CompiledManifest, owner: string): ((text: string) => Promise<OutputVerdict>) =>
  async (text) => {
    let hasAsked = false;
    const judged = judge(text, { holds: () => (hasAsked = true) });
    if (!hasAsked) return judged;
    const [answer] = await matcher.ask(owner, [{ kind: 'judge', output: JSON.stringify(manifest.output), text }]);
    return answer!.tooSlow ? tooSlow : (answer!.value as OutputVerdict);
  };
