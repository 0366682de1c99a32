import { mkdtemp } from 'node:fs/promises';
import { killUnderLoad } from './kill.ts';
import { ChildHub } from './kill-hub.ts';
const open = new Map<number,string>(); let nn=0; const of = globalThis.fetch;
globalThis.fetch = (async (u: any, i: any) => { const id = nn++; open.set(id, 'headers '+String(u)+' '+i.method+' at '+Math.round(performance.now())); try { const r = await of(u, i); open.set(id, 'body '+String(u)+' '+r.status); const t = r.text.bind(r); (r as any).text = async () => { try { return await t(); } finally { open.delete(id); } }; return r; } catch (e) { open.delete(id); throw e; } }) as any;
setInterval(() => { if (performance.now() > 60000) { console.log('open', [...open.values()]); process.exit(2); } }, 1000).unref();
const dataDir = await mkdtemp('/tmp/parley-dbg-');
const g = { engine: 'sqlite' as const, dataDir, databaseUrl: undefined, clear: async () => {} };
for (const m of ['begin','kill','start','person'] as const) { const o = (ChildHub.prototype as any)[m]; (ChildHub.prototype as any)[m] = function(...a: any[]) { console.log(Math.round(performance.now()), m, a[0] ?? ''); return o.apply(this, a); }; }
setTimeout(() => { console.log('open', [...open.values()]); console.log('timeout', process.getActiveResourcesInfo()); process.exit(1); }, 60000).unref();
console.log(await killUnderLoad({ ground: g, seed: Number(process.argv[2]), kills: 30 }));
