/** The thread that reads barcodes: WebAssembly that can take seconds. Called once for every pass over an image. */
import { readFile } from 'node:fs/promises'
import { builtFile } from '../../root.ts'
import { answerRequests } from './worker-answers.ts'

export interface Point {
  x: number
  y: number
}

/** A decoded barcode. */
export interface FoundCode {
  /** The library's name, such as `QRCode` or `EAN13`. */
  format: string
  text: string
  /** The text without formatting: no brackets around GS1 identifiers, control characters unchanged. */
  rawText: string
  /** The raw bytes of the code before text decoding. */
  bytes: Uint8Array
  /** Top left, top right, bottom right and bottom left of the code in reading orientation, px. */
  corners: [Point, Point, Point, Point]
}

interface Reading {
  isValid: boolean
  format: string
  text: string
  bytes: Uint8Array
  contentType: string
  error: string
  position: Record<'topLeft' | 'topRight' | 'bottomLeft' | 'bottomRight', Point>
}

interface Library {
  prepareZXingModule(options: { overrides: { wasmBinary: Uint8Array } }): void
  readBarcodes(imageFile: Uint8Array, options: ReaderOptions): Promise<Reading[]>
}

interface ReaderOptions {
  formats: readonly string[]
  tryHarder: boolean
  maxNumberOfSymbols: number
  tryInvert?: boolean
  tryRotate?: boolean
  tryDownscale?: boolean
  minLineCount?: number
  textMode?: 'HRI' | 'Plain'
}

/**
 * The code types to search for. `bars` excludes matrix codes, which are found at any angle and take most of the time.
 * `rows of bars` are images in which each row is the mean of several, so they can only contain upright codes with one
 * row of bars. `lines` is one row of bars, upright or horizontal. `areas` are codes of several rows and matrix codes in
 * their usual form: dark on light and upright, or with finder patterns that are visible at any angle. The last two take
 * a third of the time of `all`.
 */
export type SoughtCodes = 'all' | 'bars' | 'rows of bars' | 'lines' | 'areas'

export interface ZxingRequest {
  /** Grey samples. */
  data: Uint8Array
  width: number
  height: number
  sought: SoughtCodes
  /** Number of scan lines that must agree on bars. */
  lines: number
}

/** One row of bars. */
const LINEAR = [
  ...['EANUPC', 'Code128', 'Code39', 'Code93', 'ITF', 'Codabar', 'DataBar', 'DataBarLtd', 'DataBarExp', 'Telepen'],
]
/** Several rows of bars. */
const STACKED = ['PDF417', 'MicroPDF417']
/** Found only if their bars are nearly upright. */
const BARS = [...LINEAR, ...STACKED]
const MATRIX = ['QRCode', 'MicroQRCode', 'RMQRCode', 'DataMatrix', 'Aztec', 'MaxiCode']
/** All except the edge of photographic film, which the reader detects in every fine pattern. */
const ALL = [...BARS, ...MATRIX]

const UPRIGHT = { tryRotate: false, tryDownscale: false, tryInvert: false }
const SEARCHES: Record<SoughtCodes, Partial<ReaderOptions> & Pick<ReaderOptions, 'formats'>> = {
  all: { formats: ALL, tryInvert: true },
  bars: { formats: BARS, tryInvert: false, tryDownscale: false },
  'rows of bars': { formats: LINEAR, ...UPRIGHT },
  lines: { formats: LINEAR, ...UPRIGHT, tryRotate: true },
  areas: { formats: [...STACKED, ...MATRIX], ...UPRIGHT },
}

/** Maximum number of codes that the library returns. */
const MAX_CODES = 255

const wasmBinary = await readFile(builtFile('wasm/zxing_reader.wasm'))
// Its own types have other names for what is used here.
const { prepareZXingModule, readBarcodes } = (await import('zxing-wasm/reader' as string)) as Library
// Without the bytes it would fetch them from the network.
prepareZXingModule({ overrides: { wasmBinary } })

/** Text types in which the library spells out control characters, such as `<GS>`. */
const SPELT = new Set(['Binary', 'Mixed'])

/** Text types that the library displays differently from the stored form: those, and GS1 identifiers in brackets. */
const SHOWN = new Set([...SPELT, 'GS1', 'ISO15434'])

/** The printed UPC-E form of an equivalent EAN-13 (GS1 General Specifications, 5.2.2.4.2). */
function printedUpcE(ean: string): string {
  const [, system, maker, product, check] = /^0(\d)(\d{5})(\d{5})(\d)$/.exec(ean) ?? []
  if (!maker || !product) return ean
  const last = product[4]!
  if (/[012]00$/.test(maker) && product.startsWith('00'))
    return `${system}${maker.slice(0, 2)}${product.slice(2)}${maker[2]}${check}`
  if (maker.endsWith('00') && product.startsWith('000'))
    return `${system}${maker.slice(0, 3)}${product.slice(3)}3${check}`
  if (maker.endsWith('0') && product.startsWith('0000')) return `${system}${maker.slice(0, 4)}${last}4${check}`
  return `${system}${maker}${last}${check}`
}

/** A PGM file: the only format in which the library accepts grey samples. RGBA would be four times as much data. */
const asPgm = ({ data, width, height }: ZxingRequest): Uint8Array =>
  Buffer.concat([Buffer.from(`P5 ${width} ${height} 255\n`), data])

answerRequests<ZxingRequest, FoundCode[]>(async (request) => {
  const { data, width, height, sought, lines } = request
  // It would read beyond the end.
  if (data.length !== width * height) throw new RangeError('the reader takes grey samples')
  const image = asPgm(request)
  const options = { ...SEARCHES[sought], tryHarder: true, minLineCount: lines, maxNumberOfSymbols: MAX_CODES }
  const read = await readBarcodes(image, options)
  // It returns one result without a format if it cannot read the image, for example when out of memory.
  const refusal = read.find(({ isValid, format }) => !isValid && format === '')
  if (refusal) throw new Error(refusal.error)
  const found = read.filter(({ isValid }) => isValid)
  const plain = found.some(({ contentType }) => SHOWN.has(contentType))
    ? await readBarcodes(image, { ...options, textMode: 'Plain' })
    : []
  const rawOf = ({ text, bytes, contentType }: Reading): string =>
    plain.find((one) => SHOWN.has(contentType) && Buffer.compare(one.bytes, bytes) === 0)?.text ?? text
  const textOf = (one: Reading): string => {
    if (one.format === 'UPCE') return printedUpcE(one.text)
    return SPELT.has(one.contentType) ? rawOf(one) : one.text
  }
  const answer = found.map((one): FoundCode => {
    const { topLeft, topRight, bottomRight, bottomLeft } = one.position
    const corners: FoundCode['corners'] = [topLeft, topRight, bottomRight, bottomLeft]
    return { format: one.format, text: textOf(one), rawText: rawOf(one), bytes: one.bytes, corners }
  })
  return { answer }
})
