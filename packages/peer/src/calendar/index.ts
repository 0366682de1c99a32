// The separate entry `@parley/peer/calendar`: its libraries are loaded when a calendar is first needed.

export { basicAuthorization, type CalendarAccess } from './bounded-fetch.ts';
export { addRemoteEvent, listCalendars, onlyCalendar, readRemoteCalendar, type RemoteCalendar, removeRemoteEvent } from './caldav.ts';
export { accessTo, type CalendarTexts, fetchCalendar, folderCalendar, readLinked, textCalendar } from './folder-calendar.ts';
export { calendarLimits } from './content-lines.ts';
export { CalendarError, type CalendarErrorCode, type CalendarProblem } from './problems.ts';
export { busyOf, type CalendarContent, type CalendarEvent, type CalendarSpan, readCalendar } from './read-calendar.ts';
export { writeCalendar } from './write-calendar.ts';
export { zoneOffsets } from './zones.ts';
