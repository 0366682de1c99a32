import { readFileSync } from 'node:fs';
import { directPatterns, loadFile } from '@parley/core/provoke';
import { Manifest, ManifestTool } from '@parley/protocol';
import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { cliErrors, exitCodes } from './exit.ts';
import { buildProgram } from './program/program.ts';

const page = readFileSync(new URL('../../../docs/reference/cli.md', import.meta.url), 'utf8');
const rowsOf = (pattern: RegExp) => [...page.matchAll(pattern)].map(([, name, text]) => [name, text]);

/** Every command that does something, with its full name; one that takes arguments or options does, and may have others below it. */
function leaves(command: Command, name = command.name()): { name: string; command: Command }[] {
  const below = command.commands.flatMap((sub) => leaves(sub, `${name} ${sub.name()}`));
  const takesSomething = command.registeredArguments.length > 0 || (command.parent !== null && command.options.length > 0);
  return below.length === 0 || takesSomething ? [{ name, command }, ...below] : below;
}

describe('docs/reference/cli.md', () => {
  const program = buildProgram(() => {});
  const sections = new Map(
    page
      .split(/^### /m)
      .slice(1)
      .map((text) => [/^`([^`]+)`/.exec(text)?.[1] ?? '', text]),
  );

  it('has a section for every command, with its arguments, and none for others', () => {
    const usages = leaves(program).map(({ name, command }) =>
      [
        name,
        ...command.registeredArguments.map((argument) => {
          const dots = argument.variadic ? '...' : '';
          return argument.required ? `<${argument.name()}${dots}>` : `[${argument.name()}${dots}]`;
        }),
      ].join(' '),
    );
    expect([...sections.keys()].toSorted((a, b) => a.localeCompare(b))).toEqual(usages.toSorted((a, b) => a.localeCompare(b)));
  });

  it('knows what there are several of by both names, and no name twice', () => {
    const names = program.commands.map((one) => [one.name(), ...one.aliases()]);
    const several = ['trigger', 'manifest', 'source', 'schedule', 'absence', 'event', 'invocation', 'agent', 'member', 'role', 'token'];
    for (const one of [...several, 'tool', 'secret', 'contact', 'task'])
      expect(names).toContainEqual(expect.arrayContaining([one, `${one}s`]));
    expect(new Set(names.flat()).size).toBe(names.flat().length);
  });

  it('names every option of every command', () => {
    const missing = leaves(program).flatMap(({ name, command }) => {
      const [, text = ''] =
        [...sections].find(([usage]) => usage === name || usage.startsWith(`${name} <`) || usage.startsWith(`${name} [`)) ?? [];
      return command.options.filter((option) => !text.includes(`\`${option.flags}\``)).map((option) => `${name} ${option.flags}`);
    });
    expect(missing).toEqual([]);
    expect([...program.options.map((option) => option.flags), '-h, --help'].filter((flags) => !page.includes(`| \`${flags}\` |`))).toEqual(
      [],
    );
  });

  it('lists the exit codes there are, with what they mean', () => {
    expect(rowsOf(/^\| (\d+) \| (.+) \|$/gm)).toEqual(Object.values(exitCodes).map(({ status, text }) => [String(status), text]));
  });

  it('lists the error codes there are, with what they mean', () => {
    expect(rowsOf(/^\| `([a-z_]+)` \| (.+) \|$/gm)).toEqual(Object.entries(cliErrors));
  });
});

describe('docs/reference/invocations.md', () => {
  it('[PRV-4] shows a manifest with every field, as the hub takes it', () => {
    const text = readFileSync(new URL('../../../docs/reference/invocations.md', import.meta.url), 'utf8');
    const loaded = loadFile(/```yaml\n([^]*?)```/.exec(text)![1]!, directPatterns());
    expect(loaded).toMatchObject({ ok: true, manifests: [{ manifest: { id: 'disk-cleaner' } }] });
    const { manifest } = loaded.ok ? loaded.manifests[0]! : ({} as never);
    expect(Object.keys(manifest)).toEqual(Object.keys(Manifest.shape));
    expect(Object.keys(manifest.tools[0]!)).toEqual(Object.keys(ManifestTool.shape));
  });
});
