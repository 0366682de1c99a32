// Writes docs/package-map.md from the READMEs of the packages, and the tables of docs/architecture.md from the checks.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { repositoryFiles } from './checks/source.mjs';
import { architecture, architecturePath, mapPath, packageMap } from './checks/package-map.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const files = repositoryFiles(root);
writeFileSync(join(root, mapPath), packageMap(files));
writeFileSync(join(root, architecturePath), architecture(files));
