// Bytes of a file by their place, a part of it in memory at a time: what says how large an image is may stand anywhere.

import { MalformedImage } from './largest-size.ts';

export type ReadBytes = (at: number, length: number) => Promise<Uint8Array>;

/** The file ends before what it promises. */
export class EndOfBytes extends Error {
  constructor() {
    super('The file ends early.');
    this.name = 'EndOfBytes';
  }
}

const windowBytes = 65_536;
/** A GIF of the largest size has 100,000 blocks; a file with more to look at is made to keep the hub busy. */
const mostLooks = 300_000;

export class ByteWindow {
  private readonly read: ReadBytes;
  private held = new Uint8Array();
  private start = 0;
  private looks = 0;

  constructor(read: ReadBytes) {
    this.read = read;
  }

  async view(at: number, length: number): Promise<DataView> {
    if (++this.looks > mostLooks) throw new MalformedImage('too many parts');
    if (at < this.start || at + length > this.start + this.held.length) {
      this.held = new Uint8Array(await this.read(at, Math.max(length, windowBytes)));
      this.start = at;
    }
    if (this.held.length < at - this.start + length) throw new EndOfBytes();
    return new DataView(this.held.buffer, this.held.byteOffset + at - this.start, length);
  }

  async byte(at: number): Promise<number> {
    return (await this.view(at, 1)).getUint8(0);
  }

  async text(at: number, length: number): Promise<string> {
    const view = await this.view(at, length);
    return String.fromCodePoint(...new Uint8Array(view.buffer, view.byteOffset, length));
  }
}
