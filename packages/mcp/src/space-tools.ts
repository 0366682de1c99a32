// Shared spaces. What others wrote in them is marked as their words.

import { z } from 'zod';
import { choiceForm, choiceIn } from './forms.ts';
import { address } from './negotiation-tools.ts';
import { spaceOf, untrusted } from './peer-words.ts';
import { type PeerTool, PersonNeeded, tool, undecided } from './tool.ts';

const id = z.string().describe('spc_…');
const permission = z.enum(['read-all', 'write-own-fields', 'full-write']);

export const spaceTools: PeerTool[] = [
  tool({
    name: 'list_spaces',
    title: 'List spaces',
    description: 'Lists the spaces that your person shares with others, with how many changes they have not seen.',
    effect: 'reads',
    input: z.object({}),
    run: async (_, { peer }) => ({
      spaces: (await peer.spaces()).map(({ id: spaceId, people, unseen }) => ({
        id: spaceId,
        people: people.map((one) => one.address),
        new_changes: unseen,
      })),
    }),
  }),
  tool({
    name: 'show_space',
    title: 'Show a space',
    description: 'Shows the fields of a space, who wrote them, who may write what, and what others changed.',
    effect: 'reads',
    input: z.object({ id }),
    // Changes stay new to the person where only a model has read them.
    run: async (request, { peer }) => spaceOf(await peer.space(request)),
  }),
  tool({
    name: 'show_space_history',
    title: 'Show the history of a field',
    description: 'Shows the last 20 values of one field of a space, with who wrote them.',
    effect: 'reads',
    input: z.object({ id, field: z.string() }),
    run: async ({ id: spaceId, field }, { peer }) => {
      const found = (await peer.space({ id: spaceId })).fields.find((one) => one.field === field);
      return {
        id: spaceId,
        field,
        ...untrusted({ values: found ? [found, ...found.earlier].map(({ value, by, version }) => ({ value, by, version })) : [] }),
      };
    },
  }),
  tool({
    name: 'create_space',
    title: 'Share a space',
    description: 'Makes a space with people that the peer knows. Everybody in it reads all fields. Only where your person asked for it.',
    effect: 'writes',
    input: z.object({ name: z.string(), people: z.array(z.object({ address, may: permission.default('full-write') })) }),
    run: async ({ name, people }, { peer }) => {
      const others = people.map(({ address: whom, may }) => ({ with: { address: whom }, may }));
      const { id: spaceId, line } = await peer.createSpace({ name, people: others, words: 'agent' });
      return spaceOf({ ...(await peer.space({ id: spaceId, isStored: true })), line });
    },
  }),
  tool({
    name: 'write_space',
    title: 'Write in a space',
    description:
      'Writes one field of a space, or removes it with null. Everybody in the space gets it. Values of your person leave as their tiers allow.',
    effect: 'writes',
    input: z.object({ id, field: z.string(), value: z.json() }),
    run: async ({ id: spaceId, field, value }, { peer, hasForms, answerTo }) => {
      const write = (words: 'own' | 'agent') => peer.writeSpace({ id: spaceId, writes: [{ field, value }], words });
      const form = `write ${spaceId} ${field} ${JSON.stringify(value)}`;
      const answer = answerTo(form);
      if (answer) {
        if (!answer.fields || !choiceIn(answer.fields)) return undecided(field);
        return spaceOf(await write('own'));
      }
      try {
        return spaceOf(await write('agent'));
      } catch (error) {
        // The person's own words are their consent; a tier that forbids it forbids it then, too.
        if (!hasForms || !(error as Error).message.includes('only after its person was asked')) throw error;
        const message = `Write ${field}: ${JSON.stringify(value)} into the space ${spaceId}? Everybody in it reads it.`;
        return new PersonNeeded(form, choiceForm(message, 'Write it', 'Do not share it'));
      }
    },
  }),
];
