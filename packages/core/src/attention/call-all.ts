// The right to call many agents at once with `^ALL`, and when a second confirmation is needed.

/**
 * May this author call so many at once? An agent's word obliges, so it names one responder (C2A-33). A person may call
 * all; over the limit only with a second confirmation that names their number (PAP-3).
 */
export function mayCallAll(
  author: 'human' | 'agent',
  agents = 0,
  confirmed?: number,
  limit = Number.MAX_SAFE_INTEGER,
): { ok: true } | { ok: false; reason: 'one_responder' | 'confirm_all' } {
  if (author === 'agent') return { ok: false, reason: 'one_responder' };
  return agents > limit && confirmed !== agents ? { ok: false, reason: 'confirm_all' } : { ok: true };
}
