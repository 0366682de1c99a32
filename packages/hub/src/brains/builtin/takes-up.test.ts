import { expect, test } from 'vitest';
import { builtinBrain } from './brain.ts';

const brain = builtinBrain();

test.each([
  'who is here?',
  'Who’s online right now?',
  'who is in this channel',
  'can you summarize this thread please',
  'summary of this channel',
  'catch me up',
  'What did I miss here?',
  'where did we mention the Lyon school?',
  'find the invoice in this channel',
  'what’s going on?',
  'open tasks',
  'what is everyone working on?',
])('[PAP-4] it takes up %j', (text) => expect(brain.takesUp!(text)).toBe(true));

test.each([
  'who is responsible for the online shop?',
  'who is around in Berlin next week?',
  'summarize the attached contract please',
  'can you recap the Q3 earnings call of Siemens?',
  'find a plumber for Saturday',
  'look for a cheaper hosting plan',
  'a summary of the meeting with the bank?',
  'what is going on in Paris?',
  'who is here for the first time in Lyon?',
  'catch me up on the election',
  'close the open tasks of the sprint and write to Eva',
  'where did the money go?',
  '',
])('[PAP-4] it passes on %j', (text) => expect(brain.takesUp!(text)).toBe(false));
