export { type ActionCall, type ActionHandler, type ActionHandlers, ActionRefused } from './actions/port.ts';
export type { CallTool } from './actions/tool.ts';
export {
  commandsOf,
  type FailedView,
  type InboxView,
  type PeerCommands,
  type ReceivedView,
  type SendRequest,
  type SentView,
} from './control/commands.ts';
export type { NegotiationCommands, ReachedView } from './control/negotiation-commands.ts';
export { type AskModel, modelBrain, type StepQuestion } from './brains/model-brain.ts';
export type { ModelProvider, ModelProviderView, ModelSettings, ModelView } from './brains/model-settings.ts';
export type { ReachedSpace, SpaceCommands, SpaceFieldView, SpaceView } from './control/space-commands.ts';
export { whoseWords } from './negotiate/meetings/conflict-words.ts';
export type { BrainMove, BrainView, PeerBrain } from './negotiate/brain.ts';
export { modelAwayText } from './negotiate/records.ts';
export { type NegotiationParts, Negotiations } from './negotiate/negotiations.ts';
export type { OwnEvent, PersonalCalendar } from './negotiate/personal-calendar.ts';
export { answerProposal, type ConfirmationAnswer } from './negotiate/prompts.ts';
export { keepResuming } from './negotiate/resuming.ts';
export { rulesBrain } from './negotiate/rules-brain.ts';
export type { ExchangedFields } from './negotiate/exchanged-fields.ts';
export type { NegotiationView, PromptView } from './negotiate/views.ts';
export { CardError, ContactCard, readCard, writeCard } from './identity/contact-cards.ts';
export { safetyNumber } from './identity/safety-numbers.ts';
export { type FrameDoubt, signFrame, trustFrame } from './identity/signed-frames.ts';
export { type ConnectionOptions, LinkError, type PinnedRelay, RelayConnection, RelayRefused } from './link/relay-connection.ts';
export type { LinkSocket, OpenSocket, SocketEvents } from './link/sockets.ts';
export { type KeyPackageSecrets, offer } from './seal/key-packages.ts';
export type { OwnIdentity, Parties, PinnedPeer } from './seal/parties.ts';
export { SealError } from './seal/sealed-body.ts';
export { groupOf, join, open, packageNamedIn, seal, type SealedSession, start, tagFor, withoutExpiredKeys } from './seal/session.ts';
export { SkipLimitError, type WaitingKeys } from './seal/skipped-packets.ts';
export { newSigningKey, signBytes, type SigningKey, verifies } from './seal/sodium.ts';
export { type PeerStore, type RecordChange, type RecordKind, recordKinds, type StoredRecord, VersionConflict } from './store/port.ts';
export { LockedError } from './store/vault.ts';
export { backupOpensBy, type BackupSecret, newBackupKey, openBackup, restoreBackup, writeBackup } from './packets/backups.ts';
export type { ReportReason } from './packets/blocks.ts';
export { takeOver } from './packets/devices.ts';
export type { PacketContent } from './packets/drafts.ts';
export { PeerError, type PeerErrorCode } from './packets/errors.ts';
export { type LinkEvent, type LinkOptions, PeerLink } from './packets/reconnection.ts';
export type { Arrival } from './packets/arriving-packets.ts';
export { type KeyDecision, Peer, type PeerParts, type PeerView, type SafetyView } from './packets/peer.ts';
export type { PacketRecord } from './packets/records.ts';
export { sleep } from './packets/sleep.ts';
export { registerPeer, type Registration } from './packets/registration.ts';
