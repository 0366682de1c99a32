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
