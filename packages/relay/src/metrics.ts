// Counters for Prometheus. None contains an address, so that a scrape reveals nobody.

import type { Relay } from './relay.ts';
import type { Federation } from './federation/federation.ts';

const helpTexts: Readonly<Record<keyof Relay['counts'], string>> = {
  connections: 'Sockets that were opened.',
  stored: 'Frames that were stored for a recipient.',
  delivered: 'Frames that were sent to a recipient, repeats included.',
  acknowledged: 'Frames that a recipient acknowledged.',
  refused: 'Frames and messages that were refused.',
  blocked: 'Frames that were dropped because their recipient blocked the sender.',
  reports: 'Reports about senders that counted.',
  forwarded: 'Frames that another relay took.',
  undelivered: 'Frames that another relay refused, or could not be reached for.',
  lies: 'Frames and entries of other relays that were refused as false.',
  rejectedLogins: 'Logins and registrations that were refused.',
};

export function metricsText(relay: Relay): string {
  const counters = Object.entries(helpTexts).map(([name, text]) => {
    const metric = `parley_relay_${name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}_total`;
    return `# HELP ${metric} ${text}\n# TYPE ${metric} counter\n${metric} ${relay.counts[name as keyof Relay['counts']]}\n`;
  });
  const gauges = [
    { name: 'connected', text: 'Sockets that are open.', value: relay.connected },
    { name: 'waiting_frames', text: 'Frames that wait for an acknowledgement.', value: relay.waitingFrames },
    { name: 'lines', text: 'Lines to other relays that are open.', value: relay.federation?.openLines ?? 0 },
    { name: 'offenders', text: 'Addresses whose frames go last.', value: relay.offendersNow().length },
  ].map(
    ({ name, text, value }) => `# HELP parley_relay_${name} ${text}\n# TYPE parley_relay_${name} gauge\nparley_relay_${name} ${value}\n`,
  );
  return [...counters, ...gauges, ...(relay.federation ? federationText(relay.federation) : [])].join('');
}

/** Labels name relays, never people. */
function federationText({ lies }: Federation): string[] {
  if (lies.size === 0) return [];
  const metric = 'parley_relay_lies_by_relay_total';
  const values = [...lies].map(([name, count]) => `${metric}{relay="${name}"} ${count}\n`);
  return [`# HELP ${metric} False words of each other relay.\n# TYPE ${metric} counter\n`, ...values];
}
