/** Encodes a frame that already fits its format at the given quality. */
export type Attempt = (quality: number) => Promise<Buffer>

/** Computes something of each quality once, for consecutive searches. */
export function remembered<Result>(make: (quality: number) => Promise<Result>): (quality: number) => Promise<Result> {
  const made = new Map<number, Promise<Result>>()
  return (quality) => {
    const result = made.get(quality) ?? make(quality)
    made.set(quality, result)
    return result
  }
}
