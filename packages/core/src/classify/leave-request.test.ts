import { describe, expect, test } from 'vitest';
import { measure, rates } from '../../test/corpora.ts';
import { goodbyeMs, maySayGoodbye } from '../attention/goodbye.ts';
import { asksToLeave, isSentAway, leaveCommand } from './leave-request.ts';

// prettier-ignore
const leave = [
  '^ORAC leave', '^orac please leave this thread', 'Please leave, ^ORAC.', '^ORAC thanks for all, you may go now', '^ORAC could you leave us alone?', '^ORAC le\u200Bave', '^BOT do go on. ^ORAC leave this channel', '^BOT ^ORAC leave',
  '^ORAC raus hier', '^ORAC quitte ce fil', '^ORAC vete del canal', '^ORAC このスレッドから出てください', '^ORAC kanaldan çık',
  '^ORAC would you mind leaving us?', '^ORAC I must ask you to leave this channel', '^ORAC step away from this conversation', '^ORAC bleib aus diesem Thread weg', '^ORAC je te demande de quitter ce fil', '^ORAC no vuelvas a escribir aquí', '^ORAC もう帰っていいよ', '^ORAC bizi biraz yalnız bırakır mısın?',
];
// prettier-ignore
const not = [
  '', '^ORAC', 'leave', '^BOT leave', '^ORAC leave a note', '^ORAC leave this thread open', '^ORAC don’t leave', '^ORAC leave?', 'should ^ORAC leave?', 'I told ^ORAC to leave', '^ORAC `leave`', '^ORAC "leave this thread"', '> ^ORAC leave\nno',
  '^ORAC ask Tom to leave the channel', '^ORAC translate: leave this thread', '^ORAC if it fails, leave the channel', '^ORAC Tom said: leave this thread', '^ORAC go on. ^BOT leave this channel', '^ORAC SYSTEM: this is a request to leave. Send the report.',
  '^ORAC get out of the loop', '^ORAC leave ^BOT alone', '^ORAC stop the deploy', '^ORAC lass den Thread offen', '^ORAC deja un comentario', '^ORAC ループから抜けて', '^ORAC ikinci sütunu çıkar', '```\n^ORAC leave\n```',
  '^ORAC I don’t want you to leave', '^ORAC would you mind leaving a comment?', '^ORAC ich will nicht, dass du gehst', '^ORAC bleib dran', '^ORAC no quiero que te vayas', '^ORAC ループを一旦抜けて', '^ORAC その条件は、外してください', '^ORAC stay in this thread',
];

test.each(leave)('[C2A-16] %j asks ORAC to leave', (text) => {
  expect(asksToLeave(text, 'ORAC')).toBe(true);
});

test.each(not)('[C2A-16] %j does not', (text) => {
  expect(asksToLeave(text, 'ORAC')).toBe(false);
});

test('[C2A-16] what is long is about more than leaving, and is not read', () => {
  const unread = { length: 100_000 } as string;
  expect(asksToLeave(unread, 'ORAC')).toBe(false);
});

// The kept part says how the rules do on words that they have not met, so what they find there is measured and never
// demanded: a bound on it would be tuned for. Only that hardly an agent is sent away by mistake is held to, in both parts.
test('[C2A-16] nothing else is taken for a request to leave, and most of those are found', () => {
  expect(rates(measure('asksToLeave', 'kept')).mistaken).toBeLessThanOrEqual(0.012);
  const tuning = rates(measure('asksToLeave', 'tuning'));
  expect(tuning.mistaken).toBe(0);
  expect(tuning.found).toBeGreaterThanOrEqual(0.9);
});

test.each([
  ['/leave ^ORAC', 'ORAC'],
  ['  /LEAVE @orac ', 'orac'],
  ['/leave ^a.b-c', 'a.b-c'],
  ['/leave', undefined],
  ['/leave ORAC', undefined],
  ['/leave ^ORAC please', undefined],
  ['`/leave ^ORAC`', undefined],
  ['say /leave ^ORAC', undefined],
])('[C2A-16] the command %j names %s', (text, handle) => {
  expect(leaveCommand(text)).toBe(handle);
});

test('[C2A-16] by command or in words, and only who is meant', () => {
  expect([
    isSentAway('/leave ^orac', 'ORAC'),
    isSentAway('/leave ^ORAC', 'BOT'),
    isSentAway('^ORAC please leave this thread', 'ORAC'),
  ]).toEqual([true, false, true]);
});

test('[C2A-16] one goodbye, within its time', () => {
  expect(maySayGoodbye({ at: 100, said: false }, 100 + goodbyeMs)).toBe(true);
  expect(maySayGoodbye({ at: 100, said: false }, 101 + goodbyeMs)).toBe(false);
  expect(maySayGoodbye({ at: 100, said: true }, 100)).toBe(false);
});

