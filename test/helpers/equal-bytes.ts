/**
 * Buffers and typed arrays are compared as bytes first: vitest compares them element by element, which takes more than a second
 * for 230 kB. A module, because a set-up file runs for every test file, and testers are kept per process.
 */
import { expect } from 'vitest'

const bytesOf = ({ buffer, byteOffset, byteLength }: ArrayBufferView) => Buffer.from(buffer, byteOffset, byteLength)

/** Whether both have the same type and bytes; undefined leaves it to vitest: other types, and numbers with several notations such as NaN. */
function haveEqualBytes(one: unknown, other: unknown): boolean | undefined {
  if (!ArrayBuffer.isView(one) || !ArrayBuffer.isView(other) || one.constructor !== other.constructor) return undefined
  return bytesOf(one).equals(bytesOf(other)) || (one instanceof Uint8Array ? false : undefined)
}

expect.addEqualityTesters([haveEqualBytes])
