// The size that counts where an image names several.

export interface ImageSize {
  width: number;
  height: number;
}

/** It is not written as its format demands, so nobody knows what a browser would make of it. */
export class MalformedImage extends Error {
  constructor(why: string) {
    super(why);
    this.name = 'MalformedImage';
  }
}

export const largest = (sizes: readonly ImageSize[]): ImageSize =>
  sizes.reduce((most, { width, height }) => ({ width: Math.max(most.width, width), height: Math.max(most.height, height) }), {
    width: 0,
    height: 0,
  });
