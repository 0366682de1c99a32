export * from './introductions.ts';
export * from './links.ts';
export * from './sharing.ts';
export * from './space.ts';
export * from './surfacing.ts';
