import { describe, expect, test } from 'vitest';
import { auditActor, auditText, contactArguments, isAudited, isAuditedCall, redactInput, withheldMark } from './audit-log.ts';
import { holdsAny } from '../privacy/egress.ts';

describe('the audit log', () => {
  const holds = (text: string): boolean => holdsAny(text, ['The cellar key is under the blue pot']);

  test('[PRV-11] [SYS-6] a private value is withheld wherever it stands in the arguments, and in disguise', () => {
    const secret = 'The cellar key is under the blue pot';
    expect(redactInput({ to: 'bob', body: `Hello. ${secret}!`, deep: [{ [secret]: 1 }] }, holds)).toEqual({
      to: 'bob',
      body: withheldMark,
      deep: [{ [withheldMark]: 1 }],
    });
    expect(redactInput({ body: Buffer.from(secret).toString('base64'), n: 7, none: null, yes: true }, holds)).toEqual({
      body: withheldMark,
      n: 7,
      none: null,
      yes: true,
    });
    expect(redactInput(secret, holds)).toBe(withheldMark);
    expect(redactInput({ a: 'nothing', b: ['to hide'] }, holds)).toEqual({ a: 'nothing', b: ['to hide'] });
  });

  test('[PRV-11] [SYS-6] a value that stands in pieces in several arguments takes all of them with it', () => {
    expect(redactInput({ x: 'The cellar key', y: 'is under the blue pot', z: 1 }, holds)).toEqual({
      x: withheldMark,
      y: withheldMark,
      z: withheldMark,
    });
    expect(redactInput({ 'The cellar key': { 'is under the blue pot': 1 } }, holds)).toBe(withheldMark);
  });

  test('[PRV-11] calls that change something are audited, reads only where a person approved them', () => {
    const call = { kind: 'tool', name: 'send_mail', readOnly: false } as const;
    expect(isAudited(call, false)).toBe(true);
    expect(isAudited({ ...call, readOnly: true }, false)).toBe(false);
    expect(isAudited({ ...call, readOnly: true }, true)).toBe(true);
    expect(isAudited({ ...call, void: true }, true)).toBe(false);
    for (const name of ['say', 'contact_agent', 'context']) expect(isAudited({ ...call, name }, true), name).toBe(false);
    expect(isAudited({ kind: 'model', name: 'model', readOnly: true }, true)).toBe(false);
    expect(isAuditedCall({ ...call, readOnly: true })).toBe(true);
    expect(isAuditedCall({ kind: 'model', name: 'model', readOnly: true })).toBe(false);
  });

  test('[IAC-10] of a contact everything is kept but its words', () => {
    expect(contactArguments({ action: 'ask', agentId: 'x', message: 'hello', context: 'c', priority: 'low' })).toEqual({
      action: 'ask',
      agentId: 'x',
      priority: 'low',
    });
    expect(contactArguments(null)).toBe(null);
  });

  test('[PRV-11] an entry reads as a sentence', () => {
    const names = { actor: '^ORAC', target: '^STEF', name: 'send_mail', outcome: 'done' } as const;
    expect(auditText({ ...names, kind: 'tool' })).toBe('^ORAC called send_mail');
    expect(auditText({ ...names, kind: 'contact', name: 'ask' })).toBe('^ORAC contacted ^STEF (ask)');
    expect(auditText({ ...names, kind: 'read', actor: '@ada' })).toBe('@ada read a conversation between agents');
    expect(auditText({ ...names, kind: 'approval', actor: '@ada', outcome: 'denied' })).toBe('@ada denied send_mail of ^STEF');
    expect(auditText({ ...names, kind: 'approval', actor: '@ada', outcome: 'approved' })).toBe('@ada approved send_mail of ^STEF');
    expect(auditText({ ...names, kind: 'approval', actor: 'the platform', outcome: 'expired' })).toBe(
      'The platform let send_mail of ^STEF expire: nobody answered',
    );
    expect(auditText({ ...names, kind: 'approval', actor: '@ada', outcome: 'done' })).toBe('@ada confirmed send_mail of ^STEF');
    const called = ['operator', 'platform', 'm1'].map((id) => auditActor(id, () => '@ada'));
    expect(called.map((actor) => auditText({ ...names, kind: 'approval', actor, outcome: 'approved' }))).toEqual([
      'The operator approved send_mail of ^STEF',
      'The platform approved send_mail of ^STEF',
      '@ada approved send_mail of ^STEF',
    ]);
  });
});
