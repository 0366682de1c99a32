// What the person's peer knows about them, and who gets it.

import { badInput, type PeerProfile } from '@parley/protocol';
import { defaultSharing, fieldKey, setBaseTier, setOverride, withField } from '@parley/core/consent';
import { mustFitPackets } from '../negotiate/sharing.ts';
import { emptyProfile } from '../negotiate/negotiation-records.ts';
import { editMemory, forgetMemory, listMemories, showMemory } from '../memory/memories.ts';
import { type CallAnswers, changeProfile, mustHave, type OpenPeer } from './context.ts';
import { addCalendar, type AddedCalendar, linkCalendar, removeCalendar } from './calendars.ts';
import { mustBeField } from './checks.ts';

export const sharingAnswers: CallAnswers<
  'profile' | 'setField' | 'setTier' | 'addCalendar' | 'linkCalendar' | 'removeCalendar' | 'memory' | 'editMemory' | 'forgetMemory'
> = {
  profile: async (context) => profileOf(await context.find()),
  setField: async (context, { field, value }) => {
    mustBeField('field', field);
    mustFitPackets(field, value);
    const open = await context.make();
    if (fieldKey(field) === 'timezone' && value !== null) await open.negotiations.mustKnowZone(value);
    await changeProfile(open, (profile) => ({ ...profile, fields: withField(profile.fields, field, value) }));
    return profileOf(open);
  },
  setTier: async (context, { field, tier, address }) => {
    mustBeField('field', field);
    if (tier === null && address === undefined)
      throw badInput(`${field} needs a tier for everybody. Only the tier for one person can be taken back.`);
    const open = await context.make();
    if (address !== undefined) await open.peer.peer(address);
    await changeProfile(open, (profile) => ({
      ...profile,
      chosen: address === undefined ? [...new Set([...(profile.chosen ?? []), fieldKey(field)])] : (profile.chosen ?? []),
      rules: address === undefined ? setBaseTier(profile.rules, field, tier!) : setOverride(profile.rules, address, field, tier),
    }));
    context.reportSharing?.(open);
    return profileOf(open);
  },
  addCalendar: async (context, calendar) => {
    const open = await context.make();
    return profileOf(open, await addCalendar(open, calendar));
  },
  linkCalendar: async (context, { path }) => {
    const open = await mustHave(context);
    return profileOf(open, await linkCalendar(open, path));
  },
  removeCalendar: async (context, { name }) => {
    const open = await mustHave(context);
    await removeCalendar(open, name);
    return profileOf(open);
  },
  memory: async (context, { address }) => {
    const open = await context.find();
    if (!open) return [];
    const memories = address === undefined ? await listMemories(open.peer) : [await showMemory(open.peer, address)];
    return memories.map((one) => ({ ...one, name: context.nameOf(one.address) }));
  },
  editMemory: async (context, edit) => {
    const memory = await editMemory((await mustHave(context)).peer, edit);
    return { ...memory, name: context.nameOf(memory.address) };
  },
  forgetMemory: async (context, { address }) => {
    await forgetMemory((await mustHave(context)).peer, address);
    return null;
  },
};

/** `added`: has just been read. */
async function profileOf(open: OpenPeer | undefined, added?: AddedCalendar): Promise<PeerProfile> {
  const profile = open ? await open.negotiations.profile() : { ...emptyProfile, rules: defaultSharing };
  const { fields, rules } = profile;
  const copy = structuredClone(rules) as { base: Record<string, never>; overrides: Record<string, Record<string, never>> };
  const calendars = open ? await open.calendarViews(profile) : [];
  const counted = calendars.map((one) => (one.name === added?.name ? { ...one, events: added.events } : one));
  return { fields, tiers: copy.base, overrides: copy.overrides, calendars: counted };
}
