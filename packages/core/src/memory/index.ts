export { confidenceOf, expectedNeeds, habitsOf, type RelationshipHabits, trustedValues } from './recall.ts';
export {
  type Contradiction,
  forgetValue,
  learn,
  newRelationship,
  type Observation,
  type Relationship,
  rememberAnswers,
  rememberValue,
} from './relationship.ts';
export { type RelationshipTrust, resolutionStyle, trustOf } from './recall.ts';
