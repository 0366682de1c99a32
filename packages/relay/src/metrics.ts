// Counters for Prometheus. None of them carries an address, so that a scrape says nothing about anybody.

import type { Relay } from './relay.ts';

const help: Readonly<Record<keyof Relay['counts'], string>> = {
  connections: 'Sockets that were opened.',
  stored: 'Frames that were stored for a recipient.',
  delivered: 'Frames that were sent to a recipient, repeats included.',
  acknowledged: 'Frames that a recipient acknowledged.',
  refused: 'Frames and messages that were refused.',
  rejectedLogins: 'Logins and registrations that were refused.',
};

export function metricsText(relay: Relay): string {
  const counters = Object.entries(help).map(([name, text]) => {
    const metric = `parley_relay_${name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}_total`;
    return `# HELP ${metric} ${text}\n# TYPE ${metric} counter\n${metric} ${relay.counts[name as keyof Relay['counts']]}\n`;
  });
  const online = `# HELP parley_relay_connected Sockets that are open.\n# TYPE parley_relay_connected gauge\nparley_relay_connected ${relay.connected}\n`;
  return counters.join('') + online;
}
