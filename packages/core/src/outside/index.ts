export { answeringOf, answersUntil, linkStateAt, openingOf, requestLinkLimits, type RequestLinkState } from './request-links.ts';
export { agreedText, offerHint, type OfferedRequest, requestText } from './request-text.ts';
export { type OfferedStart, type ReadReply, readReply } from './reply-words.ts';
