// Tools for sharing and memory: what the peer shares with each person, and what it remembers of them.

import { z } from 'zod';
import { choiceForm, choiceIn } from './forms.ts';
import { memoryOf } from './peer-words.ts';
import { address } from './negotiation-tools.ts';
import { type PeerTool, PersonNeeded, tool, undecided } from './tool.ts';

const field = z.string().describe('Such as dietary, timezone or time_windows');
const tiers = { always: 'always_share', ask: 'ask_first', never: 'never_share' } as const;

export const sharingTools: PeerTool[] = [
  tool({
    name: 'show_tiers',
    title: 'Show what is shared',
    description: 'Shows which fields the peer knows, without their values, and which go out always, after asking, or never.',
    effect: 'reads',
    input: z.object({}),
    run: async (_, { peer }) => {
      const { fields, tiers: everybody, overrides } = await peer.profile();
      return { known: Object.keys(fields), tiers: everybody, overrides };
    },
  }),
  tool({
    name: 'set_tier',
    title: 'Set what is shared',
    description:
      'Shares a field always, after asking your person, or never; for everybody or for one peer. Only where your person asked for it.',
    effect: 'writes',
    input: z.object({ field, tier: z.enum(['always', 'ask', 'never']), address: address.optional() }),
    run: async ({ field: name, tier, address: whom }, { peer, hasForms, answerTo }) => {
      // Anything narrower takes no consent away from the person.
      if (tier === 'always' && hasForms) {
        const form = `always ${name} ${whom ?? ''}`;
        const answer = answerTo(form);
        const message = `Share ${name} with ${whom ?? 'everybody who asks'} from now on, without asking you?`;
        if (!answer) return new PersonNeeded(form, choiceForm(message, 'Share always', 'Keep asking me'));
        if (!answer.fields || !choiceIn(answer.fields)) return undecided(name);
      }
      await peer.setTier({ field: name, tier: tiers[tier], address: whom });
      return { field: name, tier: tiers[tier] };
    },
  }),
  tool({
    name: 'set_profile_field',
    title: 'Set a value of your person',
    description: 'Stores a value of your person, such as their diet or time zone. Its tier decides who gets it.',
    effect: 'writes',
    input: z.object({ field, value: z.json() }),
    run: async (request, { peer }) => {
      await peer.setField(request);
      return request;
    },
  }),
  tool({
    name: 'show_memory',
    title: 'Show the memory',
    description: 'Shows what the peer remembers of one person or of everybody: what they ask for, give and decline.',
    effect: 'reads',
    input: z.object({ address: address.optional() }),
    run: async ({ address: whom }, { peer }) => memoryOf(await peer.memory({ address: whom })),
  }),
  tool({
    name: 'correct_memory',
    title: 'Correct the memory',
    description: 'Replaces a value that the peer remembers of somebody, where your person says that it is wrong.',
    effect: 'writes',
    input: z.object({ address, field, value: z.json() }),
    run: async ({ address: whom, ...edit }, { peer }) => memoryOf([await peer.editMemory({ address: whom, ...edit })]),
  }),
  tool({
    name: 'forget_memory',
    title: 'Forget',
    description: 'Forgets one value, or everything that the peer remembers of somebody.',
    effect: 'removes',
    input: z.object({ address, field: field.optional() }),
    run: async ({ address: whom, field: name }, { peer }) => {
      if (name === undefined) await peer.forgetMemory({ address: whom });
      else await peer.editMemory({ address: whom, field: name, value: null });
      return { forgot: name ?? 'everything', of: whom };
    },
  }),
];
