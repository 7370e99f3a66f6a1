import { type FoundCode, openBarcodeReader } from '../../../src/engines/pictures/zxing.ts'
import { openSharp } from '../../../src/engines/sharp.ts'
import { printableName, stemOf } from '../../../src/media/file.ts'
import { ImageFrame } from '../../../src/media/image/frame.ts'
import { outputName } from '../../../src/media/naming.ts'
import { imageTool } from '../../../src/tool/image-tool.ts'
import { boolean, number } from '../../../src/tool/settings.ts'
import { findCodes } from './barcode-read/find-codes.ts'

/** Default and maximum time of the search, seconds. */
const [BUDGET_S, MOST_BUDGET_S] = [90, 600]

/** Share of the job's remaining time that a search can take: the rest is for drawing the outlines. */
const USABLE = 0.75

/** Outline colours, in turn (catalogue: six colours). */
const COLOURS = ['#e6194b', '#3cb44b', '#4363d8', '#f58231', '#911eb4', '#008080']

/** The contract's names where they differ from the reader's. */
const NAMES: Readonly<Record<string, string>> = {
  EAN8: 'EAN-8',
  EAN13: 'EAN-13',
  UPCA: 'UPC-A',
  UPCE: 'UPC-E',
}

interface Barcode {
  type: string
  /** As printed next to the code, such as `(01)09501101530003`. */
  text: string
  /** As stored, for programs. */
  rawText: string
  /** Base64: the raw bytes, independent of the character set. */
  bytes: string
  position: Record<'topLeft' | 'topRight' | 'bottomRight' | 'bottomLeft', { x: number; y: number }>
}

function described({ format, text, rawText, bytes: data, corners }: FoundCode): Barcode {
  const [topLeft, topRight, bottomRight, bottomLeft] = corners
  const bytes = Buffer.from(data).toString('base64')
  const position = { topLeft, topRight, bottomRight, bottomLeft }
  // An EAN-13 that starts with 0 is a UPC-A of twelve digits: the same bars.
  if (format === 'EAN13' && text.startsWith('0'))
    return { type: 'UPC-A', text: text.slice(1), rawText, bytes, position }
  return { type: NAMES[format] ?? format, text, rawText, bytes, position }
}

/** A numbered outline for every code, as a drawing of the image's size. */
function outlines({ width, height }: ImageFrame, barcodes: readonly Barcode[]): Buffer {
  const stroke = Math.max(2, Math.round(Math.max(width, height) / 300))
  const size = Math.max(14, stroke * 7)
  const shapes = barcodes.map(({ position: { topLeft, topRight, bottomRight, bottomLeft } }, index) => {
    const colour = COLOURS[index % COLOURS.length]!
    const corners = [topLeft, topRight, bottomRight, bottomLeft]
    const points = corners.map(({ x, y }) => `${x},${y}`).join(' ')
    const [x, y] = [Math.min(...corners.map((corner) => corner.x)), Math.min(...corners.map((corner) => corner.y))]
    const left = Math.min(Math.max(0, x), width - size)
    const top = Math.min(Math.max(0, y - size), height - size)
    return (
      `<polygon points="${points}" fill="none" stroke="${colour}" stroke-width="${stroke}" stroke-linejoin="round"/>` +
      `<rect x="${left}" y="${top}" width="${size}" height="${size}" rx="${size / 5}" fill="${colour}"/>` +
      `<text x="${left + size / 2}" y="${top + size * 0.74}" font-family="Noto Sans" font-weight="bold" ` +
      `font-size="${size * 0.7}" fill="#ffffff" text-anchor="middle">${index + 1}</text>`
    )
  })
  return Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">${shapes.join('')}</svg>`,
  )
}

export default imageTool({
  id: 'barcode-read',
  summary: 'Find and read barcodes and QR codes',
  settings: {
    tryHarder: boolean('if nothing is found, search again rotated, enlarged and with more contrast', { default: true }),
    timeBudget: number('time of the search; the codes that were found by then are the result, with a warning', {
      ...{ default: BUDGET_S, min: 0.1, max: MOST_BUDGET_S, unit: 's' },
    }),
  },
  output: { kind: 'file+report', type: { is: 'png' } },
  engines: ['sharp', 'zxing'],
  batch: false,
  examples: [
    { title: 'content of the code', inputs: ['parcel.jpg'] },
    { title: 'at most twenty seconds for a picture', inputs: ['parcel.jpg'], settings: { timeBudget: 20 } },
  ],
  decode: () => ({ firstPage: true }),
  async produce([picture], { tryHarder, timeBudget }, { signal, progress, warn, timeLeftS }) {
    const budgetS = Math.min(timeBudget, (timeLeftS?.() ?? Number.POSITIVE_INFINITY) * USABLE)
    const reader = openBarcodeReader(signal)
    try {
      const frame = await (await picture.open()).toSrgb()
      const { found, isWhole } = await findCodes(frame, reader, {
        tryHarder,
        budgetMs: budgetS * 1000,
        onProgress: (part) => progress(0.1 + 0.8 * part, 'looking'),
      })
      if (!isWhole)
        warn(
          `The search in ${printableName(picture.name)} was stopped after ${Number(budgetS.toFixed(1))} s: there may be more codes than the ${found.length} found`,
        )
      const barcodes = found.map(described)
      const report = { filename: picture.name, barcodes, annotatedUrl: null, previewUrl: null }
      if (barcodes.length === 0) return { report }
      const { data, width, height, channels } = await (await frame.settled()).pixels({ alpha: 'add' })
      const image = await openSharp(data, { raw: { width, height, channels } })
      const drawn = await image
        .composite([{ input: outlines(frame, barcodes) }])
        .png()
        .toBuffer()
      const name = outputName(`annotated-${stemOf(picture.name)}`, '', 'png')
      return { name, field: ['annotatedUrl', 'previewUrl'], frame: await ImageFrame.fromPng(drawn, name), report }
    } finally {
      await reader.close()
    }
  },
})
