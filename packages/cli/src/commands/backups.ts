// Backup, restore and verify work on the database itself, beside a running hub or without one.

import { randomBytes } from 'node:crypto';
import { resolve } from 'node:path';
import type { BackupSource, RowProblem } from '@parley/hub';
import { noWorkspace } from '../hub-access.ts';
import { CliError, exitCodes } from '../exit.ts';
import { me } from '../hints.ts';
import { count, type Output, size, applyStyle } from '../output.ts';
import { withProgress } from '../progress.ts';
import type { CommandContext, Settings } from '../settings.ts';
import { withPeerBackups } from '../peer-backups-of-hub.ts';

async function openHere(settings: Settings, what: string): Promise<BackupSource> {
  onlyHere(settings, what);
  const { openExisting } = await import('@parley/hub');
  const config = await settings.config();
  return openExisting(config).catch((error: unknown) => {
    throw (error as { failure?: string }).failure === 'nothing_there' ? noWorkspace(config) : error;
  });
}

function onlyHere({ url, urlFrom }: Settings, what: string): void {
  if (url !== undefined) throw new CliError('usage', `\`${me} ${what}\` works on the machine the hub runs on, not through ${urlFrom}.`);
}

const contents = ({ rows, blobs, peers = 0 }: { rows: Record<string, number>; blobs: number; peers?: number }): string =>
  [
    count(rows['members'] ?? 0, 'member'),
    count(rows['messages'] ?? 0, 'message'),
    count(rows['facts'] ?? 0, 'fact'),
    count(blobs, 'file'),
    ...(peers > 0 ? [count(peers, 'peer')] : []),
  ].join(', ');

const listed = (ids: readonly string[]): string => ids.map((id) => `\n  ${id}`).join('');
const missing = ({ lost, lostPeers = [], altered = [] }: { lost: string[]; lostPeers?: string[]; altered?: string[] }): string[] => [
  ...(altered.length === 0
    ? []
    : [
        `The database was changed or cut behind the hub’s back before this backup. It holds the rows as they were found:${listed(altered)}`,
      ]),
  ...(lost.length === 0
    ? []
    : [`${count(lost.length, 'attachment')} could not be saved, because the file is missing or damaged:${listed(lost)}`]),
  ...(lostPeers.length === 0
    ? []
    : [
        `${count(lostPeers.length, 'peer')} could not be saved, because the folder below peers is missing here or cannot be read:${listed(lostPeers)}`,
      ]),
];

export async function backup({ settings, output }: CommandContext, file: string, options: { force?: true }): Promise<void> {
  const source = await openHere(settings, 'backup');
  const { writeBackup } = await import('@parley/hub');
  try {
    const made = await withProgress(output, 'No backup was made.', (onProgress) =>
      withPeerBackups(settings, (peerOf) =>
        writeBackup(source, { path: file, now: Date.now(), replace: options.force === true, peerOf, onProgress }),
      ),
    ).catch((error: unknown) => {
      const { failure, message } = error as { failure?: string; message: string };
      throw failure === 'occupied'
        ? new CliError('failed', message, { code: 'occupied', hint: 'Choose another name; --force replaces a file.' })
        : error;
    });
    const gaps = missing(made);
    output.result({ ...made, complete: gaps.length === 0 }, `Backed up ${contents(made)} to ${made.path} (${size(made.bytes)}).`);
    output.note('  Keep it as safe as the data folder: it holds everything, private conversations included.');
    for (const gap of gaps) output.note(gap);
    if (gaps.length > 0) process.exitCode = exitCodes.data.status;
  } finally {
    await source.store.close();
  }
}

