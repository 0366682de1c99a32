import { describe, expect, it } from 'vitest';
import { boundHosts, secretUse } from './secret-hosts.ts';

describe('[SYS-6] a secret goes only to its hosts', () => {
  it.each([
    ['the first host of a secret becomes its own', 'mine', 'a.example', [], { allowed: true, bind: true }],
    ['the host it is bound to', 'mine', 'a.example', ['a.example'], { allowed: true, bind: false }],
    ['another host', 'mine', 'b.example', ['a.example'], { allowed: false, hosts: ['a.example'] }],
    ['a host that only begins alike', 'mine', 'a.example.evil', ['a.example'], { allowed: false, hosts: ['a.example'] }],
    ['another port of a host bound with a port', 'mine', 'a.example:81', ['a.example:80'], { allowed: false, hosts: ['a.example:80'] }],
    ['any port of a host bound without one', 'mine', 'a.example:81', ['a.example'], { allowed: true, bind: false }],
    ['a provider’s key at its provider', 'anthropic', 'api.anthropic.com', [], { allowed: true, bind: false }],
    ['a provider’s key elsewhere', 'openai', 'a.example', [], { allowed: false, hosts: ['api.openai.com'] }],
    ['a provider’s key at a named gateway', 'openai', 'a.example', ['a.example'], { allowed: true, bind: false }],
    ['an IPv6 address', 'mine', '[::1]:80', ['[::1]'], { allowed: true, bind: false }],
  ])('%s', (_title, name, host, bound, expected) => {
    expect(secretUse(name, host, bound)).toEqual(expected);
  });

  it('lists a provider’s host until another is named', () => {
    expect([boundHosts('anthropic', []), boundHosts('anthropic', ['a.example']), boundHosts('mine', [])]).toEqual([
      ['api.anthropic.com'],
      ['a.example'],
      [],
    ]);
  });
});
