import { describe, expect, test } from 'vitest';
import { type Contact, type ContactPermission, type ContactVerdict, contactActions, mayContact, reachOf } from './contact-permission.ts';
import { contactResults, delegationFailed, delegationResult, requestText } from './contact-texts.ts';
import type { AgentStatus } from '../task/task.ts';

const allow = (target: string, requiresApproval = false): ContactPermission => ({ target, permission: 'allow', requiresApproval });
const deny = (target: string): ContactPermission => ({ target, permission: 'deny', requiresApproval: false });
const contact = (rules: ContactPermission[], over: Partial<Contact> = {}): Contact => ({
  caller: { id: 'a', managerId: null, mode: 'autonomous' },
  target: { id: 'b', managerId: null },
  rules,
  ...over,
});
const by = (mode: Contact['caller']['mode'], managerId: string | null = null) => ({ caller: { id: 'a', managerId, mode } });

describe('may one agent contact another?', () => {
  test.each<[string, Contact, ContactVerdict['reason'], boolean, ContactVerdict['approval']]>([
    ['no rule', contact([]), 'default', true, null],
    ['a rule for another', contact([deny('c')]), 'default', true, null],
    ['denied by name', contact([deny('b')]), 'denied', false, null],
    ['denied and allowed by name: deny is first', contact([allow('b'), deny('b')]), 'denied', false, null],
    ['allowed by name, denied to all', contact([deny('*'), allow('b')]), 'allowed', true, null],
    ['denied by name, allowed to all', contact([allow('*'), deny('b')]), 'denied', false, null],
    ['denied to all', contact([deny('*')]), 'denied_for_all', false, null],
    ['denied and allowed to all: deny is first', contact([allow('*'), deny('*')]), 'denied_for_all', false, null],
    ['allowed to all', contact([allow('*')]), 'allowed_for_all', true, null],
    ['allowed with approval', contact([allow('b', true)]), 'allowed', true, 'rule'],
    ['by name without, to all with approval: the name decides', contact([allow('*', true), allow('b')]), 'allowed', true, null],
    ['to all with approval', contact([allow('*', true)]), 'allowed_for_all', true, 'rule'],
    ['supervised: contacting is a write', contact([], by('supervised')), 'default', true, 'mode'],
    ['strict', contact([allow('b')], by('strict')), 'allowed', true, 'mode'],
    ['denied stays denied in any mode', contact([deny('b')], by('strict')), 'denied', false, null],
    ['an approval for good', contact([allow('b', true)], { alwaysApproved: true }), 'allowed', true, null],
    ['an approval for good does not lift a denial', contact([deny('b')], { alwaysApproved: true }), 'denied', false, null],
    ['[SYS-13] tainted', contact([], { tainted: true }), 'default', true, 'taint'],
    [
      '[SYS-13] tainted, with an approval for good: that was for its own words',
      contact([], { tainted: true, alwaysApproved: true }),
      'default',
      true,
      'taint',
    ],
    ['[SYS-13] tainted, where a rule asks as well', contact([allow('b', true)], { tainted: true }), 'allowed', true, 'taint'],
    ['[SYS-13] tainted, where its mode asks as well', contact([], { ...by('strict'), tainted: true }), 'default', true, 'taint'],
  ])('[IAC-12] %s', (_, given, reason, allowed, approval) => {
    expect(mayContact(given)).toEqual({ allowed, reason, approval });
  });

  test.each<[string, Contact]>([
    ['its manager', contact([deny('b'), deny('*')], by('strict', 'b'))],
    ['its report', contact([deny('b'), deny('*')], { ...by('strict'), target: { id: 'b', managerId: 'a' } })],
  ])('[IAC-13] %s, whatever rules and mode say', (_, given) => {
    expect(mayContact(given)).toEqual({ allowed: true, reason: 'hierarchy', approval: null });
  });

  test('[IAC-13] two who share a manager have no such right, nor has a manager’s manager', () => {
    expect(mayContact(contact([deny('*')], { ...by('autonomous', 'm'), target: { id: 'b', managerId: 'm' } })).allowed).toBe(false);
    expect(mayContact(contact([deny('*')], { ...by('autonomous', 'm'), target: { id: 'top', managerId: null } })).allowed).toBe(false);
  });

  test('[IAC-13] [SYS-13] what others wrote speaks through nobody unasked, not even to a manager', () => {
    expect(mayContact(contact([], { ...by('autonomous', 'b'), tainted: true }))).toEqual({
      allowed: true,
      reason: 'hierarchy',
      approval: 'taint',
    });
  });
});

test.each<[AgentStatus, string[]]>([
  ['idle', ['now', 'queue', 'store']],
  ['working', ['now', 'queue', 'store']],
  ['awaiting_delegation', ['now', 'queue', 'store']],
  ['awaiting_approval', ['now', 'queue', 'store']],
  ['sleeping', ['wake', 'later', 'store']],
  ['offline', ['unavailable', 'unavailable', 'store']],
])('[IAC-15] the other is %s: asked, given work, notified', (status, reach) => {
  expect(contactActions.map((action) => reachOf(status, action))).toEqual(reach);
});

describe('what is read of it', () => {
  test('[IAC-10] the header lines', () => {
    expect(requestText('ask', 'Coord', { message: 'What was Q4?', context: 'For the report.' })).toBe(
      '[Agent Request from Coord | Pattern: ask]\n\nContext: For the report.\n\nWhat was Q4?',
    );
    expect(requestText('delegate', 'Coord', { message: 'Draft it', priority: 'high', taskId: 'tsk_1' })).toBe(
      '[Agent Request from Coord | Pattern: delegate | Priority: high | Task: tsk_1]\n\nDraft it',
    );
    expect(requestText('delegate', 'Coord', { message: 'Draft it', taskId: 'tsk_1' })).toContain('| Priority: normal |');
    expect(requestText('notify', 'Ana', { message: 'Done.' })).toBe('[Agent Notification from Ana]\n\nDone.');
  });

  test('[IAC-3] [IAC-6] [IAC-9] [IAC-14] results', () => {
    expect(contactResults.response('B', '42')).toBe('Response from B: 42');
    expect(contactResults.noResponse('B')).toBe(
      "Error: B did not respond within 120 seconds. Consider using 'delegate' for async processing.",
    );
    expect(contactResults.failed('B', 'no key')).toBe('Error: B failed to respond: no key');
    expect(contactResults.delegated('B', 't1')).toBe(
      "Delegated to B (subtask t1). You'll receive the result automatically when B finishes.",
    );
    expect(contactResults.notified('B')).toBe('Notification sent to B.');
    expect(contactResults.waiting()).toBe('This action requires approval. Waiting for approval...');
    expect(contactResults.denied('B')).toBe('Approval denied for contacting B.');
  });

  test('[IAC-4] at the bottom delegating is advised only where it would be taken', () => {
    expect(contactResults.tooDeep(3, true)).toBe(
      "Error: Maximum agent communication depth (3) reached. Use 'delegate' for async to avoid nesting.",
    );
    expect(contactResults.tooDeep(3, false)).toBe('Error: Maximum agent communication depth (3) reached. Report back to your caller.');
  });

  test('[IAC-6] [IAC-7] a failed delegation does not look like a done one', () => {
    expect(delegationResult('B', 't1', 'Here.')).toBe('[Delegation Result from B | t1]\nHere.');
    expect(delegationFailed('B', 't1', 'no time')).toBe('[Delegation Failed | B | t1]\nError: B failed to complete the task: no time');
  });
});
