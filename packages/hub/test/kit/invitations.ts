// People who come by somebody's invitation.

import { Person } from '@parley/testkit';

/** A new person, by an invitation of this one. */
export async function invitedBy(by: Person, handle: string): Promise<Person> {
  const { secret } = await by.call('createInvitation', { body: {} });
  const response = await fetch(`${by.url}/api/v1/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ secret, handle, displayName: handle }),
  });
  const { me } = (await response.json()) as { me: { id: string } };
  const cookie = /=(ps_[\w-]+)/.exec(response.headers.get('set-cookie') ?? '')![1]!;
  return new Person(by.url, cookie, me.id, handle);
}
