export * from './access.ts';
export * from './handover.ts';
