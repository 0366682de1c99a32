// How much one member may keep here that all events of everybody are put to.

import { type Actor, may } from '../access/access.ts';

/** The limit of triggers, of manifests, of schedules, and of monitors, over the API. The operator limits those in files. */
export const mostOwned = 100;

/** `owned`: how many of the kind they have over the API. Those who may change everybody's keep the workspace's. */
export const mayOwnAnother = (actor: Actor, owned: number): boolean => owned < mostOwned || may('trigger.edit', actor).allowed;
