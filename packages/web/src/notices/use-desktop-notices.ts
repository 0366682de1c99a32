import { useEffect } from 'react';
import { navigate } from '../lib/router.ts';
import { useWorkspace } from '../state/context.ts';
import { desktopNotices } from './desktop-notices.ts';

export const canNotify = (): boolean => 'Notification' in globalThis;

/** Shows desktop notifications while the page is in the background, with permission and outside do-not-disturb. */
export function useDesktopNotices() {
  const { store } = useWorkspace();
  useEffect(() => {
    let before = store.get();
    return store.subscribe(() => {
      const after = store.get();
      const news = desktopNotices(before, after);
      before = after;
      if (news.length === 0 || !canNotify() || Notification.permission !== 'granted') return;
      if (document.visibilityState === 'visible' && document.hasFocus()) return;
      if ((after.members[after.myId]?.dndUntil ?? 0) > Date.now()) return;
      for (const { tag, title, body, path } of news) {
        const shown = new Notification(title, { tag, body, icon: '/favicon.svg' });
        shown.addEventListener('click', () => {
          window.focus();
          navigate(path);
          shown.close();
        });
      }
    });
  }, [store]);
}
