// Phrases of the people and agents of the synthetic archive. `{…}` is filled in; nothing here was taken from anybody.

export const slots: Readonly<Record<string, readonly string[]>> = {
  service: ['billing', 'search', 'the uploader', 'the api', 'checkout', 'the mailer', 'login', 'the importer', 'the scheduler', 'payments'],
  place: ['staging', 'production', 'the eu region', 'the canary', 'the old cluster', 'the demo account'],
  thing: ['the retry limit', 'the cache', 'the timeout', 'the index', 'the certificate', 'the queue', 'the feature flag', 'the migration'],
  number: ['3', '7', '12', '18', '41', '96', '203', '412', '1,204', '9,870'],
  percent: ['0.4', '1.2', '2', '3.5', '8', '14', '37', '61'],
  run: ['4812', '4833', '4907', '5021', '5098', '5110', '5177'],
  version: ['2.0.4', '2.1.0', '2.1.1', '2.2.0-rc1', '3.0.0-beta'],
  time: ['9:40', '10:05', '11:20', '13:15', '14:02', '15:30', '16:45'],
  day: ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'next week', 'last week', 'in March'],
  topic: ['the pricing page', 'the onboarding', 'the export', 'the mobile menu', 'the search results', 'the settings', 'the error pages'],
  customer: ['the bakery', 'the school in Lyon', 'the museum', 'the bike shop', 'the clinic', 'the library', 'the two brothers'],
  language: ['French', 'Polish', 'Finnish', 'Turkish', 'Japanese', 'Spanish'],
};

/** To one agent, after its handle. */
export const requests = [
  'what is the error rate of {service} on {place}?',
  'why did run {run} fail?',
  'can you check whether {thing} of {service} was changed {day}?',
  'compare {service} with what it was {day}, please',
  'draft the release notes for {version}, short ones',
  'summarise what was decided about {topic}',
  'who changed {thing} on {place}?',
  'list every timeout in {service}, with its default',
  'open a ticket for {topic} and put {customer} on it',
  'how many people used {topic} {day}?',
  'roll {service} back to {version} on {place}',
  'translate the notice about {topic} into {language}',
  'is {thing} of {service} still needed?',
  'please look at run {run} and tell us which step was slow',
  'find the orders of {customer} that have no payment',
  'plot sign-ups per week, without {customer}',
  'remind me {day} to look at {topic}',
  'does the handbook say anything about {topic}?',
  'peux-tu résumer la discussion sur {topic} ?',
  'kannst du nachsehen, ob {service} auf {place} läuft?',
  '¿puedes comprobar {thing} de {service}?',
  '{service} neden yavaş, bakar mısın?',
  '{service} のエラーを調べてください',
];

/** Fragments that follow a request in the same breath. */
export const pieces = [
  'the one on {place}',
  'since about {time}',
  'only for {customer}',
  'and without the weekend',
  'it says {number} but I count fewer',
  'I mean {service}',
  'compared with {day}',
  'in a table if you can',
  'version {version}',
  'no need for the whole log',
];

export const answers = [
  'It is {percent} percent, {number} in all; {day} it was less.',
  'Run {run} failed at the third step: {thing} was missing on {place}.',
  'Nobody has touched {thing} since {version}.',
  'Here it is: {number} of them, most for {customer}. The rest is in the ticket.',
  '{service} answers again on {place}; {thing} was the cause.',
  'Done. I left {topic} as it was.',
  'I found {number}, and {percent} percent of them come from {place}.',
  'The handbook asks for two people, and {topic} had one.',
  'Yes: since {time}, and only on {place}.',
  'No. It was replaced by {thing} in {version}.',
];

