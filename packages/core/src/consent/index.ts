export * from './consent.ts';
export * from './tiers.ts';
