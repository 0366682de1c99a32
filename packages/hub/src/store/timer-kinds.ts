// Every kind of timer, and what happens when it is due (`timerActs` in engine/commands/system/timers.ts).

export type TimerKind =
  | 'absence.due' // an absence monitor heard nothing for its time
  | 'agent.wake' // the agent’s sleep ends
  | 'approval.due' // the approval is escalated, or expires
  | 'attachment.unposted' // the upload was never posted
  | 'chain.deadline' // the chain’s running time is over
  | 'chain.outer' // the chain’s outer limit is reached
  | 'claim.expire' // the claim ends
  | 'contact.until' // an agent stops waiting for another’s answer
  | 'digest.due' // the mailbox digest is sent
  | 'dnd.end' // do not disturb ends
  | 'invocation.due' // the pause before a retry ends
  | 'link.expire' // the one-time link expires
  | 'obligation.due' // the obligation takes its next step
  | 'round.lapse' // the agent whose turn it is in an offer round did not answer
  | 'round.ready' // the offer round begins
  | 'schedule.due' // the schedule’s next slot
  | 'store.scrub' // erased texts are taken out of the log files
  | 'task.compose' // the composing window closes
  | 'task.wait' // nobody acted in the task for as long as it waits
  | 'token.expire'; // the token expires
