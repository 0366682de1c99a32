// Providers' keys and shared secrets, by name. The environment wins over a file, a file over what is kept in the
// database; there it is sealed under a key that is not in it.

import { constants } from 'node:fs';
import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { boundHosts, secretUse } from '@parley/core';
import { type Secret, SecretName } from '@parley/protocol';
import { boundAs } from '../engine/commands/agents/secrets.ts';
import type { Reader } from '../store/port.ts';
import type { SecretRow } from '../store/tables.ts';
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/** The secret exists but cannot be used. The message never contains a value. */
export class SecretError extends Error {
  constructor(name: string, why: string) {
    super(`The secret ${name} ${why}.`);
    this.name = 'KeyRefused';
  }
}

/** The secret is bound to other hosts than the one that would get it. */
export class SecretBinding extends SecretError {
  constructor(name: string, host: string, hosts: readonly string[]) {
    super(
      name,
      `may be sent to ${hosts.join(', ')} only, and not to ${host}. Allow it with \`npx parley secrets bind ${name} ${host}\`, or set the secret again with that host`,
    );
    this.name = 'KeyBound';
  }
}

export interface SecretPlaces {
  store: Reader;
  /** Holds one file for each secret, which only its owner may read. */
  folder: string;
  /** Seals what is kept in the database. */
  sealingKey: Uint8Array;
  env: Record<string, string | undefined>;
  /** Binds a secret that has no host yet; says which hosts it has. */
  use: (name: string, host: string, given: boolean) => Promise<readonly string[]>;
}

/** The names that the providers' own programs use. */
const usual: Readonly<Record<string, string>> = { anthropic: 'ANTHROPIC_API_KEY', openai: 'OPENAI_API_KEY' };
const prefix = 'PARLEY_SECRET_';
const largest = 10_000;

export class SecretStore {
  private readonly places: SecretPlaces;

  constructor(places: SecretPlaces) {
    this.places = places;
  }

  /** Undefined: it is set nowhere. `host` is where it is to be sent; left out, it stays here. */
  async keyFor(name: string, host?: string): Promise<string | undefined> {
    if (!SecretName.safeParse(name).success) return undefined;
    const given = this.fromEnvironment(name) ?? (await this.fromFile(name));
    const value = given ?? (await this.fromStore(name));
    if (value !== undefined && host !== undefined) await this.mustReach(name, host, given !== undefined);
    return value;
  }

  private async mustReach(name: string, host: string, given: boolean): Promise<void> {
    let use = secretUse(name, host, await this.hostsOf(name, given));
    if (use.allowed && use.bind) use = secretUse(name, host, await this.places.use(name, host, given));
    if (!use.allowed) throw new SecretBinding(name, host, use.hosts);
  }

  /** Why it may not be sent there. Unlike a use, the question binds nothing. */
  async bindingProblem(name: string, host: string): Promise<string | null> {
    const isOutside = this.fromEnvironment(name) !== undefined || (await this.hasFile(name));
    const use = secretUse(name, host, await this.hostsOf(name, isOutside));
    return use.allowed ? null : new SecretBinding(name, host, use.hosts).message;
  }

  private async hostsOf(name: string, given: boolean): Promise<string[]> {
    const rows = await this.places.store.rows('secret_hosts', { name: boundAs(name, given) }, { order: 'host' });
    return rows.map(({ host }) => host);
  }

  private fromEnvironment(name: string): string | undefined {
    const { env } = this.places;
    return env[`${prefix}${name.toUpperCase()}`] || env[usual[name] ?? ''] || undefined;
  }

