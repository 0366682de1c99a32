// The two files of the published draft, word for word where words decide.

export const seedTrigger = `pap_version: "0.2"
trigger:
  id: energy-price-optimizer
  description: >
    When energy prices exceed threshold, provoke an agent to plan
    today's consumption across smart home devices.
  enabled: true
  match:
    type: "energy.price.threshold_exceeded"
    filter:
      - path: "$.data.price_nok_per_kwh"
        operator: gt
        value: 3.00
      - path: "$.data.region"
        operator: eq
        value: "NO1"
  throttle:
    max_per_window: 1
    window_key: "$.data.region"
    window_seconds: 3600
  agent: energy-consumption-planner-v1
`;

export const seedManifest = `pap_version: "0.2"
agent:
  id: energy-consumption-planner-v1
  description: >
    Given current and forecast energy prices, reasons about the household's
    smart devices and produces an optimized consumption plan for the day.
  risk_level: medium # read_only | low | medium | high
  model:
    provider: anthropic
    model_id: claude-sonnet-4-20250514
    max_tokens: 1000
    temperature: 0.3
  system_prompt: |
    You are an energy optimization agent for a smart home.
    Respond only with JSON.
  tools:
    - name: get_device_list
      source: mcp://smarthome-hub
      risk_override: read_only
    - name: set_device_schedule
      source: mcp://smarthome-hub
      risk_override: medium
  limits:
    max_runtime_seconds: 30
    max_tool_calls: 10
  output:
    type: structured
    schema:
      plan: array
      estimated_saving_nok: number
      summary: string
  on_complete:
    emit_event: "pap.agent.invocation.completed"
  on_failure:
    retry:
      max_attempts: 2
      backoff_seconds: 5
    emit_event: "pap.agent.invocation.failed"
`;

const seen = (id: string, type: string, source: string, time: string, data: Record<string, unknown>) => ({
  pap_version: '0.2',
  id,
  type,
  source: `monitoring.${source}`,
  time,
  data,
});

/** The eight scenarios. */
export const seedEvents = [
  seen('evt_e1a9c3', 'energy.price.threshold_exceeded', 'energy-price-tracker', '2026-03-11T06:00:00Z', {
    price_nok_per_kwh: 4.82,
    threshold_nok_per_kwh: 3.0,
    region: 'NO1',
    forecast_hours: 6,
  }),
  seen('evt_s7f01b', 'stock.price.dropped_significantly', 'portfolio-tracker', '2026-03-11T14:33:00Z', {
    ticker: 'EQNR.OL',
    drop_percent: 6.2,
    threshold_percent: 5.0,
    price_current: 284.1,
    price_open: 302.9,
  }),
  seen('evt_k3d72a', 'article.staleness.threshold_reached', 'knowledge-base-crawler', '2026-03-11T03:00:00Z', {
    article_id: 'kb-4421',
    title: 'How to configure two-factor authentication',
    last_edited: '2025-09-10T11:00:00Z',
    days_since_edit: 182,
  }),
  seen('evt_t9b44f', 'ticket.response.overdue', 'support-queue', '2026-03-11T15:00:00Z', {
    ticket_id: 'tck-8812',
    priority: 'high',
    hours_without_response: 4.2,
    customer_id: 'cust_4421',
  }),
  seen('evt_l2c88d', 'server.latency.sla_breached', 'apm', '2026-03-11T22:07:00Z', {
    endpoint: '/api/v2/orders',
    p99_ms: 4800,
    sla_ms: 1000,
    duration_minutes: 6,
  }),
  seen('evt_c5e19b', 'competitor.pricing.changed', 'web-scraper', '2026-03-11T08:15:00Z', {
    competitor: 'acme-rival.com',
    products_changed: 4,
    largest_change_percent: -12.0,
    snapshot_diff_url: 's3://snapshots/diff_20260311.json',
  }),
  seen('evt_r8f55c', 'regulation.document.published', 'regulatory-feed', '2026-03-11T09:00:00Z', {
    title: 'Amendment to GDPR Article 22 on automated decision-making',
    category: 'data-privacy',
    url: 'https://eur-lex.europa.eu/...',
    effective_date: '2026-07-01',
  }),
  seen('evt_m1d30e', 'document.meeting_notes.uploaded', 'shared-drive-watcher', '2026-03-11T13:45:00Z', {
    file_id: 'doc_9921',
    filename: 'Q1-planning-2026-03-11.txt',
    uploader: 'lars.erik@acme.com',
    word_count: 3200,
  }),
];
