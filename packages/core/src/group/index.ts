export * from './ballot.ts';
export * from './decide-group.ts';
export * from './group.ts';
export * from './transfer.ts';