export async function restore({ settings, output }: CommandContext, file: string, options: { unsigned?: true }): Promise<void> {
  onlyHere(settings, 'restore');
  const { restoreBackup } = await import('@parley/hub');
  const config = await settings.config();
  const { header, ...restored } = await withProgress(output, 'Nothing was restored.', (onProgress) =>
    restoreBackup({
      path: resolve(file),
      dataDir: config.dataDir,
      databaseUrl: config.databaseUrl,
      epoch: randomBytes(5).toString('hex'),
      unsigned: options.unsigned === true,
      onProgress,
    }),
  );
  const where = config.databaseUrl === undefined ? config.dataDir : `the database and ${config.dataDir}`;
  const createdAt = new Date(header.createdAt).toISOString();
  output.result(
    { ...restored, createdAt, dataDir: config.dataDir },
    `Restored ${contents(restored)} into ${where}, as they were at ${createdAt}.`,
  );
  for (const gap of missing(restored)) output.note(gap);
  output.note(`  ${signatureWords[restored.signature]}`);
  output.note(
    `  Every session and every token of people, agents and bridges was revoked (${restored.revoked}); ${count(restored.sources, 'source token')} still valid. Sign in with the link that \`${me} up\` shows.`,
  );
  for (const name of restored.aside)
    output.note(
      name === 'tools.yaml'
        ? '  tools.yaml was not put back in place, since it starts programs and nobody has checked who made the backup, or another is there. Look at tools.yaml.restored, then rename it.'
        : `  ${name} was left as it is; the backup holds another one.`,
    );
  const sealed = restored.rows['secrets'] ?? 0;
  if (sealed > 0)
    output.note(
      `  ${count(sealed, 'secret')} came sealed: copy secrets.key from the old data folder, or set them again (\`${me} secrets list\`).`,
    );
  const folder = settings.env['PARLEY_DATA'] === process.env['PARLEY_DATA'] ? '' : ` --data ${settings.env['PARLEY_DATA']}`;
  output.note(`  Every row, the chain of facts and every file were checked. Start it with: ${me} up${folder}`);
}

const signatureWords = {
  verified: 'Its signature was checked: nobody changed it after it was made.',
  unchecked: 'It is signed, but the key is not here, so who made it was not checked: copy backup.key from the old data folder first.',
  unsigned: 'It is not signed, so anybody with the file may have changed it.',
};

export async function verify({ settings, output }: CommandContext, file: string | undefined): Promise<void> {
  if (file !== undefined) return verifyFile(settings, file, output);
  const source = await openHere(settings, 'verify');
  const { verifyWorkspace } = await import('@parley/hub');
  const problems: RowProblem[] = [];
  try {
    // In words they are printed as they are found: a reader of a million of them does not wait for the last.
    const tell = (problem: RowProblem): void => {
      if (output.json) problems.push(problem);
      else process.stdout.write(`${problem.where}: ${problem.what}\n`);
    };
    const verified = await withProgress(output, 'Not everything was checked.', (onProgress) => verifyWorkspace(source, tell, onProgress));
    const { problems: found, ...counted } = verified;
    const verdict =
      found > 0
        ? applyStyle('red', `${count(found, 'problem')} found`)
        : verified.endChecked
          ? applyStyle('green', 'All is well')
          : applyStyle('yellow', 'Not checked: the end of the chain; heads.log is missing or empty. Rows and files match');
    output.result({ ok: found === 0, ...counted, problems }, `${verdict}: checked ${contents(verified)}.`);
    const rows = Object.values(verified.rows).reduce((sum, n) => sum + n, 0);
    if (found >= rows && rows > 0)
      output.note('  Not one row matches its checksum: the checksum.key in the data folder is probably that of another workspace.');
    if (found > 0) process.exitCode = exitCodes.data.status;
  } finally {
    await source.store.close();
  }
}

/** Who made the file is unknown then, so the verdict must not promise anything. */
const uncheckedWords = {
  unchecked: 'Not checked: the signature; the key is not here. Rows and files match',
  unsigned: 'Not checked: the signature; there is none. Rows and files match',
};

async function verifyFile(settings: Settings, file: string, output: Output): Promise<void> {
  const { verifyBackup } = await import('@parley/hub');
  const { dataDir } = await settings.config();
  const { header, ...verified } = await withProgress(output, 'Not everything was checked.', (onProgress) =>
    verifyBackup(resolve(file), dataDir, onProgress),
  );
  const createdAt = new Date(header.createdAt).toISOString();
  const { schema, engine } = header;
  const gaps = missing(verified);
  const verdict =
    gaps.length > 0
      ? applyStyle('red', 'Not everything is in it')
      : verified.signature === 'verified'
        ? applyStyle('green', 'All is well')
        : applyStyle('yellow', uncheckedWords[verified.signature]);
  output.result(
    { ok: gaps.length === 0, file: resolve(file), createdAt, schema, engine, ...verified },
    `${verdict}: ${resolve(file)} holds ${contents(verified)}, as they were at ${createdAt}.`,
  );
  output.note(`  ${signatureWords[verified.signature]}`);
  for (const gap of gaps) output.note(gap);
  if (gaps.length > 0) process.exitCode = exitCodes.data.status;
}
