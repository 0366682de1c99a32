import { expect, test } from 'vitest';
import { measure, rates } from '../../test/corpora.ts';
import { isClearQuestion } from './clear-question.ts';

// prettier-ignore
const asked = [
  '?', 'where do you live', 'who is coming tonight', 'hey, is the office open tomorrow', 'does 3pm work for everyone', 'What is broken? Never seen it.', 'thanks! and when do we leave', 'Can someone look at this!!',
  'kann mir jemand helfen', 'wann fahren wir los', 'est-ce que tu viens', 'où est la salle', 'qué hora es', 'toplantı ne zaman', 'geliyor musunuz', 'もう着きましたか',
  'pouvons-nous changer la date', 'avez-vous vu le chat', 'quelqu’un a vu mes clés', 'alguien sabe la hora', 'hast du heute Zeit', 'any news', 'should we go, or should they come', 'anyone know who can drive', 'what time is the meeting',
  "isn't it closed on Mondays?", 'Who needs access to the folder?', 'Who knows the code of the gate?', 'Do you know what a lease costs?', 'Wer weiß, wo der Schlüssel ist?', 'Wer hätte morgen Zeit?', 'Qui sait où est la clé ?', 'Quel temps fait-il ?', '¿Qué día quedamos?',
  'with whom did you speak', 'from where does the number come', 'on which shelf is it', 'how come nobody told me', 'what if we ask them', 'who told you that', 'und wer bezahlt das', 'wie funktioniert das', 'was kostet das', 'was verdient man da', 'wieviel kostet das im Jahr', 'welche Version läuft gerade', 'passt dir Dienstag', 'Möchten Sie einen Termin', 'comment je fais pour me connecter', 'was plant ihr heute', 'was gilt denn jetzt', 'does Tom help with that', 'can all of you come', 'wann essen wir', 'wie komme ich rein', 'weiß jemand, wo der Beamer ist', 'has anybody asked the landlord', 'Does it help? The new one, I mean.',
];
// prettier-ignore
const told = [
  '', 'you know, I liked the old one', "you don't want to know", 'you should see the queue', 'please rerun it', 'tell her I said hi', 'so do we', 'do you really', 'had you seen his face', 'should you need anything just shout', 'what we agreed on still holds',
  'where I work now we recycle', 'which is why I left', 'could be the proxy', 'Did what I could.', 'What a goal!', 'he asked when it starts', '> when?', 'can we all agree that it is great', '`x` is the line', 'jetzt geht es wieder', 'kann man machen', 'quand tu veux', 'quién sabe', 'mi casa es tu casa', 'eso es para mi', 'nasıl istersen', 'kim bilir', 'そうですか', 'いつでもいいよ',
  'Le rendez-vous est à neuf heures.', 'Servez-vous, il reste du gâteau.', 'Attends-nous devant la gare.', 'Quelqu’un a laissé la lumière allumée.', 'Quand on arrive tôt il y a de la place.', 'Alguien me dijo que cierran pronto.', 'Puede que llueva mañana.', 'Tienes que ver la última temporada.', 'Qué frío hace hoy.', 'Como está lloviendo, voy en coche.',
  'Wer zuerst kommt, mahlt zuerst.', 'Hast du Zeit, komm einfach vorbei.', 'Geht das schief, rufen wir den Elektriker.', "What's important is that nobody got hurt.", 'What happened was that the belt snapped.', 'Any questions, just shout.', 'Any news and I’ll call you.', 'Anyone interested can sign up at the desk.', 'Should it rain we’ll meet inside.', 'Should they ask, say I’m out.', 'May the best team win.',
  'who cares?', 'Honestly, who knew?', 'how should I know?', 'in which case we leave early', 'of which two were broken', 'at which point nobody was there', 'would also do it in two steps', 'Should hopefully be fine by noon.', 'will probably have to cancel', 'what bugs me is the noise', 'weißt du, ich fahre gern Bus', 'Was bezahlt wurde, ist weg.', 'Wer gefragt hat, weiß es.', 'Was vielleicht hilft: Salz.', 'Wer jetzt lacht, hat verloren.', 'when does it start she asked', 'when does it start, they asked',
  'Welche Version auch immer läuft, sie ist alt.', 'welche Freude', 'passt mir gut', 'wieviel auch immer', 'Was just about to leave', 'was great to see everyone', 'Was sent the wrong invoice', 'was right about the proxy', 'Does not work for me either', 'does also run on my phone', 'Should all be fine now', 'Could well be the cache', 'Will go get the coffee',
];

test.each(asked)('[C2A-12] %j asks beyond doubt', (text) => {
  expect(isClearQuestion(text)).toBe(true);
});

test.each(told)('[C2A-12] [PAP-6] %j does not', (text) => {
  expect(isClearQuestion(text)).toBe(false);
});

test.each(['tuning', 'kept'] as const)(
  '[C2A-12] [PAP-6] of ordinary talk, its %s part, statements wake nobody and questions do',
  (part) => {
    const share = rates(measure('isClearQuestion', part));
    expect(share.mistaken).toBeLessThanOrEqual(0.03);
    expect(share.found).toBeGreaterThanOrEqual(0.95);
  },
);

test('[C2A-12] of what is long the beginning and the end are read, and in no time', () => {
  const told = 'The third one was fine. '.repeat(1_000);
  expect([told, `${told}Who has the key?`, 'a'.repeat(100_000), 'mi '.repeat(30_000)].map(isClearQuestion)).toEqual([
    false,
    true,
    false,
    false,
  ]);
});
