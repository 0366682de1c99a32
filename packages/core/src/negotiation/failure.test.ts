import { describe, expect, it } from 'vitest';
import { ask, confirmBoth, dinner, hour, negotiatorsIn, only, notices } from '../../test/kit/negotiators.ts';
import { nextTick } from './clock.ts';

describe('failure', () => {
  it('[A2C-29] what was done is undone, both people see what cannot be, and the talk goes on with the new constraint', () => {
    const both = negotiatorsIn('EXECUTING');
    const { hash } = both;
    const failed = both.decide('responder', { kind: 'failed', hash, scope: 'own', constraint: 'Calendar is full', completed: 0 });
    expect(failed.moves).toEqual(['FAILED', 'NEGOTIATING']);
    const heard = both.receive('initiator', both.line.shift()!.text);
    expect([heard.moves, only(heard, 'undo')]).toEqual([['FAILED', 'ROLLBACK'], [{ kind: 'undo', hash }]]);
    const undone = both.decide('initiator', { kind: 'undone', hash, irreversible: [0] });
    expect([undone.negotiation.state, notices(undone), only(undone, 'evaluate')]).toEqual([
      'NEGOTIATING',
      ['irreversible'],
      [{ kind: 'evaluate', needs: [] }],
    ]);
    expect(notices(both.receive('responder', both.line.shift()!.text))).toEqual(['irreversible']);
    for (const side of Object.values(both.sides)) expect(side.constraints).toEqual(['Calendar is full']);
  });

  it('[A2C-29] a proposal that comes during the undoing waits for its end', () => {
    const both = negotiatorsIn('ROLLBACK');
    const { hash } = both;
    both.decide('initiator', { kind: 'undone', hash, irreversible: [] });
    both.decide('initiator', { kind: 'propose', content: dinner });
    both.deliverAll();
    expect(both.states).toEqual(['PROPOSED', 'ROLLBACK']);
    both.decide('responder', { kind: 'undone', hash, irreversible: [] });
    expect(both.states).toEqual(['PROPOSED', 'PROPOSED']);
    expect(both.sides.responder.proposal!.hash).toBe(both.hash);
  });

  it('[A2C-29] a failure that comes with the outcome keeps the responder from beginning', () => {
    const both = negotiatorsIn('PROPOSED');
    const { hash } = both;
    confirmBoth(both);
    both.decide('initiator', { kind: 'begin', hash });
    both.decide('initiator', { kind: 'done', hash, scope: 'shared' });
    both.decide('initiator', { kind: 'failed', hash, scope: 'own', constraint: 'No calendar', completed: 1 });
    const [outcome, ...reports] = both.line.splice(0);
    expect(reports.map(({ text }) => both.receive('responder', text).verdict)).toEqual(['held', 'held']);
    const { moves, effects } = both.receive('responder', outcome!.text);
    expect(moves).toEqual(['CONFIRMED', 'EXECUTING', 'FAILED', 'NEGOTIATING']);
    expect(effects.filter(({ kind }) => kind === 'run' || kind === 'undo')).toEqual([]);
  });

  it('[A2C-29] nobody reports out of turn: an action is reported once, and the end needs both sides', () => {
    const both = negotiatorsIn('EXECUTING');
    const { hash } = both;
    expect(both.decide('initiator', { kind: 'done', hash, scope: 'shared' }).verdict).toBe('out_of_turn');
    expect(both.decide('responder', { kind: 'done', hash, scope: 'shared' }).verdict).toBe('out_of_turn');
    expect(both.forge('responder', 'execution_report', { proposal_hash: hash, scope: 'all', status: 'done' }).verdict).toBe('out_of_turn');
    expect(both.decide('initiator', { kind: 'done', hash: 'another', scope: 'own' }).verdict).toBe('stale');
  });

  it.each(['CONFIRMED', 'EXECUTING'] as const)('[A2C-29] a side that hears nothing in %s is flagged, and nothing is retried', (state) => {
    const both = negotiatorsIn(state);
    both.now += 48 * hour;
    for (const role of ['initiator', 'responder'] as const) {
      const late = both.decide(role, { kind: 'tick' });
      expect([late.negotiation.state, late.negotiation.isOverdue, late.effects.map(({ kind }) => kind)]).toEqual([state, true, ['notify']]);
      expect([both.decide(role, { kind: 'tick' }).effects, nextTick(both.sides[role])]).toEqual([[], null]);
    }
    expect(both.forge('initiator', 'context', {}).negotiation.isOverdue).toBe(false);
  });

  it('[A2C-36] a brain without a valid packet pauses both sides until its person lets it go on', () => {
    const both = negotiatorsIn('NEGOTIATING');
    both.decide('initiator', { kind: 'give_up', reason: 'No valid packet after 3 tries' });
    both.deliverAll();
    expect([both.sides.initiator.paused, both.sides.responder.paused]).toEqual(['own', 'peer']);
    expect(both.decide('initiator', ask('dietary')).verdict).toBe('paused');
    expect(both.decide('initiator', { kind: 'propose', content: dinner }).verdict).toBe('paused');
    expect(only(both.decide('initiator', { kind: 'continue' }), 'evaluate')).toHaveLength(1);
    both.decide('initiator', ask('dietary'));
    both.deliverAll();
    expect([both.sides.initiator.paused, both.sides.responder.paused]).toEqual([null, null]);
  });
});
