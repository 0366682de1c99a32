import { useEffect, useRef, useState } from 'react';

/** For so long a moved button is not pressed: a double click means the button that was there before. */
const settlingMs = 500;

/** Whether what is in the element has stood where it is for a while. It takes room of its own: whatever moves changes its size. */
export function useSettledButton<T extends HTMLElement>() {
  const ref = useRef<T>(null);
  const [still, setStill] = useState(false);
  useEffect(() => {
    if (!ref.current) return undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const observer = new ResizeObserver(() => {
      setStill(false);
      clearTimeout(timer);
      timer = setTimeout(() => setStill(true), settlingMs);
    });
    observer.observe(ref.current);
    return () => {
      observer.disconnect();
      clearTimeout(timer);
    };
  }, []);
  return { ref, still };
}
