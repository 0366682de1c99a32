#!/usr/bin/env node
// Plain JavaScript without dependencies: this file must load on whatever Node the host has.
import { launch } from './relaunch.mjs';

await launch(new URL('../src/main.ts', import.meta.url));
