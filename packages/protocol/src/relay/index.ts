export * from './bytes.ts';
export * from './canonical.ts';
export * from './addresses.ts';
export * from './frames.ts';
export * from './control.ts';
export * from './signed-texts.ts';
export * from './packets.ts';
