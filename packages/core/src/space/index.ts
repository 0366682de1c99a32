export { linksIn, type SpaceLink } from './space.ts';
export { experienced, type Introduction, introductionsFor, type KnownNegotiation } from './introductions.ts';
export { soundsLikeProject } from './introductions.ts';
export { heldBack, type SpaceReaders, type SpaceWrite, type WithheldField, withheldFrom } from './sharing.ts';
export {
  bytesIn,
  type FieldUpdate,
  type FieldVersion,
  fitsField,
  hasNamesake,
  highestCounter,
  isExact,
  isMeaningful,
  mayWrite,
  mergeUpdate,
  mostFieldBytes,
  mostOwnFields,
  type SpaceDefinition,
  type SpaceField,
  type SpaceFields,
  type SpacePermission,
  spacePermissions,
  type SpaceValue,
  type UpdateVerdict,
  withinBytes,
  writeField,
  writerBytes,
  type WriteRefusal,
} from './space.ts';
export {
  agreementField,
  channelLine,
  type ChangeReason,
  changeReasons,
  type FieldChange,
  hasAgreed,
  type Involvement,
  noticeDelayMs,
  type PostedSpace,
  reasonFor,
} from './surfacing.ts';
