export { answeringOf, answersUntil, linkStateAt, openingOf, requestLinkLimits, type RequestLinkState } from './outside-requests.ts';
export { agreedText, offerHint, type OfferedRequest, requestText } from './outside-requests.ts';
export { type OfferedStart, type ReadReply, readReply } from './outside-requests.ts';
