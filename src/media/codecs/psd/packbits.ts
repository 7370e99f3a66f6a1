/** Maximum length of a run and of a literal in PackBits. */
const MAX_RUN = 128

/**
 * PackBits as used by TIFF 6.0 section 9 and PSD: a count of 0 to 127 is followed by count + 1 literal bytes; a count
 * of -1 to -127 repeats the next byte. Runs of two inside literals are not encoded separately.
 */
export function packBits(row: Uint8Array): Uint8Array {
  const packed = new Uint8Array(row.length + Math.ceil(row.length / MAX_RUN))
  let target = 0
  const runAt = (start: number): number => {
    let end = start + 1
    while (end < row.length && end - start < MAX_RUN && row[end] === row[start]) end++
    return end - start
  }
  for (let at = 0; at < row.length; ) {
    const run = runAt(at)
    if (run >= 2) {
      packed[target++] = 257 - run
      packed[target++] = row[at]!
      at += run
      continue
    }
    let end = at + 1
    while (end < row.length && end - at < MAX_RUN && runAt(end) < 3) end++
    packed[target++] = end - at - 1
    packed.set(row.subarray(at, end), target)
    target += end - at
    at = end
  }
  return packed.subarray(0, target)
}

/**
 * Unpacks PackBits for one row of known length.
 * @returns the number of bytes written; less than the row if the packed data ends early, never more
 */
export function unpackBits(packed: Uint8Array, row: Uint8Array): number {
  let target = 0
  for (let at = 0; at < packed.length && target < row.length; ) {
    const count = packed[at++]!
    // 128 is reserved and ignored (TIFF 6.0, section 9).
    if (count === 128) continue
    if (count < 128) {
      const literal = packed.subarray(at, at + Math.min(count + 1, row.length - target))
      row.set(literal, target)
      at += count + 1
      target += literal.length
    } else if (at < packed.length) {
      const end = Math.min(target + 257 - count, row.length)
      row.fill(packed[at++]!, target, end)
      target = end
    }
  }
  return target
}
