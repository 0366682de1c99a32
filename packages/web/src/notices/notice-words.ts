import { type NoticeNames, noticeText } from '@parley/core';
import type { Notice } from '@parley/protocol';

export const noticeSentence = (notice: Notice, names: NoticeNames): string =>
  noticeText(notice, names) ?? 'This notice is newer than the page. Reload the page to read it.';
