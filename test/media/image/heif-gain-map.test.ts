import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { hasHeifGainMap } from '../../../src/media/image/metadata/gain-map.ts'
import convert from '../../../tools/image/convert/convert.ts'
import { fromSamples, photo, put } from '../../helpers/picture.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()

const box = (type: string, content: Buffer): Buffer => {
  const head = Buffer.alloc(8)
  head.writeUInt32BE(8 + content.length)
  head.write(type, 4, 'latin1')
  return Buffer.concat([head, content])
}

/** A HEIC with a property of the type of an auxiliary picture at the end of its picture properties. */
function withAuxiliaryType(heic: Buffer, name: string): Buffer {
  const meta = heic.indexOf('meta', 0, 'latin1') - 4
  const end = meta + heic.readUInt32BE(meta)
  const added = box('free', box('auxC', Buffer.from(`\0\0\0\0${name}\0`, 'latin1')))
  const result = Buffer.concat([heic.subarray(0, end), added, heic.subarray(end)])
  result.writeUInt32BE(end - meta + added.length, meta)
  // Offsets of pictures in the file (ISO 14496-12, 8.11.3): version 0 or 1, one extent each, 4 bytes for its offset and length.
  const places = heic.indexOf('iloc', 0, 'latin1')
  const version = heic.readUInt8(places + 4)
  const sizes = heic.readUInt16BE(places + 8)
  expect([version <= 1, sizes & 0xff00]).toEqual([true, 0x4400])
  const baseBytes = (sizes >> 4) & 15
  let at = places + 12
  for (let left = heic.readUInt16BE(places + 10); left > 0; left -= 1) {
    at += 2 + (version === 1 ? 2 : 0) + 2
    const base = baseBytes === 4 ? heic.readUInt32BE(at) : 0
    if (baseBytes === 4 && base > 0) result.writeUInt32BE(base + added.length, at)
    at += baseBytes
    expect(heic.readUInt16BE(at)).toBe(1)
    if (base === 0) result.writeUInt32BE(heic.readUInt32BE(at + 2) + added.length, at + 2)
    at += 2 + 8
  }
  return result
}

test('a HEIC with a gain map loses it with a warning; one without has no warning', async () => {
  const png = await put(folder, 'photo.png', fromSamples(photo(64, 64)).png())
  const { paths } = await run(convert, folder, [png], { format: 'heic' })
  const plain = readFileSync(paths[0]!)
  const path = join(folder, 'gain.heic')
  writeFileSync(path, withAuxiliaryType(plain, 'urn:com:apple:photo:2020:aux:hdrgainmap'))
  const [without, gain] = await Promise.all(
    [paths[0]!, path].map((input) => run(convert, folder, [input], { format: 'jpg' })),
  )
  expect(without!.warnings).toEqual([])
  expect(gain!.warnings).toEqual([expect.stringContaining('gain.heic has a gain map')])
  expect(readFileSync(gain!.paths[0]!).equals(readFileSync(without!.paths[0]!))).toBe(true)
})

test('a tone map of ISO 21496-1 counts, a depth map does not, and truncated boxes are accepted', () => {
  const file = (meta: string) =>
    Buffer.concat([box('ftyp', Buffer.from('heic\0\0\0\0')), box('meta', Buffer.from(meta))])
  expect(hasHeifGainMap(file('\0\0\0\0....infe....tmap'))).toBe(true)
  expect(hasHeifGainMap(file('auxC\0\0\0\0urn:mpeg:hevc:2015:auxid:2'))).toBe(false)
  for (const size of [0, 1, 7, 0xffffffff]) {
    const odd = file('tmap')
    odd.writeUInt32BE(size)
    expect(hasHeifGainMap(odd)).toBe(false)
  }
})
