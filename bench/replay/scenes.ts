// The scenes of a working day, and how often each happens. `wants` is the author's intention, whatever any program makes of
// it.

import type { Scene } from './scene.ts';
import * as words from './words.ts';

type Play = (scene: Scene) => void;
interface Kind {
  /** How often, against the others. */
  weight: number;
  where: 'channel' | 'open' | 'dm' | 'group';
  /** People beside the one who begins, and agents nobody is talking with. */
  people?: number;
  agents?: number | 'all';
  play: Play;
}

/** A request to an agent by name, in one piece; the agent. */
function ask(scene: Scene): { agent: string; id: string } {
  const [agent] = scene.company.agents;
  const id = scene.say(scene.company.who, `^${agent!} ${scene.text(words.requests)}`, { wants: [agent!] });
  return { agent: agent!, id };
}

function answer(scene: Scene, agent: string, on: string, said: Parameters<Scene['say']>[2] = {}): string {
  return scene.wait(7, 35).say(agent, scene.text(words.answers), { on, ...said });
}

/** As people do: most say nothing, some thank by name. */
function thank(scene: Scene, agent: string, said: Parameters<Scene['say']>[2] = {}): void {
  if (scene.chance(0.5)) return;
  const text = scene.wait(5, 20).text(words.filler);
  scene.say(scene.company.who, scene.chance(0.4) ? `^${agent} ${text}` : text, said);
}

const request: Play = (scene) => {
  const { agent, id } = ask(scene);
  answer(scene, agent, id);
  thank(scene, agent);
};

const inPieces: Play = (scene) => {
  const { who } = scene.company;
  const { agent, id } = ask(scene);
  for (const _ of scene.times(1, 4)) {
    // Now and then the name is said again.
    const named = scene.chance(0.15) ? `^${agent} ` : '';
    scene.wait(0.7, 2.3).say(who, `${named}${scene.text(words.pieces)}`, { wants: [agent], part: id });
  }
  answer(scene, agent, id);
  thank(scene, agent);
};

const inThread: Play = (scene) => {
  const { who } = scene.company;
  const { agent, id } = ask(scene);
  answer(scene, agent, id, { thread: id });
  for (const _ of scene.times(0, 3)) {
    const followUp = scene.wait(15, 60).say(who, scene.text(words.followUps), { thread: id, wants: [agent] });
    answer(scene, agent, followUp, { thread: id });
  }
  thank(scene, agent, { thread: id });
};

const onItsAnswer: Play = (scene) => {
  const { agent, id } = ask(scene);
  const said = answer(scene, agent, id);
  const followUp = scene.wait(8, 40).say(scene.company.who, scene.text(words.followUps), { replyTo: said, wants: [agent] });
  answer(scene, agent, followUp);
  thank(scene, agent);
};

const askedBack: Play = (scene) => {
  const { agent, id } = ask(scene);
  scene.wait(7, 25).say(agent, scene.text(words.questions), { on: id, kind: 'question' });
  scene.wait(6, 40).say(scene.company.who, scene.text(words.replies), { wants: [agent] });
  answer(scene, agent, id);
  thank(scene, agent);
};

const givenOn: Play = (scene) => {
  const { agent, id } = ask(scene);
  const other = scene.company.agents[1]!;
  const handover = scene.wait(7, 20).say(agent, `^${other} ${scene.text(words.handed)}`, { on: id, kind: 'progress', wants: [other] });
  answer(scene, other, handover);
  answer(scene, agent, id);
};

const ofTwo: Play = (scene) => {
  const [one, two] = scene.company.agents;
  const text = `^${one!} and ^${two!}: ${scene.text(words.requests)}`;
  const id = scene.say(scene.company.who, text, { wants: [one!, two!] });
  for (const agent of [one!, two!]) answer(scene, agent, id);
};

const ofAll: Play = (scene) => {
  const { who, present } = scene.company;
  const id = scene.say(who, `^ALL ${scene.text(words.toAll)}`, { wants: [...present] });
  for (const agent of present) answer(scene, agent, id);
};

const ofAny: Play = (scene) => {
  const { who, present, agents } = scene.company;
  const first = agents.find((agent) => present.includes(agent));
  if (first === undefined) return;
  const id = scene.say(who, `^ANY ${scene.text(words.toAny)}`, { wants: [...present], any: true });
  answer(scene, first, id);
};

const ofARole: Play = (scene) => {
  const { who, holders, agents } = scene.company;
  const role = scene.pick(Object.keys(holders) as (keyof typeof words.toRole)[]);
  const able = agents.filter((agent) => holders[role]?.includes(agent));
  if (able.length === 0) return;
  const id = scene.say(who, `^${role} ${scene.text(words.toRole[role])}`, { wants: [...holders[role]!], any: true });
  if (scene.chance(0.4)) scene.wait(0.7, 2.2).say(who, scene.text(words.pieces), { wants: [...holders[role]!], any: true, part: id });
  answer(scene, able[0]!, id);
};

