export * from './access.ts';
export * from './handover.ts';
export * from './hearing.ts';