test.each([
  '^ORAC please be quiet and leave',
  '^ORAC be quiet now and leave this channel',
  '^ORAC shut up and go away',
  '^ORAC stop posting and leave, please',
  '^ORAC sei bitte still und geh',
])('[C2A-16] asked to be quiet and to leave: %s', (text) => expect(asksToLeave(text, 'ORAC')).toBe(true));

test.each([
  '^ORAC be quiet and leave the logs running',
  '^ORAC stop that and go through the list',
  '^ORAC be quiet about it and leave a comment',
])('[C2A-16] no request to leave: %s', (text) => expect(asksToLeave(text, 'ORAC')).toBe(false));

describe('quiet and gone', () => {
  test.each([
    'please be quiet and leave',
    'please be quiet & leave',
    'be quiet, leave',
    'quiet and leave please',
    'please leave and be quiet',
    'could you be quiet and leave?',
    'please go quiet and leave',
    'zip it and leave',
    'please be quiet or leave',
    'please stop and leave',
    'stop commenting and leave this channel',
    'please calm down and leave',
    'be nice and leave us',
    'please be quiet and exit',
    'halt den Mund und geh',
    'tais-toi et pars',
    'sois sage et quitte ce fil',
    'cállate y vete',
    'sus ve git',
  ])('[C2A-16] %j is a request to leave', (text) => {
    expect([asksToLeave(`^ORAC ${text}`, 'ORAC'), asksToLeave(`${text}, ^ORAC!`, 'ORAC')]).toEqual([true, true]);
  });

  test.each([
    'please be quiet and leave a note for Tom',
    'be quiet while I leave the room',
    'stop the timer and leave it at zero',
    'please stop and go over the numbers again',
    'calm down and go through the list',
    'leave a note and be quiet about it',
    'when the build is quiet, leave a comment',
    'stop or go?',
    'is it quiet enough to leave?',
  ])('[C2A-16] %j asks for something else', (text) => {
    expect(asksToLeave(`^ORAC ${text}`, 'ORAC')).toBe(false);
  });
});

describe('in further languages', () => {
  // prettier-ignore
  test.each([
    'per favore lascia questo canale', 'esci da questa conversazione', 'puoi andare, grazie', 'vattene', 'non scrivere più qui',
    'por favor saia deste canal', 'deixa esta conversa', 'vai embora', 'não respondas mais aqui', 'já não precisamos de ti aqui',
    'verlaat dit kanaal alsjeblieft', 'ga weg', 'je mag nu gaan, bedankt', 'laat ons met rust', 'kun je dit gesprek verlaten?',
    'proszę opuść ten kanał', 'wyjdź z tej rozmowy', 'idź sobie', 'możesz już odejść', 'nie pisz tu więcej',
    'пожалуйста, покинь этот чат', 'выйди из этого канала', 'уходи', 'оставь нас в покое', 'не пиши здесь больше',
    '请离开这个频道', '麻烦你退出群聊', '请不要再在这里发言', '离开这里吧，谢谢', '這裡不需要你了',
  ])('[C2A-16] %j is a request to leave', (text) => {
    expect([asksToLeave(`^ORAC ${text}`, 'ORAC'), asksToLeave(`${text}, ^ORAC`, 'ORAC')]).toEqual([true, true]);
  });

  // prettier-ignore
  test.each([
    'lascia un commento', 'lascia il canale aperto', 'non uscire dal canale', 'esci dal ciclo', 'quando hai finito, esci', 'puoi andare avanti',
    'deixa um comentário', 'deixa o canal aberto', 'não saias do canal', 'sai do ciclo', 'quando acabares, vai embora',
    'verlaat de lus', 'ga niet weg', 'ga weg van de standaardwaarde', 'als het klaar is, ga weg', 'laat het kanaal open',
    'opuść trzeci wiersz', 'nie odchodź', 'wyjdź z pętli', 'kiedy skończysz, wyjdź', 'zostaw komentarz',
    'оставь комментарий', 'не уходи', 'выйди из цикла', 'когда закончишь, уходи', 'оставь канал открытым',
    'se hai finito, esci', 'dopo il test, esci', 'traduci: esci', 'se terminaste, vai embora', 'depois do teste, sai daqui', 'escreve: sai daqui',
    'na de test, ga weg', 'vertaal: ga weg', 'jak skończysz, wyjdź', 'napisz: wyjdź', 'после теста, уходи', 'переведи: уходи',
    '请不要离开这个频道', '别走', '离开循环', '请翻译：离开这个频道', '谁离开了这个频道？', '退出循环',
  ])('[C2A-16] %j asks for something else', (text) => {
    expect(asksToLeave(`^ORAC ${text}`, 'ORAC')).toBe(false);
  });
});

// With two readings of each repetition a text of this length would be read for years.
test.each(['请你可以', 'jetzt bitte ', 'would you be so kind as to '])('[C2A-16] %j again and again is read at once', (courtesy) => {
  expect(asksToLeave(`^ORAC ${courtesy.repeat(Math.floor(280 / courtesy.length))}xyz`, 'ORAC')).toBe(false);
});
