import { randomInt } from 'node:crypto'
import { onTestFailed } from 'vitest'

export interface SeededRandom {
  /** At least 0 and below 1. */
  next(): number
  /** A whole number, both bounds included. */
  between(least: number, most: number): number
}

/** mulberry32: small, and the same on every machine. */
export function randomFrom(seed: number): SeededRandom {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  return { next, between: (least, most) => least + Math.floor(next() * (most - least + 1)) }
}

/**
 * Reproducible randomness: the seed is printed, and again if the test fails; MEDIAPROC_TEST_SEED sets it.
 * Called inside a test.
 */
export function seededRandom(): SeededRandom {
  const given = process.env.MEDIAPROC_TEST_SEED
  const seed = given === undefined ? randomInt(2 ** 32) : Number(given)
  if (!Number.isSafeInteger(seed)) throw new Error(`MEDIAPROC_TEST_SEED is no whole number: ${given}`)
  const line = `random seed ${seed}: repeat with MEDIAPROC_TEST_SEED=${seed}`
  console.log(line)
  onTestFailed(() => console.error(line))
  return randomFrom(seed)
}
