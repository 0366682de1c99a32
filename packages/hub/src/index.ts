export { type Clock, systemClock } from './clock.ts';
export { type Config, ConfigError, readConfig } from './config.ts';
export { openDataDir, readHubInfo, lockDataDir, DataDirInUse } from './data-dir.ts';
export { type Hub, startHub, version } from './hub.ts';
export { type Kernel, openStore, startKernel } from './kernel.ts';
export { up } from './main.ts';
export * from './store/port.ts';
export type { AnyRow, Rows, TableName } from './store/tables.ts';
export { columnsOf, keyOf, tableNames, tables } from './store/tables.ts';
