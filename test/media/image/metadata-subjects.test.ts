/** Untrusted metadata: its subjects are found in linear time, and it cannot cause an internal error. */
import { expect, test } from 'vitest'
import { iptcOf } from '../../../src/media/image/metadata/iptc.ts'
import { lostSubjects } from '../../../src/media/image/metadata/subjects.ts'

const ASCII = 2
const LONG = 4

/** A little-endian TIFF block with these entries in its first directory. */
function tiffBlock(entries: readonly (readonly [tag: number, type: number, count: number, value: number])[]): Buffer {
  const block = Buffer.alloc(10 + entries.length * 12 + 4)
  block.write('II*\0', 0, 'latin1')
  block.writeUInt32LE(8, 4)
  block.writeUInt16LE(entries.length, 8)
  for (const [index, [tag, type, count, value]] of entries.entries()) {
    const at = 10 + index * 12
    block.writeUInt16LE(tag, at)
    block.writeUInt16LE(type, at + 2)
    block.writeUInt32LE(count, at + 4)
    block.writeUInt32LE(value, at + 8)
  }
  return block
}

const subjectsOf = (exif: Buffer) => lostSubjects({ exif }, new Set(['exif'])).subjects

test('does not follow a pointer out of the EXIF block', () => {
  expect(subjectsOf(tiffBlock([[0x8769, LONG, 9, 0xffff_fff0]]))).toEqual([])
  expect(subjectsOf(tiffBlock([[0x8825, LONG, 1, 0xffff_fff0]]))).toEqual([])
  expect(subjectsOf(tiffBlock([[271, ASCII, 40, 0xffff_fff0]]))).toEqual(['camera'])
})

test('follows thousands of pointers to their own directory once', () => {
  const entries = Array.from({ length: 65_000 }, () => [0x8769, LONG, 1, 8] as const)
  expect(subjectsOf(tiffBlock([...entries, [271, ASCII, 2, 0]]))).toEqual(['camera'])
})

test('reads a raw profile by line, with any number of spaces', () => {
  const records = '1c02780003466f6f'
  const text = (body: string) => `\niptc\n       8\n${body}\n`
  const read = (body: string) => iptcOf({ comments: [{ keyword: 'Raw profile type iptc', text: text(body) }] })
  expect(read(records)?.toString('hex')).toBe(records)
  expect(read(`${' '.repeat(3_000_000)}z`)).toBeUndefined()
})

test.each([
  ['a time that XMP has behind its date', '06:46:14+00:00', '2016-07-08T06:46:14.000Z', []],
  ['a time that XMP lacks', '06:46:14+00:00', '2016-07-08', ['date']],
])('%s', (_, time, created, expected) => {
  const value = time.replaceAll(':', '')
  const iptc = Buffer.concat([Buffer.from([0x1c, 2, 60, 0, value.length]), Buffer.from(value)])
  const xmp = Buffer.from(`<x photoshop:DateCreated="${created}"/>`)
  expect(lostSubjects({ iptc, xmp }, new Set(['iptc'])).subjects).toEqual(expected)
})
