import type { CodeReader, DrawnCode, Reading, Risk } from '../../_shared/codes/read-back.ts'
import type { QrLook } from './drawing.ts'
import { isInverted, pageOf, QUIET_ZONE, quietZone, risksOf } from './risks.ts'

/** A code as it was drawn, and how to draw it with another look, to find the cause of a failure. */
export interface DrawnQr {
  png: Buffer
  data: string
  /** Modules per side, without the quiet zone. */
  modules: number
  look: QrLook
  hasLogo: boolean
  redraw(look: QrLook, hasLogo: boolean): Promise<Buffer>
}

const isSafe = (reading: Reading): boolean => reading === 'softened' || reading === 'surrounded'

/** Side of a module, px. */
const moduleOf = ({ side, margin }: QrLook, modules: number): number => side / (modules + 2 * margin)

/** A module needs some pixels to survive a slight blur. */
const GOOD_MODULE = 3

/**
 * Reads a drawn code back, as drawn and as a small, slightly blurred picture on a page of the opposite colour.
 * @returns a warning for each risk, which starts with its reason
 */
export async function checkReading(reader: CodeReader, drawn: DrawnQr): Promise<string[]> {
  const { look, data, modules } = drawn
  const readingOf = (png: Buffer, by: QrLook): Promise<Reading> => {
    const page = pageOf(by)
    const inverted = isInverted(by)
    const code: DrawnCode = {
      png,
      expected: [data, Buffer.from(data)],
      module: moduleOf(by, modules),
      kind: 'areas',
      isInverted: inverted,
      page,
      // A transparent code is placed on a page of a suitable colour.
      ...(by.light !== 'transparent' && { surround: inverted ? '#ffffff' : '#000000' }),
    }
    return reader.read(code)
  }
  const risks = risksOf(look)
  const reading = await readingOf(drawn.png, look)
  const isKnown = (risk: Risk): boolean => risks.some(([known]) => known === risk)
  if (reading === 'softened' && look.margin < QUIET_ZONE && !isKnown('quiet-zone'))
    risks.push(['quiet-zone', quietZone(look.margin)])
  if (!isSafe(reading) && risks.length === 0) {
    const cause = await causeOf(drawn, readingOf)
    if (cause) risks.push(cause)
  }
  if (reading === 'none')
    risks.push(['unreadable', 'a reader that searched the finished picture did not find the code'])
  else if (reading === 'as drawn' && risks.length === 0)
    risks.push(['unreadable', 'the code cannot be read when it is small and slightly blurred'])
  return risks.map(([risk, sentence]) => `${risk}: ${sentence}`)
}

/** The part of the look without which the code can be read. */
async function causeOf(
  { look, modules, hasLogo, redraw }: DrawnQr,
  readingOf: (png: Buffer, look: QrLook) => Promise<Reading>,
): Promise<[Risk, string] | undefined> {
  if (hasLogo && isSafe(await readingOf(await redraw(look, false), look)))
    return ['logo', 'the logo covers too much of the code; use a smaller margin, more text or no logo']
  const plain: QrLook = { ...look, dotStyle: 'square', cornerStyle: 'square' }
  if (isSafe(await readingOf(await redraw(plain, hasLogo), plain)))
    return ['style', `${look.dotStyle} dots and ${look.cornerStyle} corners make the code unreadable; use square ones`]
  const module = moduleOf(look, modules)
  if (module >= GOOD_MODULE) return undefined
  const size = Math.ceil(GOOD_MODULE * (modules + 2 * look.margin))
  return ['module-size', `a module of the code has only ${module.toFixed(1)} px; use --size ${size} or a shorter text`]
}
