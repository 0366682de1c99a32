import type { Reader } from '../port.ts';
import type { TokenRow } from '../tables.ts';

/** The first token of an active owner that is still valid. */
export async function firstOwnerToken(reader: Reader): Promise<TokenRow | undefined> {
  const [token] = await reader.rows(
    'tokens',
    `where kind = 'person' and revoked_at is null
       and member_id in (select id from members where role = 'owner' and status = 'active') order by created_at limit 1`,
  );
  return token;
}
