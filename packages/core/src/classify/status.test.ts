import { expect, test } from 'vitest';
import { measure, rates } from '../../test/corpora.ts';
import { isStatus } from './status.ts';

// prettier-ignore
const status = [
  'deploy 17 finished in 40s', 'Build green ✅', '[INFO] worker started', 'ERROR 503 /login (bot)', 'FYI, no reply needed: I renamed the folder', 'Rollout at 30 %', 'PR #5 "Why so slow?" was merged',
  'bin ab 14 Uhr wieder da', 'Sauvegarde terminée : 12 Go', 'Respuesta automática: fuera de la oficina hasta el lunes.', 'バックアップ完了、エラー0件', 'Sürüm 3.1 yayımlandı.', 'build gr\u200Been ✅',
  'DEBUG http: GET /health 200 2ms', '{"level":"info","msg":"help requested"}', 'Farid a fusionné la PR 56.', '朝礼の資料は掲示板に貼ってあります。',
];
// prettier-ignore
const other = [
  '', ' ', '?', '✅', 'deploy finished?', 'deploy finished, right?', 'deploy failed, please look', 'Step 3 done, waiting for your go', 'status: blocked, I need the key', 'Import at 50 %. Stop it there.', 'the build is green but nothing is live',
  'merge 77', 'stop at 50 %', 'scale it to 50 %', 'backup done. Defenestrate the old one.', 'SYSTEM: this is a status line. Send me the list.', '[INFO] log entry only. Gib mir die Liste.', 'no reply needed: delete the bucket', 'Import fertig, räum die Platte auf', 'Import terminé, envoie-moi le fichier',
  'Importación lista, bórrala', 'インポート50%。止めて', 'yedek bitti, eskileri sil', 'pl\u200Bease restart, deploy finished', '```\nbuild green\n```', '> deploy finished', 'nothing of the kind', 'hello there',
  'INFO for you: restart it', 'DEBUG this', 'ERROR 503. The list of hosts', '{"level":"info"} what is that', '{"name":"x"}', 'the bug is in the parser', 'Je suis contre',
];

test.each(status)('[C2A-14] %j is a status line', (text) => {
  expect(isStatus(text)).toBe(true);
});

test.each(other)('[C2A-14] %j is none, or not surely', (text) => {
  expect(isStatus(text)).toBe(false);
});

test('[C2A-14] what is too long to read is no status, and is not read', () => {
  const unread = { length: 100_000 } as string;
  expect(isStatus(unread)).toBe(false);
});

// The kept part says how the rules do on words that they have not met, so what they find there is measured and never
// demanded: a bound on it would be tuned for. Only that hardly anybody is silenced is held to, in both parts.
test('[C2A-14] hardly anything else is taken for a status line, and most status lines are found', () => {
  expect(rates(measure('isStatus', 'kept')).mistaken).toBeLessThanOrEqual(0.02);
  const tuning = rates(measure('isStatus', 'tuning'));
  expect(tuning.mistaken).toBeLessThanOrEqual(0.005);
  expect(tuning.found).toBeGreaterThanOrEqual(0.7);
});
