export * from './recall.ts';
export * from './relationship.ts';
