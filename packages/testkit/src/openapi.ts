// The OpenAPI document as other people's tools read it: a linter, a generator of clients and the compiler of its result.

import { createConfig, lintFromString } from '@redocly/openapi-core';
import openapiTypescript, { astToString } from 'openapi-typescript';
import ts from 'typescript';

/** The compiler asks for a file by its path from where it runs. */
const base = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/** Redocly's errors under its recommended rules, without its warnings. */
export async function lintErrors(document: object): Promise<string[]> {
  const config = await createConfig({ extends: ['recommended'] });
  const problems = await lintFromString({ source: JSON.stringify(document), absoluteRef: 'openapi.json', config });
  return problems
    .filter(({ severity }) => severity === 'error')
    .map(({ message, location }) => `${location[0]?.pointer ?? ''}: ${message}`);
}

/** A program that calls the API, checked against the types that openapi-typescript makes. */
export async function compileErrors(document: object, program: string): Promise<string[]> {
  const files: Record<string, string> = {
    'api.d.ts': astToString(await openapiTypescript(JSON.stringify(document))),
    'program.ts': program,
  };
  const options: ts.CompilerOptions = {
    strict: true,
    noEmit: true,
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    types: [],
  };
  const usual = ts.createCompilerHost(options);
  const host: ts.CompilerHost = {
    ...usual,
    getSourceFile: (name, target) => {
      const text = files[base(name)];
      return text === undefined ? usual.getSourceFile(name, target) : ts.createSourceFile(name, text, target);
    },
    fileExists: (name) => base(name) in files || usual.fileExists(name),
    readFile: (name) => files[base(name)] ?? usual.readFile(name),
  };
  const checked = ts.createProgram(Object.keys(files), options, host);
  return ts.getPreEmitDiagnostics(checked).map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
}
