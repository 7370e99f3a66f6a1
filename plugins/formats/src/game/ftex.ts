/** FTEX textures of Independence War 2: BC1 or RGB, the largest mipmap first. */
import { defineFormat, type FormatPicture } from 'mediaproc/tool'
import { damaged, Reader, startsWith, unsupported } from '../reader.ts'
import { blockBytes, unpackBlocks, withoutAlpha } from './blocks.ts'

const HEADER = 32

function headerOf(reader: Reader): { width: number; height: number; kind: number; start: number } {
  reader.need(HEADER)
  if (!startsWith(reader.bytes, 'FTEX')) throw damaged('The file is not an FTEX texture')
  const [width, height, formats, kind, start] = [8, 12, 20, 24, 28].map((at) => reader.u32(at)) as [
    ...[number, number, number, number, number],
  ]
  if (width === 0 || height === 0) throw damaged('The FTEX file has a picture without pixels')
  if (formats !== 1 || kind > 1) throw unsupported('The FTEX file is of a kind that is not supported')
  return { width, height, kind, start }
}

function decode(bytes: Uint8Array): FormatPicture {
  const reader = new Reader(bytes, 'FTEX', 'little')
  const { width, height, kind, start } = headerOf(reader)
  const length = reader.u32(start)
  const needed = kind === 0 ? blockBytes('BC1', width, height) : width * height * 3
  if (length < needed) throw damaged(`The FTEX file has ${length} of ${needed} bytes of pixels`)
  const data = reader.part(start + 4, needed)
  if (kind === 1) return { width, height, channels: 3, bitDepth: 8, pixels: new Uint8Array(data) }
  const pixels = unpackBlocks('BC1', data, width, height)
  const isOpaque = pixels.every((value, index) => index % 4 !== 3 || value === 255)
  return { width, height, channels: isOpaque ? 3 : 4, bitDepth: 8, pixels: isOpaque ? withoutAlpha(pixels) : pixels }
}

export const ftex = defineFormat({
  id: 'ftex',
  extensions: ['ftex', 'ftc', 'ftu'],
  mediaType: 'image/x-ftex',
  detect: (head) => startsWith(head, 'FTEX'),
  size: (bytes) => headerOf(new Reader(bytes, 'FTEX', 'little')),
  decode,
})
