/** Encodes a frame that already fits its format at the given quality. */
export type Attempt = (quality: number) => Promise<Buffer>