/** Misspelt and mended, meant for another, or called only when it is edited. */
const edited: Play = (scene) => {
  const { who, agents } = scene.company;
  const [agent, other] = agents;
  const text = scene.text(words.requests);
  const how = scene.pick(['mended', 'turned', 'called', 'late'] as const);
  if (how === 'turned' && other !== undefined) {
    const id = scene.say(who, `^${other} ${text}`);
    scene.wait(0.8, 2).edit(id, `^${agent!} ${text}`, [agent!]);
    answer(scene, agent!, id);
  } else if (how === 'called') {
    const id = scene.say(who, text);
    scene.wait(3, 12).edit(id, `^${agent!} ${text}`, [agent!]);
    answer(scene, agent!, id);
  } else {
    const id = scene.say(who, `^${agent!} ${text.replace('e', '')}`, { wants: [agent!] });
    if (how === 'late') answer(scene, agent!, id);
    scene.wait(0.8, 2).edit(id, `^${agent!} ${text}`, [agent!]);
    if (how !== 'late') answer(scene, agent!, id);
  }
};

const takenBack: Play = (scene) => {
  const [agent] = scene.company.agents;
  const id = scene.say(scene.company.who, `^${agent!} ${scene.text(words.requests)}`);
  scene.wait(0.8, 2).delete(id);
};

const inADm: Play = (scene) => {
  const { who, agents } = scene.company;
  const [agent] = agents;
  for (const _ of scene.times(1, 3)) {
    const id = scene.say(who, scene.text(words.direct), { wants: [agent!] });
    for (const _ of scene.times(0, 2)) scene.wait(0.7, 2.3).say(who, scene.text(words.pieces), { wants: [agent!], part: id });
    answer(scene, agent!, id);
    scene.wait(5, 40);
  }
  if (scene.chance(0.6)) scene.say(who, scene.text(words.filler));
};

const inAGroup: Play = (scene) => {
  const { who, others, agents } = scene.company;
  // A DM of several people is a room: its agent is called by name.
  const id = scene.say(who, `^${agents[0]!} ${scene.text(words.direct)}`, { wants: [agents[0]!] });
  answer(scene, agents[0]!, id);
  scene.wait(4, 20).say(who, `@${others[0]!} ${scene.text(words.toPeople)}`);
  scene.wait(4, 20).say(others[0]!, `@${who} ${scene.text(words.backToPeople)}`);
};

const sentAway: Play = (scene) => {
  const [agent] = scene.company.agents;
  scene.say(scene.company.who, `^${agent!} ${scene.text(words.leaving)}`);
  scene.left.push(agent!);
};

const talk: Play = (scene) => {
  const { who, others, place } = scene.company;
  const agent = scene.pick(scene.company.present);
  const speakers = [who, ...others];
  const thread = place.kind === 'channel' && scene.chance(0.25) ? scene.say(who, scene.text(words.chatter)) : undefined;
  for (const i of scene.times(2, 7)) {
    const by = speakers[i % speakers.length]!;
    const text = scene.chance(0.08) ? scene.text(words.about, agent) : scene.text(scene.chance(0.15) ? words.filler : words.chatter);
    scene.wait(3, 25).say(by, text, thread === undefined ? {} : { thread });
  }
};

const toAPerson: Play = (scene) => {
  const { who, others } = scene.company;
  scene.say(who, `@${others[0]!} ${scene.text(words.toPeople)}`);
  scene.wait(4, 40).say(others[0]!, scene.text(words.backToPeople));
  if (scene.chance(0.3)) scene.wait(3, 20).say(who, scene.text(words.filler));
};

const tells: Play = (scene) => {
  for (const _ of scene.times(1, 4)) scene.wait(0.5, 30).say(scene.company.who, scene.text(words.status));
};

export const kinds: readonly Kind[] = [
  { weight: 34, where: 'channel', people: 2, play: talk },
  { weight: 12, where: 'open', people: 2, play: talk },
  { weight: 22, where: 'channel', play: tells },
  { weight: 13, where: 'channel', people: 1, play: toAPerson },
  { weight: 14, where: 'channel', agents: 1, play: request },
  { weight: 8, where: 'channel', agents: 1, play: inPieces },
  { weight: 6, where: 'channel', agents: 1, play: inThread },
  { weight: 3, where: 'channel', agents: 1, play: onItsAnswer },
  { weight: 4, where: 'channel', agents: 1, play: askedBack },
  { weight: 2, where: 'channel', agents: 2, play: givenOn },
  { weight: 2, where: 'channel', agents: 2, play: ofTwo },
  { weight: 0.6, where: 'channel', agents: 'all', play: ofAll },
  { weight: 1.5, where: 'channel', agents: 1, play: ofAny },
  { weight: 4, where: 'channel', agents: 1, play: ofARole },
  { weight: 3, where: 'channel', agents: 2, play: edited },
  { weight: 1.5, where: 'channel', agents: 1, play: takenBack },
  { weight: 0.5, where: 'channel', agents: 1, play: sentAway },
  { weight: 2, where: 'open', agents: 1, play: request },
  { weight: 7, where: 'dm', agents: 1, play: inADm },
  { weight: 2, where: 'group', agents: 1, play: inAGroup },
];
export type { Kind };
