// Writes docs/package-map.md from the READMEs of the packages.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { repositoryFiles } from './checks/files.mjs';
import { mapPath, packageMap } from './checks/package-map.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
writeFileSync(join(root, mapPath), packageMap(repositoryFiles(root)));
