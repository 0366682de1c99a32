export { offerHint, type OfferedRequest, requestText } from './request-text.ts';
export { type OfferedStart, type ReadReply, readReply } from './reply-words.ts';
