import { AgentDmsDialog } from './agent-dms.tsx';
import { AuditDialog } from './audit-log.tsx';
import { BrowseChannels } from './browse-channels.tsx';
import type { DialogName } from './context.ts';
import { CreateChannelDialog } from './create-channel.tsx';
import { SignInLinkDialog } from './sign-in-link.tsx';
import { StopEverythingDialog } from './stop-everything.tsx';
import { InboxDialog } from './inbox/inbox.tsx';
import { InviteDialog } from './invite.tsx';
import { KeysDialog } from './keys.tsx';
import { PeopleDialog } from './people.tsx';
import { SearchDialog } from './search/search.tsx';
import { StartDm } from './start-dm.tsx';
import { ToolServersDialog } from './tool-servers.tsx';

const dialogs = {
  'create-channel': CreateChannelDialog,
  browse: BrowseChannels,
  'start-dm': StartDm,
  invite: InviteDialog,
  people: PeopleDialog,
  search: SearchDialog,
  device: SignInLinkDialog,
  halt: StopEverythingDialog,
  inbox: InboxDialog,
  'agent-dms': AgentDmsDialog,
  keys: KeysDialog,
  audit: AuditDialog,
  'tool-servers': ToolServersDialog,
} as const satisfies Record<DialogName, unknown>;

export function DialogHost({ name, onClose }: { name: DialogName; onClose: () => void }) {
  const Dialog = dialogs[name];
  return <Dialog onClose={onClose} />;
}
