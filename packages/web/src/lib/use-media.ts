import { useSyncExternalStore } from 'react';

/** Tells the layouts apart where CSS alone cannot: what is a drawer on a phone is a column on a desk. */
export function useMedia(query: string): boolean {
  return useSyncExternalStore(
    (listener) => {
      const media = matchMedia(query);
      media.addEventListener('change', listener);
      return () => media.removeEventListener('change', listener);
    },
    () => matchMedia(query).matches,
  );
}

export const useNarrow = (): boolean => useMedia('(max-width: 767px)');
/** Room for a panel beside the conversation. */
export const useWide = (): boolean => useMedia('(min-width: 1100px)');
