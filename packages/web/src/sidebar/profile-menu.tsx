import { useDialogs } from '../dialogs/context.ts';
import { isDemoLike, useStartDemo } from '../first-run/use-demo.ts';
import { errorText } from '../lib/error-text.ts';
import { forgetAll } from '../lib/local-storage.ts';
import { timeOfDay, tomorrowAt } from '../lib/time.ts';
import { useNow } from '../lib/use-now.ts';
import { canNotify } from '../notices/use-desktop-notices.ts';
import { useMe, useSelect, useWorkspace } from '../state/context.ts';
import { calledAs } from '../state/names.ts';
import { mayAct } from '../state/rights.ts';
import { Avatar } from '../ui/avatar.tsx';
import { Icon } from '../ui/icons.tsx';
import { MenuItem, MenuLine, MenuTitle } from '../ui/menu.tsx';
import { Popover } from '../ui/popover.tsx';
import { toast } from '../ui/toast.tsx';

export function ProfileMenu() {
  const me = useMe();
  const { client, putMember } = useWorkspace();
  const dialogs = useDialogs();
  const now = useNow();
  const lender = useSelect((state) => (state.openedBy === null ? null : calledAs(state.members[state.openedBy])));
  const halted = useSelect((state) => state.halt.halted);
  const hasDemo = useSelect((state) => Object.values(state.conversations).some(isDemoLike));
  const startDemo = useStartDemo();
  const quiet = me.dndUntil !== null && me.dndUntil > now;

  const disturb = async (until: number | null) => {
    try {
      putMember({ ...(await client.call('setDnd', { body: { until } })), online: true });
      toast(until === null ? 'Notifications are back on' : `Do not disturb until ${timeOfDay(until)}`);
    } catch (error) {
      toast(errorText(error), 'danger');
    }
  };
  const showStory = () => startDemo().catch((error: unknown) => toast(errorText(error), 'danger'));
  const askToNotify = async () => {
    const answer = await Notification.requestPermission();
    toast(answer === 'granted' ? 'Desktop notifications are on' : 'Your browser does not allow notifications from this page');
  };
  const signOut = async () => {
    try {
      await client.call('closeSession');
      forgetAll();
      location.assign('/');
    } catch (error) {
      toast(errorText(error), 'danger');
    }
  };

  return (
    <Popover
      label="You"
      align="start"
      className="min-w-60"
      renderTrigger={(props) => (
        <button
          type="button"
          {...props}
          className="flex w-full items-center gap-2.5 rounded-lg px-2 py-1.5 text-left transition-colors hover:bg-hover aria-expanded:bg-hover"
        >
          <Avatar member={me} size={30} presence />
          <span className="min-w-0 flex-1 leading-tight">
            <span className="block truncate text-sm font-medium">{me.displayName}</span>
            <span className="block truncate text-xs text-ink-3">{quiet ? 'Do not disturb' : `@${me.handle}`}</span>
          </span>
          <Icon name={quiet ? 'moon' : 'chevron'} size={16} className="text-ink-3" />
        </button>
      )}
    >
      {(close) => {
        const pick = (run: () => unknown) => () => {
          close();
          void run();
        };
        return (
          <>
            {lender !== null && <MenuTitle>Signed in with a link from {lender}</MenuTitle>}
            <MenuTitle>{quiet ? `Do not disturb until ${timeOfDay(me.dndUntil!)}` : 'Do not disturb'}</MenuTitle>
            {quiet && (
              <MenuItem icon="bell" onSelect={pick(() => disturb(null))}>
                Turn notifications back on
              </MenuItem>
            )}
            <MenuItem icon="moon" onSelect={pick(() => disturb(Date.now() + 30 * 60_000))}>
              For 30 minutes
            </MenuItem>
            <MenuItem icon="moon" onSelect={pick(() => disturb(Date.now() + 2 * 3_600_000))}>
              For 2 hours
            </MenuItem>
            <MenuItem icon="moon" onSelect={pick(() => disturb(tomorrowAt(9, Date.now())))}>
              Until tomorrow morning
            </MenuItem>
            {canNotify() && Notification.permission === 'default' && (
              <MenuItem icon="bell" onSelect={pick(askToNotify)}>
                Turn on desktop notifications
              </MenuItem>
            )}
            {mayAct('workspace.halt', me) && !halted && (
              <>
                <MenuLine />
                <MenuItem icon="stop" danger onSelect={pick(() => dialogs.open('halt'))}>
                  Stop everything…
                </MenuItem>
              </>
            )}
            <MenuLine />
            {mayAct('secret.manage', me) && (
              <MenuItem icon="key" onSelect={pick(() => dialogs.open('keys'))}>
                Keys
              </MenuItem>
            )}
            {mayAct('tool.see', me) && (
              <MenuItem icon="link" onSelect={pick(() => dialogs.open('tool-servers'))}>
                Tool servers
              </MenuItem>
            )}
            {mayAct('audit.see', me) && (
              <MenuItem icon="tasks" onSelect={pick(() => dialogs.open('audit'))}>
                Audit log
              </MenuItem>
            )}
            {mayAct('demo.play', me) && !hasDemo && (
              <MenuItem icon="play" onSelect={pick(showStory)}>
                Show me a story
              </MenuItem>
            )}
            <MenuItem icon="device" onSelect={pick(() => dialogs.open('device'))}>
              Sign in on another device
            </MenuItem>
            <MenuItem icon="leave" onSelect={pick(signOut)}>
              Sign out
            </MenuItem>
          </>
        );
      }}
    </Popover>
  );
}