  private async fromFile(name: string): Promise<string | undefined> {
    // A link is not followed: a person who can create one could have another person's file read.
    const file = await open(join(this.places.folder, name), constants.O_RDONLY | constants.O_NOFOLLOW).catch(
      (error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
        throw new SecretError(
          name,
          error.code === 'ELOOP' ? 'is a link in secrets/: put the file itself there' : `cannot be read (${error.code})`,
        );
      },
    );
    if (!file) return undefined;
    try {
      const about = await file.stat();
      if (!about.isFile()) throw new SecretError(name, 'is not a file in secrets/');
      if (process.platform !== 'win32' && (about.mode & 0o077) !== 0)
        throw new SecretError(name, `can be read by others: chmod 600 secrets/${name} in the data folder`);
      if (about.size > largest) throw new SecretError(name, 'is too long');
      const text = (await file.readFile('utf8')).trim();
      if (text === '') throw new SecretError(name, 'is an empty file in secrets/');
      return text;
    } finally {
      await file.close();
    }
  }

  private async fromStore(name: string): Promise<string | undefined> {
    const [row] = await this.places.store.rows('secrets', { name });
    return row && this.unseal(row);
  }

  seal(name: string, value: string): string {
    return sealSecret(this.places.sealingKey, name, value);
  }

  private unseal(row: SecretRow): string {
    const value = unsealSecret(this.places.sealingKey, row);
    if (value !== undefined) return value;
    throw new SecretError(row.name, 'was sealed with another secrets.key: set it again, or put that key into the data folder');
  }

  /** Every secret that is set anywhere, once, from where it is taken. */
  async list(): Promise<Secret[]> {
    const { env, store } = this.places;
    const storedRows = await store.rows('secrets', {}, { order: 'name' });
    const inEnvironment = [
      ...Object.keys(env).flatMap((key) => (key.startsWith(prefix) ? [key.slice(prefix.length).toLowerCase()] : [])),
      ...Object.keys(usual),
    ].filter((name) => this.fromEnvironment(name) !== undefined);
    const files = await readdir(this.places.folder).catch(() => []);
    const names = [...inEnvironment, ...files, ...storedRows.map(({ name }) => name)].filter((name) => SecretName.safeParse(name).success);
    const rows = new Map(storedRows.map((row) => [row.name, row]));
    return Promise.all([...new Set(names)].sort().map((name) => this.about(name, rows.get(name))));
  }

  async about(name: string, row: SecretRow | undefined): Promise<Secret> {
    const problem = await this.keyFor(name).then(
      () => null,
      (error: unknown) => {
        if (error instanceof SecretError) return error.message;
        throw error;
      },
    );
    const from = this.fromEnvironment(name) !== undefined ? 'environment' : (await this.hasFile(name)) || !row ? 'file' : 'stored';
    const storedRow = from === 'stored' ? row : undefined;
    const hosts = [...boundHosts(name, await this.hostsOf(name, from !== 'stored'))];
    return { name, from, problem, hosts, setBy: storedRow?.set_by ?? null, at: storedRow?.at ?? null };
  }

  private async hasFile(name: string): Promise<boolean> {
    return (await readdir(this.places.folder).catch((): string[] => [])).includes(name);
  }
}

// Secrets in the database are sealed with AES-256-GCM, with the name as associated data.

const scheme = 'v1';

function sealSecret(key: Uint8Array, name: string, value: string): string {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(name));
  const body = Buffer.concat([cipher.update(value, 'utf8'), cipher.final()]);
  return `${scheme}.${Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64url')}`;
}

/** Undefined: it was sealed with another key. */
export function unsealSecret(key: Uint8Array, { name, sealed }: Pick<SecretRow, 'name' | 'sealed'>): string | undefined {
  try {
    const [version, text = ''] = sealed.split('.');
    if (version !== scheme) return undefined;
    const bytes = Buffer.from(text, 'base64url');
    const opener = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12), { authTagLength: 16 })
      .setAAD(Buffer.from(name))
      .setAuthTag(bytes.subarray(12, 28));
    return Buffer.concat([opener.update(bytes.subarray(28)), opener.final()]).toString('utf8');
  } catch {
    return undefined;
  }
}
