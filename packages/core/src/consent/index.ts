export { type AnsweredPrompt, applyAnswers, type ConsentAnswer } from './answers.ts';
export {
  answerNeeds,
  consentFor,
  type ConsentItem,
  contentFor,
  type FieldConsent,
  type NeedsAnswer,
  type PersonalValues,
  type SharedValue,
  type SharingScope,
  visibleFor,
} from './consent.ts';
export {
  defaultSharing,
  fieldKey,
  houseSharing,
  lookUp,
  setOverride,
  type SharingRules,
  type SharingTier,
  sharingTiers,
  tierOf,
} from './tiers.ts';
