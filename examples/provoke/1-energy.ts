// The price of electricity is above 3 kroner. An agent reads the forecast and the devices, plans the day, and sets the one
// device that may be moved. Half an hour later the price is still high, and nobody is woken again: once an hour is enough.

import { calls, holds, outcome, play, same, says } from './room.ts';

const plan = { plan: [{ device: 'heat-pump', run: '23:00-05:00' }], estimated_saving_nok: 41.5, summary: 'The heat pump runs at night.' };

await play('1. Energy price spike', '2026-03-11T06:00Z', async (room) => {
  const schedules: unknown[] = [];
  await room.tools('smarthome-hub', {
    get_device_list: {
      about: 'controllable devices, and what has to stay on',
      does: () => [
        { id: 'heat-pump', kw: 6, critical: false },
        { id: 'freezer', kw: 0.2, critical: true },
      ],
    },
    set_device_schedule: {
      about: 'when a device runs',
      takes: { device: 'string', run: 'string' },
      changes: true,
      does: (given) => (schedules.push(given), 'done'),
    },
  });
  const { id: home } = await room.channel('home');
  await room.puts(`
pap_version: "0.2"
trigger:
  id: energy-price-optimizer
  match:
    type: energy.price.threshold_exceeded
    filter:
      - { path: "$.data.price_nok_per_kwh", operator: gt, value: 3.00 }
      - { path: "$.data.region", operator: eq, value: NO1 }
  throttle: { max_per_window: 1, window_key: "$.data.region", window_seconds: 3600 }
  agent: energy-consumption-planner-v1
---
pap_version: "0.2"
agent:
  id: energy-consumption-planner-v1
  risk_level: medium
  model: { provider: anthropic, model_id: claude-sonnet-4-20250514, max_tokens: 1000, temperature: 0.3 }
  system_prompt: You are an energy optimization agent for a smart home. Respond only with JSON.
  tools:
    - { name: get_device_list, source: mcp://smarthome-hub, risk_override: read_only }
    - { name: set_device_schedule, source: mcp://smarthome-hub, risk_override: medium }
  limits: { max_runtime_seconds: 30, max_tool_calls: 10 }
  output: { type: structured, schema: { plan: array, estimated_saving_nok: number, summary: string } }
  on_complete: { emit_event: pap.agent.invocation.completed }
  deliver_to: { conversation: "#home" }
`);
  room.model.thinks(
    calls(['get_device_list', {}]),
    calls(['set_device_schedule', { device: 'heat-pump', run: '23:00-05:00' }]),
    says(JSON.stringify(plan)),
  );
  const monitor = await room.monitor({
    source: 'monitoring.energy-price-tracker',
    type: 'energy.price.threshold_exceeded',
    crossed: (price: number) =>
      price > 3 ? { price_nok_per_kwh: price, threshold_nok_per_kwh: 3, region: 'NO1', forecast_hours: 6 } : null,
  });

  same('At 2.10', outcome(await monitor.sees(2.1, 'evt_e1a9c1')), 'no event');
  const crossing = await monitor.sees(4.82, 'evt_e1a9c3');
  same('At 4.82', outcome(crossing), 'energy-price-optimizer: run');
  const { output, risk, toolCalls } = await room.reaches('completed', crossing);
  same('The plan', JSON.stringify(output), JSON.stringify(plan));
  same('Risk and calls of tools', `${risk}, ${toolCalls}`, 'medium, 2');
  same('What was set', JSON.stringify(schedules), '[{"device":"heat-pump","run":"23:00-05:00"}]');
  same('Tools that the model had', room.model.asked[0]!.tools.join(' '), 'get_device_list set_device_schedule');
  holds('Its prompt', room.model.told, '"price_nok_per_kwh": 4.82');
  same('#home', await room.said(home), `[energy-consumption-planner-v1] \`\`\`json\n${JSON.stringify(plan, null, 2)}\n\`\`\``);

  await room.passes(30);
  same('Half an hour later', outcome(await monitor.sees(4.9, 'evt_e1a9c4')), 'energy-price-optimizer: throttled');
  same('The first event once more', outcome(await monitor.sees(4.82, 'evt_e1a9c3')), 'energy-price-optimizer: duplicate');
});
