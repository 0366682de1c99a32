const isLocal = (url: string) => ['localhost', '127.0.0.1', '[::1]'].includes(new URL(url).hostname);

/** Nothing, where the hub has an address that others reach. */
export function LocalLinkWarning({ url, aim }: { url: string; aim: string }) {
  if (!isLocal(url)) return null;
  return (
    <p className="mt-1 text-[13px] text-notice">
      This link works on this computer only. {aim}, set <code className="font-mono">PARLEY_PUBLIC_URL</code>.
    </p>
  );
}
