/** Once a frame fits its format: its bytes at one quality. */
export type Attempt = (quality: number) => Promise<Buffer>
