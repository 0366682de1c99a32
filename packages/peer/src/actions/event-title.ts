// How an agreed meeting is called in a calendar: what, and with whom. The calendar itself says when.

import { nameList } from '@parley/core';
import { addressParts } from '@parley/protocol/relay';
import { outsideName } from '../outside/outside-people.ts';
import type { ActionCall } from './port.ts';

/** How the host calls the person behind an address; by default as the address does. */
export type NameOf = (address: string) => string;

const capital = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
/** `ben.okafor` is Ben Okafor. */
export const addressName: NameOf = (address) =>
  outsideName(address) ??
  addressParts(address)
    .name.split(/[._-]+/)
    .map(capital)
    .join(' ');

const longestTitle = 500;

export function eventKind({ summary, details }: Pick<ActionCall, 'summary' | 'details'>): string {
  const { event_type: kind } = details;
  const what = typeof kind === 'string' && kind.trim() !== '' ? capital(kind.trim()) : summary;
  return what.slice(0, longestTitle);
}

export const eventTitle = (
  { peer, others = [peer], ...event }: Pick<ActionCall, 'peer' | 'others' | 'summary' | 'details'>,
  nameOf: NameOf = addressName,
): string => `${eventKind(event)} with ${nameList(others.map(nameOf))}`;
