// Answers to frames go out in the order of the frames: a refusal that needs no disk waits for earlier frames that do.

export class AnswerOrder {
  private readonly slots: { send?: () => void }[] = [];

  /** A place for one answer; the returned function fills it. */
  reserve(): (send: () => void) => void {
    const slot: { send?: () => void } = {};
    this.slots.push(slot);
    return (send) => {
      slot.send = send;
      while (this.slots[0]?.send) this.slots.shift()!.send!();
    };
  }
}
