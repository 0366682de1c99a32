export * from './ids.ts';
export * from './errors.ts';
export * from './members.ts';
export * from './tokens.ts';
export * from './conversations.ts';
export * from './messages.ts';
export * from './stream.ts';
export * from './routes.ts';
