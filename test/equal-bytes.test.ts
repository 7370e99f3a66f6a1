import { expect, test } from 'vitest'

const bytes = (value: number): Buffer => Buffer.alloc(3, value)

test('buffers and typed arrays are equal by type and content, also inside of other values', () => {
  expect(bytes(1)).toEqual(bytes(1))
  expect({ list: [bytes(1)] }).toStrictEqual({ list: [bytes(1)] })
  expect(bytes(1)).not.toEqual(bytes(2))
  expect(bytes(1)).not.toEqual(Buffer.alloc(4, 1))
  expect({ list: [bytes(1)] }).not.toEqual({ list: [bytes(2)] })
  expect(bytes(1)).not.toEqual(new Uint8Array(bytes(1)))
  expect(Buffer.concat([bytes(0), bytes(1)]).subarray(3)).toEqual(bytes(1))
  expect(Float32Array.of(1, Number.NaN)).toEqual(Float32Array.of(1, Number.NaN))
  expect(Float32Array.of(1)).not.toEqual(Float32Array.of(2))
  expect(Float32Array.of(0)).not.toEqual(Float32Array.of(-0))
  expect({ bytes: bytes(1) }).toMatchObject({ bytes: expect.any(Buffer) })
  expect([bytes(1), bytes(2)]).toContainEqual(bytes(2))
})
