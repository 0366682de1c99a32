import { often } from '@parley/testkit';
import { test } from 'vitest';
import { killAndJudge } from '../kit/children/kills.ts';

const kills = often(15, 100);
test(
  `[SYS-4] PostgreSQL: hub killed ${kills} times under load, every acked message is there once, in order, and nothing was shown twice`,
  () => killAndJudge('postgres', kills),
  600_000,
);
