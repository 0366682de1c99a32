export { SimClock } from './clock.ts';
export { freshGround, type Ground, onBothEngines } from './engines.ts';
export { type Answer, Person, startTestHub, type TestHub } from './hub.ts';
export { killUnderLoad, type KillReport, readAll, seedFromEnv } from './kill.ts';
export { ChildHub } from './kill-hub.ts';
export { type Cluster, freshDatabase, startPostgres } from './postgres.ts';
export { Random } from './random.ts';
export { storeContract } from './store-contract.ts';
export { Ear } from './stream.ts';
