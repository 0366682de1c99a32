// The goodbye of an agent that was asked to leave: the only message of an agent that needs no task (PAP-1).

/** The agent may say goodbye once, within this time. */
export const goodbyeMs = 60_000;
export const longestGoodbye = 300;
/** The goodbye of an agent inside the hub. */
export const goodbye = 'All right, I am leaving. Call me by name and I am back.';

export const maySayGoodbye = (leave: { at: number; said: boolean }, now: number): boolean => !leave.said && now <= leave.at + goodbyeMs;
