import type { FolderProblem } from '@parley/protocol';
import { useEffect, useState } from 'react';
import { useWorkspace } from '../state/context.ts';

/**
 * The mistakes that keep an agent's files from being taken up, for those who can mend them: the last good version is in force
 * meanwhile.
 */
export function FolderMistakes() {
  const { client } = useWorkspace();
  const [problems, setProblems] = useState<FolderProblem[]>([]);
  useEffect(() => {
    // A notice beside the list: without it the list is as good as before.
    client
      .call('listAgentFolders')
      .then(({ folders }) => setProblems(folders.flatMap((folder) => folder.problems)))
      .catch(() => {});
  }, [client]);
  if (problems.length === 0) return null;
  return (
    <section
      role="alert"
      aria-label="Mistakes in agents’ files"
      className="mb-3 rounded-lg bg-danger-soft px-3.5 py-2.5 text-sm text-danger"
    >
      <p className="font-medium">Not applied, because these agents’ files have mistakes:</p>
      <ul className="mt-1 space-y-1">
        {problems.map(({ file, line, column, field, message }) => (
          <li key={`${file} ${line} ${column} ${field} ${message}`} className="[overflow-wrap:anywhere]">
            <code>{line === null ? file : `${file}:${line}:${column}`}</code> {field}: {message}
          </li>
        ))}
      </ul>
    </section>
  );
}
