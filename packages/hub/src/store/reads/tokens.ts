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

/** Whether an owner is signed in somewhere. */
export async function ownerHasSession(reader: Reader, now: number): Promise<boolean> {
  const [session] = await reader.rows(
    'tokens',
    `where purpose = 'session' and revoked_at is null and (expires_at is null or expires_at > ?)
       and member_id in (select id from members where role = 'owner' and status = 'active' and kind = 'human') limit 1`,
    [now],
  );
  return session !== undefined;
}

/** The valid tokens of a member and of the agents they own. */
export const tokensOf = (reader: Reader, memberId: string): Promise<TokenRow[]> =>
  reader.rows(
    'tokens',
    `where revoked_at is null and member_id in (select id from members where id = ? or owner_id = ?)
     order by created_at limit 1000`,
    [memberId, memberId],
  );