/** An agent's, in the middle of its task. */
export const questions = [
  'Which one do you mean, {place} or production?',
  'From {day}, or from the beginning?',
  'For {customer} only, or for everyone?',
];
export const replies = [
  'the first',
  'for everyone please',
  '{place}',
  'from the beginning',
  'only {customer}',
  'both, if it is not too much',
];
export const handed = [
  'please give me the numbers of {service} for {day}.',
  'please look whether {thing} was changed on {place}.',
  'I need the notes on {topic}.',
];

/** In a thread with one agent, or on its answer, to nobody by name. */
export const followUps = [
  'and how was it {day}?',
  'can you do the same for {service}?',
  'why only on {place}?',
  'could you put that into the ticket as well?',
  'what would it take to change {thing}?',
  'does that include {customer}?',
];

/** In a direct message, to nobody by name. */
export const direct = [
  'what have I missed in #releases?',
  'could you read my note on {topic} before I send it?',
  'how many tickets are mine?',
  'when does the certificate of {service} run out?',
  'please prepare the numbers for {day}',
  'move my meeting about {topic} to {day}',
];

export const toAll = [
  'report what you are working on, please',
  'which of you has {thing} in use? one line each',
  'say what you know about {topic}',
];
export const toAny = [
  'who can translate two lines into {language}?',
  'somebody please read the notes on {topic}',
  'summarise the thread about {thing}',
];
export const toRole = {
  oncall: ['{service} answers with 502 since {time}', 'the queue of {service} is growing, can you look?', 'is {place} down for you too?'],
  docs: ['the page about {topic} is out of date', 'where is {thing} described?', 'please add {version} to the history'],
};

/** Nothing to answer, with a name before it or without. */
export const filler = [
  'thanks!',
  'thank you',
  'perfect, thanks',
  'great',
  'nice',
  '👍',
  'ok',
  'got it',
  'cheers',
  'that did it, thanks',
  'lovely, thank you so much',
  '🎉',
  'merci !',
  'danke',
  'ありがとう',
];

export const status = [
  'build {run} passed in 3m 12s',
  'build {run} failed: {number} tests, 2 errors',
  '[{time}] deploy of {version} to {place} finished',
  '[{time}] INFO {service} restarted, {number} jobs in the queue',
  'WARN {service} slow query 1200 ms',
  'nightly backup completed, {number} MB',
  'disk usage on {place}: {percent} %',
  'merged: {topic} ({number} files changed)',
  'certificate of {service} renewed until {day}',
  'release {version} published',
];

export const chatter = [
  'I think {thing} is wrong: it never gives up',
  'does anybody remember why we pinned {version}?',
  'it is raining again',
  'the tests pass here and fail there, as ever',
  'could we move the retro to {day}?',
  'I would rather we wrote {topic} down once',
  'no idea, it was like that when I came',
  'I have a theory about {service}',
  'we said {percent} percent {day}, did we not?',
  'lunch?',
  'maybe, but {customer} asked for it',
  'that is the third time this week',
  'let us see what {day} brings',
  'I never liked {topic}',
  'who has the key to the server room',
  'it works on my machine',
  'we could also just drop it',
  'not before {day}',
  'je préfère la première version',
  'das sehen wir uns {day} an',
];

/** About agents, and to none of them: without the sign, in code, in a quotation. */
export const about = [
  '{agent} said it was {thing}',
  'I asked {agent} already, it did not know',
  '`^{agent}` is how you call it',
  '> ^{agent} what about {topic}?\n\nthat was never answered, I think',
  'we should tell {agent} about {version} some day',
  '```\n^{agent} {thing}\n```\nthis is from the old script',
];

/** From one person to another, after their name. */
export const toPeople = [
  'can you review {topic}?',
  'are you free at {time}?',
  'did {customer} write back?',
  'you have {thing} on your list, right?',
  'could you approve {version}?',
];
export const backToPeople = ['sure, in ten minutes', 'yes', 'not today, sorry', 'already done', 'let me look', 'give me until {time}'];

export const leaving = ['please leave this channel', 'leave this channel, please', 'please stop taking part here'];
