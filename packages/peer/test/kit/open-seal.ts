// A seal that hides nothing: for searches that must find here what they do not find behind the real one.

import { joinBytes } from '@parley/protocol/relay';
import sodium from 'libsodium-wrappers';

const [sealing, opening] = ['crypto_aead_xchacha20poly1305_ietf_encrypt', 'crypto_aead_xchacha20poly1305_ietf_decrypt'] as const;

/** Boxes of this process hold their plaintext as it is, until the returned function is called. */
export async function switchSealOff(): Promise<() => void> {
  await sodium.ready;
  const { [sealing]: encrypt, [opening]: decrypt, crypto_aead_xchacha20poly1305_ietf_ABYTES: tagBytes } = sodium;
  Object.assign(sodium, {
    [sealing]: (text: Uint8Array) => joinBytes(text, new Uint8Array(tagBytes)),
    [opening]: (_: null, box: Uint8Array) => box.slice(0, -tagBytes),
  });
  return () => void Object.assign(sodium, { [sealing]: encrypt, [opening]: decrypt });
}
