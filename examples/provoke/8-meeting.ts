// Notes of a meeting were uploaded. An agent reads them, finds out who is meant, and makes tasks for the right people.
// Making work for others is of high risk here: nothing runs before Lars has approved it, and a denial is final.

import { calls, holds, outcome, play, same, says } from './room.ts';

await play('8. Meeting notes uploaded', '2026-03-11T13:45Z', async (room) => {
  const tasks: unknown[] = [];
  await room.tools('projects', {
    read_file: {
      about: 'the text of a file',
      takes: { file_id: 'string' },
      does: () => 'Kari will book the venue by Friday. We decided to ship in May.',
    },
    find_person: { about: 'who in the organisation has this name', takes: { name: 'string' }, does: () => 'kari.nordmann@acme.com' },
    create_task: {
      about: 'a task for somebody',
      takes: { owner: 'string', title: 'string' },
      changes: true,
      does: (given) => (tasks.push(given), 'created'),
    },
  });
  await room.puts(`
pap_version: "0.2"
trigger:
  id: meeting-notes
  match: { type: document.meeting_notes.uploaded, filter: [{ path: "$.data.filename", operator: contains, value: planning }] }
  agent: minute-taker
agent:
  id: minute-taker
  risk_level: medium
  model: { provider: anthropic, model_id: claude-sonnet-4-20250514 }
  system_prompt: Extract decisions and action points, find their owners, and make a task for each. Respond only with JSON.
  tools:
    - { name: read_file, source: mcp://projects, risk_override: read_only }
    - { name: find_person, source: mcp://projects, risk_override: read_only }
    - { name: create_task, source: mcp://projects, risk_override: high }
  output: { type: structured, schema: { decisions: array, tasks: integer } }
`);
  const file = (name: string) => ({ file_id: 'doc_9921', filename: name, uploader: 'lars.erik@acme.com', word_count: 3200 });
  const seen = new Set<string>();
  const monitor = await room.monitor({
    source: 'monitoring.shared-drive-watcher',
    type: 'document.meeting_notes.uploaded',
    crossed: (name: string) => (seen.size === seen.add(name).size ? null : file(name)),
  });
  /** What waits for Lars, and his answer to it. */
  const answers = async (choice: string): Promise<string> => {
    const { checkpoints } = await room.lars.call('listCheckpoints', { query: {} });
    const { id, text, detail } = checkpoints[0]!;
    await room.lars.call('closeCheckpoint', { params: { checkpointId: id }, body: { choice } });
    return `${text}\n${detail ?? ''}`;
  };

  const first = await monitor.sees('Q1-planning-2026-03-11.txt', 'evt_m1d30e');
  same('The upload', outcome(first), 'meeting-notes: needs_approval');
  same('The same file, seen again', outcome(await monitor.sees('Q1-planning-2026-03-11.txt', 'evt_m1d30e')), 'no event');
  const { risk } = await room.reaches('awaiting_approval', first);
  same('Its risk, and what was done so far', `${risk}, ${room.model.asked.length}`, 'high, 0');

  const task = { owner: 'kari.nordmann@acme.com', title: 'Book the venue by Friday' };
  room.model.thinks(
    calls(['read_file', { file_id: 'doc_9921' }]),
    calls(['find_person', { name: 'Kari' }]),
    calls(['create_task', task]),
    says('{"decisions":["ship in May"],"tasks":1}'),
  );
  holds('What Lars is asked', await answers('approve'), 'Q1-planning-2026-03-11.txt');
  const { output } = await room.reaches('completed', first);
  same('What comes of it', JSON.stringify(output), '{"decisions":["ship in May"],"tasks":1}');
  same('Tasks', JSON.stringify(tasks), JSON.stringify([task]));

  const second = await monitor.sees('Q2-planning-2026-03-11.txt', 'evt_m1d30f');
  await room.reaches('awaiting_approval', second);
  await answers('deny');
  await room.reaches('denied', second);
  same('After a no', `${tasks.length}, ${room.model.asked.length}`, '1, 4');
});
