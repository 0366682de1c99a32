export { Answers } from './answers.ts';
export { Matcher, regexLimits } from './matcher.ts';
