// Loaded when somebody writes a command: what reads requests to leave knows the words of six languages.

export { leaveCommand } from '@parley/core';
