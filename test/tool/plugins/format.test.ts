/** The contract of picture formats: what is refused, and what the tests for authors find. */
import { expect, test } from 'vitest'
import { formatTests } from '../../../src/library/format-tests.ts'
import { checkedPicture, checkedSize } from '../../../src/tool/plugins/check-picture.ts'
import { defineFormat, formatFault, type PictureFormat } from '../../../src/tool/plugins/format.ts'

/** `S`, width, height, and a byte for each pixel. */
const small = defineFormat({
  id: 'small',
  extensions: ['small'],
  mediaType: 'image/x-small',
  detect: (head) => head[0] === 83,
  size: (bytes) => ({ width: (bytes[1] ?? 0) || 1, height: (bytes[2] ?? 0) || 1 }),
  decode(bytes) {
    const { width, height } = small.size(bytes)
    const pixels = new Uint8Array(width * height)
    pixels.set(bytes.subarray(3, 3 + pixels.length))
    return { width, height, channels: 1, bitDepth: 8, pixels }
  },
  encode: ({ width, height, pixels }) => Buffer.concat([Buffer.of(83, width, height), pixels as Uint8Array]),
})
const FILE = Buffer.from([83, 2, 2, 1, 2, 3, 4])

test('a complete declaration has no fault', () => {
  expect(formatFault(small)).toBeUndefined()
})

test.each<[Partial<Record<keyof PictureFormat, unknown>>, RegExp]>([
  [{ id: 'Small' }, /not an extension in lower case/],
  [{ id: 7 }, /id 7/],
  [{ extensions: 'small' }, /extensions are not a list/],
  [{ mediaType: 'text/plain' }, /mediaType is not such as image\/x-small/],
  [{ size: undefined }, /without the function size/],
  [{ encode: true }, /encode is not a function/],
  [{ holds: { bitDepth: 12 } }, /holds.bitDepth is not 8 or 16/],
  [{ holds: { maxSide: 0.5 } }, /holds.maxSide is not a size/],
])('a declaration with %j', (members, message) => {
  expect(formatFault({ ...small, ...members } as PictureFormat)).toMatch(message)
})

test('sizes are whole numbers above zero', () => {
  expect(checkedSize({ width: 3, height: 2 }, 'x')).toEqual({ width: 3, height: 2, frames: 1 })
  for (const size of [undefined, {}, { width: 0, height: 2 }, { width: 1.5, height: 2 }, { width: '3', height: 2 }])
    expect(() => checkedSize(size, 'The format x')).toThrow(/^The format x declares a picture/)
})

test('pixels have the declared size, type and frames', () => {
  const size = { width: 2, height: 1, frames: 1 }
  const right = { width: 2, height: 1, channels: 3, bitDepth: 8, pixels: new Uint8Array(6) }
  expect(checkedPicture(right, size, 'x')).toBe(right)
  const faults: [object | null, RegExp, number?][] = [
    [null, /undefined × undefined/],
    [{ ...right, channels: 5 }, /5 channels/],
    [{ ...right, bitDepth: 32 }, /bitDepth of 32/],
    [{ ...right, bitDepth: 16 }, /Uint8Array of 6 instead of a Uint16Array of 6/],
    [{ ...right, pixels: [1, 2, 3, 4, 5, 6] }, /a object instead/],
    [{ ...right, pixels: new DataView(new ArrayBuffer(6)) }, /instead/],
    [{ ...right, iccProfile: 'sRGB' }, /iccProfile/],
    [right, /1 frames instead of 2/, 2],
    [{ ...right, frames: [{ pixels: new Uint8Array(5) }] }, /as a frame/, 2],
  ]
  for (const [picture, message, frames = 1] of faults)
    expect(() => checkedPicture(picture, { ...size, frames }, 'x')).toThrow(message)
})

test.each<[string, Partial<PictureFormat>, RegExp]>([
  ['is right', {}, /^$/],
  ['recognises everything', { detect: () => true }, /recognised/],
  ['throws other errors', { size: (bytes) => new Uint16Array(bytes.buffer, 1, 1) as never }, /size.*cut.*damaged/],
  ['changes its input', { decode: (bytes) => small.decode(bytes.fill(0, 3), { limits: {} as never }) }, /size/],
  ['loses pixels', { encode: (picture) => Buffer.from([83, picture.width, picture.height]) }, /decoded again/],
])('tests for authors find a format that %s', async (_what, members, failing) => {
  const tests = formatTests({ ...small, ...members }, { files: [FILE], mutations: 50 })
  const results = await Promise.allSettled(tests.map(({ run }) => run()))
  const failed = tests.filter((_, index) => results[index]?.status === 'rejected').map(({ name }) => name)
  expect(failed.join(' ')).toMatch(failing)
})
