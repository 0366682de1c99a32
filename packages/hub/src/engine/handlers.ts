// Every command's handler, inside the answer-once rule.

import type { CommandType, Handlers } from './command.ts';
import { answerOnce } from './answer-once.ts';
import { agentPresenceHandlers } from './commands/agents/agent-presence.ts';
import { agentSettingsHandlers } from './commands/agents/agent-settings.ts';
import { workspaceHandlers } from './commands/system/workspace.ts';
import { assignHandlers } from './commands/tasks/assignments.ts';
import { attachmentHandlers } from './commands/messages/attachments.ts';
import { checkpointHandlers } from './commands/checkpoints/checkpoints.ts';
import { agentBlockHandlers } from './commands/contact/agent-blocks.ts';
import { contactHandlers } from './commands/contact/contacts.ts';
import { contactRuleHandlers } from './commands/contact/contact-rules.ts';
import { conversationHandlers } from './commands/conversations/conversations.ts';
import { eventHandlers } from './commands/invocations/events.ts';
import { forgetHandlers } from './commands/invocations/forget-chains.ts';
import { identityHandlers } from './commands/agents/identities.ts';
import { journalHandlers } from './commands/tasks/journal.ts';
import { leaveHandlers } from './commands/conversations/leave-requests.ts';
import { mailboxHandlers } from './commands/agents/mailboxes.ts';
import { memberHandlers } from './commands/people/members.ts';
import { messageHandlers } from './commands/messages/messages.ts';
import { negotiationHandlers } from './commands/peers/negotiations.ts';
import { channelPostHandlers } from './commands/peers/channel-posts.ts';
import { peerHomeHandlers } from './commands/peers/home.ts';
import { peerHandlers } from './commands/peers/peers.ts';
import { requestLinkHandlers } from './commands/peers/request-links.ts';
import { spaceHandlers } from './commands/peers/spaces.ts';
import { obligationHandlers } from './commands/obligations/obligations.ts';
import { invocationHandlers } from './commands/invocations/invocation-runs.ts';
import { invocationDecisionHandlers } from './commands/invocations/invocation-decisions.ts';
import { invocationEndHandlers } from './commands/invocations/invocation-ends.ts';
import { provokeFileHandlers } from './commands/triggers/provoke-files.ts';
import { provokeHandlers } from './commands/triggers/definitions.ts';
import { reactionHandlers } from './commands/messages/reactions.ts';
import { readHandlers } from './commands/conversations/read-cursors.ts';
import { roleHandlers } from './commands/people/team-roles.ts';
import { roundHandlers } from './commands/tasks/offer-rounds.ts';
import { secretHandlers } from './commands/agents/secrets.ts';
import { sharingHandlers } from './commands/people/sharing-rules.ts';
import { speechHandlers } from './commands/tasks/speech.ts';
import { startHandlers } from './commands/system/starts.ts';
import { idempotencyKeyHandlers } from './commands/system/kept-answers.ts';
import { outboxHandlers } from './commands/system/outbox.ts';
import { timerHandlers } from './commands/system/timers.ts';
import { taskHandlers } from './commands/tasks/tasks.ts';
import { taintHandlers } from './commands/tasks/taint.ts';
import { linkHandlers } from './commands/people/links.ts';
import { sessionHandlers } from './commands/people/sessions.ts';
import { tokenHandlers } from './commands/people/tokens.ts';
import { toolServerHandlers } from './commands/agents/tool-servers.ts';
import { windowHandlers } from './commands/messages/composing-windows.ts';

const all: Handlers = {
  ...messageHandlers,
  ...assignHandlers,
  ...reactionHandlers,
  ...leaveHandlers,
  ...conversationHandlers,
  ...mailboxHandlers,
  ...memberHandlers,
  ...roleHandlers,
  ...roundHandlers,
  ...linkHandlers,
  ...sessionHandlers,
  ...tokenHandlers,
  ...toolServerHandlers,
  ...readHandlers,
  ...attachmentHandlers,
  ...taskHandlers,
  ...taintHandlers,
  ...windowHandlers,
  ...speechHandlers,
  ...agentPresenceHandlers,
  ...agentSettingsHandlers,
  ...identityHandlers,
  ...secretHandlers,
  ...sharingHandlers,
  ...journalHandlers,
  ...obligationHandlers,
  ...checkpointHandlers,
  ...peerHandlers,
  ...spaceHandlers,
  ...peerHomeHandlers,
  ...channelPostHandlers,
  ...requestLinkHandlers,
  ...negotiationHandlers,
  ...contactHandlers,
  ...contactRuleHandlers,
  ...agentBlockHandlers,
  ...eventHandlers,
  ...forgetHandlers,
  ...invocationHandlers,
  ...invocationDecisionHandlers,
  ...invocationEndHandlers,
  ...provokeHandlers,
  ...provokeFileHandlers,
  ...startHandlers,
  ...idempotencyKeyHandlers,
  ...outboxHandlers,
  ...workspaceHandlers,
  ...timerHandlers,
};

export const handlers = Object.fromEntries(
  Object.entries(all).map(([type, handler]) => [type, answerOnce(type as CommandType, handler as never)]),
) as unknown as Handlers;
