// The first start of a workspace, of one that an earlier version wrote, and of one whose database lost facts.

import { wantBy, wantRow } from '../../../store/port.ts';
import { putAgent } from '../../steps/agents/agents.ts';
import { append } from '../../steps/facts/append.ts';
import { putSetting } from '../../steps/facts/settings.ts';
import { pinTargets } from '../../steps/invocations/meant-targets.ts';
import { bodyOf } from '../../steps/invocations/stored-definitions.ts';
import { keepPrivateName, newChannel, enter } from '../../steps/membership/conversations.ts';
import { newMember } from '../../steps/membership/members.ts';
import { keepHandle } from '../../steps/people/handles.ts';
import { agentOf } from '../../steps/tasks/tasks.ts';
import { provokeLock } from '../../steps/triggers/triggers-in-force.ts';
import { type Handler, mustBeSystem } from '../../command.ts';
import { spend } from '../../steps/departure/borrowed-access.ts';
import { revoke } from '../../steps/people/tokens.ts';

export interface StartCommands {
  /** The first start: a channel, and agents that work with no key and no network. `founded`: it was this one. */
  'workspace.found': [{ name: string; agents: { handle: string; displayName: string; about: string }[] }, { founded: boolean }];
  /** Members and team roles of before schema 8: how their handles look was not stored. */
  'handles.index': [{ subjectIds: string[] }, void];
  /** Private channels of before schema 8: they held their names against everyone. */
  'channels.keep_names': [{ conversationIds: string[] }, void];
  /** Manifests of before schema 12: they mean from now on what their names mean now. */
  'manifests.pin_names': [{ manifestIds: string[] }, void];
  /** `tokens` were revoked in the lost facts; `links` may have been used in them. */
  'loss.accept': [{ ends: number; known: number; tokens: string[]; links: string[] }, void];
}

const found: Handler<'workspace.found'> = {
  locks: () => ['workspace'],
  needs: () => [wantRow('settings', 'workspace.name'), wantBy('conversations', 'name', 'general')],
  decide: (c, tx) => {
    const actor = mustBeSystem(c.by, tx);
    if (tx.get('settings', 'workspace.name')) return { founded: false };
    putSetting('workspace.name', c.name, tx);
    const general = newChannel(
      { name: 'general', topic: 'Where everyone starts', visibility: 'public', floor: 'polite', history: 'all' },
      actor,
      tx,
    );
    putSetting('default_channel', general.id, tx);
    for (const agent of c.agents) {
      const member = newMember({ ...agent, kind: 'agent', role: 'member', ownerId: null, managerId: null }, actor, tx);
      putAgent(agentOf(member.id, tx), { brain: 'builtin' }, tx);
      enter(general, member.id, 'participant', actor, tx);
    }
    append(tx, { type: 'workspace.founded', actor, scope: 'workspace' });
    return { founded: true };
  },
};

const indexHandles: Handler<'handles.index'> = {
  locks: () => ['workspace'],
  needs: (c) => c.subjectIds.flatMap((id) => [wantRow('members', id), wantRow('roles', id), wantBy('handle_skeletons', 'subject', id)]),
  decide: (c, tx) => {
    mustBeSystem(c.by, tx);
    for (const id of c.subjectIds) {
      const subject = tx.get('members', id) ?? tx.get('roles', id);
      if (subject) keepHandle(id, subject.handle, tx);
    }
  },
};

const keepNames: Handler<'channels.keep_names'> = {
  locks: () => ['workspace'],
  needs: (c) => c.conversationIds.map((id) => wantRow('conversations', id)),
  decide: (c, tx) => {
    mustBeSystem(c.by, tx);
    for (const id of c.conversationIds) {
      const row = tx.get('conversations', id);
      if (row?.visibility !== 'private') continue;
      if (row.name_fold !== null) tx.update('conversations', row, { name_fold: null });
      keepPrivateName(row, tx);
    }
  },
};

const pinNames: Handler<'manifests.pin_names'> = {
  locks: () => [provokeLock],
  needs: (c) => c.manifestIds.map((id) => wantRow('provoke_objects', 'manifest', id)),
  decide: (c, tx) => {
    mustBeSystem(c.by, tx);
    tx.each(c.manifestIds, (id) => {
      const row = tx.get('provoke_objects', 'manifest', id);
      if (row?.removed_at === null) pinTargets(bodyOf(row), row.owner_id, false, tx);
    });
  },
};

/** The operator goes on with a database that lost facts (SYS-15): as after a restore, nothing that was closed opens again. */
const accept: Handler<'loss.accept'> = {
  locks: (c) => [...c.tokens.map((id) => `token:${id}`), ...c.links.map((id) => `link:${id}`)],
  needs: (c) => [...c.tokens.map((id) => wantRow('tokens', id)), ...c.links.map((id) => wantRow('links', id))],
  decide: (c, tx) => {
    const actor = mustBeSystem(c.by, tx);
    append(tx, { type: 'workspace.loss_accepted', actor, data: { ends: c.ends, known: c.known } });
    for (const id of c.tokens) {
      const token = tx.get('tokens', id);
      if (token) revoke(token, actor, tx);
    }
    for (const id of c.links) {
      const link = tx.get('links', id);
      if (link) spend(link, actor, tx);
    }
  },
};

export const startHandlers = {
  'workspace.found': found,
  'handles.index': indexHandles,
  'channels.keep_names': keepNames,
  'manifests.pin_names': pinNames,
  'loss.accept': accept,
};
