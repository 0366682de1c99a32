import { auditActor, auditKindWords, auditOutcomeWords, auditText } from '@parley/core';
import { type AuditEntry, type AuditKind, auditKinds, type AuditPage } from '@parley/protocol';
import { useEffect, useState } from 'react';
import { errorText } from '../lib/error-text.ts';
import { fullDate } from '../lib/time.ts';
import { useAction } from '../lib/use-action.ts';
import { useSelect, useWorkspace } from '../state/context.ts';
import { calledAs } from '../state/names.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Problem } from '../ui/problem.tsx';
import { Select } from '../ui/select.tsx';

const periods = { '': 'All time', '86400000': 'Last 24 hours', '604800000': 'Last 7 days', '2592000000': 'Last 30 days' } as const;

/** What agents did, who approved it, who read the DMs of agents, and whose access changed: for owners and admins. */
export function AuditDialog({ onClose }: { onClose: () => void }) {
  const { client } = useWorkspace();
  const members = useSelect((state) => state.members);
  const [kind, setKind] = useState<AuditKind | ''>('');
  const [memberId, setMemberId] = useState('');
  const [period, setPeriod] = useState('');
  const [page, setPage] = useState<AuditPage | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const fetch = (before?: number) =>
    client.call('listAudit', {
      query: {
        ...(kind === '' ? {} : { kind }),
        ...(memberId === '' ? {} : { memberId }),
        ...(period === '' ? {} : { since: Date.now() - Number(period) }),
        ...(before === undefined ? {} : { before }),
      },
    });
  useEffect(() => {
    let wanted = true;
    setPage(null);
    setFailure(null);
    fetch()
      .then((first) => wanted && setPage(first))
      .catch((error: unknown) => wanted && setFailure(errorText(error)));
    return () => {
      wanted = false;
    };
    // Asked again when a filter changes, and only then.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [kind, memberId, period]);
  const more = useAction(async () => {
    const next = await fetch(page!.next!);
    setPage({ entries: [...page!.entries, ...next.entries], next: next.next });
  });
  const people = Object.values(members).toSorted((a, b) => a.handle.localeCompare(b.handle));
  return (
    <Dialog
      wide
      title="Audit log"
      hint="What agents did, who approved it, who read their conversations, and whose access changed."
      onClose={onClose}
    >
      <div className="grid gap-3 sm:grid-cols-3">
        <Select label="Kind" value={kind} onChange={(value) => setKind(value as AuditKind | '')}>
          <option value="">Everything</option>
          {auditKinds.map((one) => (
            <option key={one} value={one}>
              {auditKindWords[one]}
            </option>
          ))}
        </Select>
        <Select label="Who" value={memberId} onChange={setMemberId}>
          <option value="">Everybody</option>
          {people.map((member) => (
            <option key={member.id} value={member.id}>
              {calledAs(member)}
            </option>
          ))}
        </Select>
        <Select label="When" value={period} onChange={setPeriod}>
          {Object.entries(periods).map(([ms, label]) => (
            <option key={ms} value={ms}>
              {label}
            </option>
          ))}
        </Select>
      </div>
      <Problem text={failure ?? more.error} />
      {page === null && failure === null && <p className="py-6 text-center text-sm text-ink-3">Loading…</p>}
      {page?.entries.length === 0 && <p className="py-6 text-center text-sm text-ink-2">No entries.</p>}
      <ul aria-label="Entries" className="mt-3 divide-y divide-line">
        {page?.entries.map((entry) => (
          <Entry key={entry.id} entry={entry} />
        ))}
      </ul>
      {page !== null && page.next !== null && (
        <div className="mt-3 flex justify-center">
          <Button disabled={more.busy} onClick={() => more.act()}>
            Show older entries
          </Button>
        </div>
      )}
    </Dialog>
  );
}

const isBad = ({ outcome }: AuditEntry): boolean => outcome === 'failed' || outcome === 'unknown' || outcome === 'denied';

function Entry({ entry }: { entry: AuditEntry }) {
  const members = useSelect((state) => state.members);
  const called = (id: string): string => auditActor(id, (memberId) => calledAs(members[memberId]));
  const { kind, name, outcome, kept, arguments: given, actorId, targetId, approverId, onBehalfOf, at } = entry;
  const about = [
    fullDate(at),
    ...(kind !== 'approval' && approverId !== null ? [`Approved by ${called(approverId)}`] : []),
    ...(onBehalfOf !== null && onBehalfOf !== actorId ? [`For ${called(onBehalfOf)}`] : []),
  ];
  const text = JSON.stringify(given);
  return (
    <li className="py-2.5">
      <p className="flex flex-wrap items-baseline justify-between gap-x-3">
        <span className="min-w-0 font-medium break-words">
          {auditText({ kind, name, outcome, actor: called(actorId), target: targetId === null ? undefined : called(targetId) })}
        </span>
        <span className={`text-[13px] ${isBad(entry) ? 'text-danger' : 'text-ink-2'}`}>{auditOutcomeWords[outcome]}</span>
      </p>
      <p className="text-[13px] text-ink-3">{about.join(' · ')}</p>
      {!kept && <p className="text-[13px] text-ink-3">The arguments were erased.</p>}
      {kept && kind !== 'read' && text !== '{}' && (
        <details className="mt-1">
          <summary className="cursor-pointer truncate py-1 font-mono text-[13px] text-ink-2">{text.slice(0, 200)}</summary>
          <pre className="mt-1 rounded-lg bg-sunken p-2 font-mono text-[13px] break-words whitespace-pre-wrap">
            {JSON.stringify(given, null, 2)}
          </pre>
        </details>
      )}
    </li>
  );
}
