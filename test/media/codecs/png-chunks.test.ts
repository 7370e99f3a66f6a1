import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { pngChunk, pngChunks, pngFileChunks } from '../../../src/media/codecs/png-chunks.ts'
import { temporaryFolder } from '../../helpers/program.ts'

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
// Chunk heads are before, across and after the borders of read blocks; one chunk is larger than a block.
const pixels = [...Array.from({ length: 80 }, () => 8187), 600_000, 262_132, 262_128, 3].map((length) =>
  pngChunk('IDAT', Buffer.alloc(length)),
)
const png = Buffer.concat([
  signature,
  pngChunk('IHDR', Buffer.alloc(13)),
  pngChunk('tEXt', Buffer.from('a')),
  ...pixels,
  pngChunk('eXIf', Buffer.alloc(270_000)),
  pngChunk('IEND', Buffer.alloc(0)),
])

describe('pngFileChunks', () => {
  const { path: folder, remove } = temporaryFolder()
  afterAll(remove)

  it('finds the chunks other than pixels, from a file as from memory', async () => {
    const path = join(folder, 'many.png')
    writeFileSync(path, png)
    const wanted = pngChunks(png)
      .filter(({ type }) => type !== 'IDAT')
      .map((chunk) => ({ ...chunk, isBehindPixels: chunk.type === 'eXIf' || chunk.type === 'IEND' }))
    expect(wanted.map(({ type }) => type)).toEqual(['IHDR', 'tEXt', 'eXIf', 'IEND'])
    expect(await pngFileChunks(path)).toEqual(wanted)
    expect(await pngFileChunks('', png)).toEqual(wanted)
  })

  it('stops at the end of the file, also within the head of a chunk', async () => {
    const end = pngChunks(png).find(({ type }) => type === 'eXIf')!.at
    for (const cut of [end, end + 4, end + 7]) {
      const part = png.subarray(0, cut)
      const path = join(folder, `${cut}.png`)
      writeFileSync(path, part)
      for (const found of [await pngFileChunks(path), await pngFileChunks('', part)])
        expect(found.map(({ type }) => type)).toEqual(['IHDR', 'tEXt'])
    }
  })
})
