export { type AnsweredPrompt, applyAnswers, type ConsentAnswer } from './consent.ts';
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
  askedDefaults,
  defaultSharing,
  fieldKey,
  hubSharing,
  lookUp,
  setBaseTier,
  setOverride,
  type SharingRules,
  type SharingTier,
  sharingTiers,
  tierOf,
  withField,
} from './tiers.ts';
