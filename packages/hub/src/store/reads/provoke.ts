import type { Reader } from '../port.ts';
import type { ProvokeObjectRow } from '../tables.ts';

/** The files that triggers, manifests and the like were read from and are still kept from. */
export const provokeFiles = (reader: Reader): Promise<{ file: string }[]> =>
  reader.all('select distinct file from provoke_objects where file is not null and removed_at is null order by file');

/** The manifests that an owner's triggers can name: their own, and those from files. */
export const manifestsFor = (reader: Reader, ownerId: string): Promise<ProvokeObjectRow[]> =>
  reader.rows('provoke_objects', "where kind = 'manifest' and removed_at is null and (owner_id = ? or file is not null) order by id", [
    ownerId,
  ]);
