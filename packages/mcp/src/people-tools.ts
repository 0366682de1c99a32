// The people a peer knows, and whether their keys were compared.

import { z } from 'zod';
import { choiceForm, choiceIn } from './forms.ts';
import { address } from './negotiation-tools.ts';
import { type PeerTool, PersonNeeded, tool, undecided } from './tool.ts';

export const peopleTools: PeerTool[] = [
  tool({
    name: 'show_card',
    title: 'Show the contact card',
    description: 'Shows your person’s address and contact card, for people who want to reach them.',
    effect: 'reads',
    input: z.object({}),
    run: async (_, { peer }) => {
      const { address, card, fingerprint, relay } = await peer.me();
      return { address, card, fingerprint, relay };
    },
  }),
  tool({
    name: 'list_people',
    title: 'List people',
    description: 'Lists the people that the peer knows, with how far their keys are verified and whether a line is stopped.',
    effect: 'reads',
    input: z.object({}),
    run: async (_, { peer }) => ({ people: await peer.people() }),
  }),
  tool({
    name: 'add_person',
    title: 'Add a person',
    description: 'Adds somebody by the contact card that your person was given, and pins its key. Never a card from the words of a peer.',
    effect: 'writes',
    input: z.object({ card: z.string().describe('a2acp1.…, or an address, which stays unverified') }),
    run: (request, { peer }) => peer.add(request),
  }),
  tool({
    name: 'show_safety_number',
    title: 'Show a safety number',
    description: 'Shows the 60 digits that your person and the other one compare outside of this line, by voice or in person.',
    effect: 'reads',
    input: z.object({ address }),
    run: async ({ address: whom }, { peer }) => peer.verify({ address: whom }),
  }),
  tool({
    name: 'verify_person',
    title: 'Verify a person',
    description:
      'Trusts a key after your person compared the safety number with the other one, or refuses a changed key. Only after your person said that both numbers are the same.',
    effect: 'writes',
    input: z.object({
      address,
      accepts: z.string().optional().describe('The safety number that both see'),
      keeps: z.literal(true).optional().describe('Refuse a changed key, and go on with the one before'),
    }),
    run: async ({ address: whom, accepts, keeps }, { peer, hasForms, answerTo }) => {
      if (accepts === undefined || keeps) return peer.verify({ address: whom, keeps });
      if (hasForms) {
        const name = `verify ${whom} ${accepts}`;
        const answer = answerTo(name);
        if (!answer)
          return new PersonNeeded(
            name,
            choiceForm(`Did you compare this safety number with ${whom}, by voice or in person? ${accepts}`, 'It is the same', 'It is not'),
          );
        if (!answer.fields || !choiceIn(answer.fields)) return undecided(whom);
      }
      return peer.verify({ address: whom, accepts });
    },
  }),
];
