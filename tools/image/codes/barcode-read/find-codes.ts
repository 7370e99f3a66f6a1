import type { BarcodeReader, FoundCode } from '../../../../src/engines/pictures/zxing.ts'
import type { ImageFrame } from '../../../../src/media/image/frame.ts'
import { greyOf, type Look, lookOnce, Prepared, type Rows, reducedScale, scaleTo } from './candidates.ts'
import { type Part, type PlacesOfBars, placesOfBars } from './regions.ts'
import type { Grey } from './rows.ts'
import { addCode } from './same-code.ts'

/** Longer sides are looked at in this size, when the picture is turned; px. */
const TURNED_SIDE = 1600
/** Pictures in which matrices are looked for once more, with steeper edges or more contrast: px. */
const MATRIX_SIDE = 1200
/** Smaller pictures are enlarged, twice at most: modules of one pixel are hard to read. */
const ENLARGED_SIDE = 1600
/** Rows are made so wide, twice at most, or as wide as the picture: px. */
const ROWS_WIDTH = 2000
/** Bars are found within some 15 degrees of upright; quarter turns are the reader's own. */
const ANGLES = [18, 36, 54, 72]
/** The same where a look is for one direction only, and there are twice as many: in this size, px. */
const OBLIQUE_SIDE = 1000
const OBLIQUE = [18, 36, 54, 72, 108, 126, 144, 162]

/** Disturbances of bars, and how rows are cleared of them. Lengths in pixels, for modules of two to four. */
const CLEAR: Omit<Rows, 'across'> = { down: 5, window: 30 }
const UNFOCUSED: Omit<Rows, 'across'> = { down: 10, window: 60, blur: 2.2 }
const STUBBORN: Omit<Rows, 'across'>[] = [
  { down: 10, window: 30, blur: 1.4, noise: 0.02 },
  { down: 10, window: 30, blur: 2.2, noise: 0.002 },
]

/** A look at rows; of a large picture fewer, so that all are as much work as those of a smaller one. */
function rowsLook(whole: Grey, angle: number, rows: Omit<Rows, 'across'>, side = Number.POSITIVE_INFINITY): Look {
  const scale = Math.min(1, side / Math.max(whole.width, whole.height))
  const width = scale * (angle === 90 ? whole.height : whole.width)
  const height = scale * (angle === 90 ? whole.width : whole.height)
  const down = rows.down * Math.max(1, height / ROWS_WIDTH)
  return { scale, angle, rows: { ...rows, down, across: Math.max(1, Math.min(2, ROWS_WIDTH / width)) } }
}

/**
 * The passes that always run. In a large picture everything is searched at a reduced size. Only fine codes need the full
 * size, and only those that take little time.
 */
function firstLooks(whole: Grey): Look[] {
  const scale = reducedScale(whole)
  if (scale === 1) return [{ scale, angle: 0 }]
  return [
    { scale, angle: 0 },
    { scale: 1, angle: 0, sought: 'lines' },
    { scale: 1, angle: 0, sought: 'areas' },
  ]
}

/** Places of more pixels are looked at in a smaller picture. */
const MOST_PIXELS = 2e6

/** A look at clear bars in a place: there they may be as fine as the picture is, unless that is too much work. */
function clearLook(whole: Grey, angle: number, within: Part): Look {
  const pixels = (within.right - within.left) * whole.width * (within.bottom - within.top) * whole.height
  return { ...rowsLook(whole, angle, CLEAR, pixels > MOST_PIXELS ? ROWS_WIDTH : undefined), within }
}

/** Passes for bars, limited to regions that may contain them. In a rotated picture the reader finds horizontal bars, too. */
const atBars = (looks: Look[], places: PlacesOfBars): Look[] =>
  looks.flatMap((look) => places(look.angle, look.rows ? 180 : 90).map((within) => ({ ...look, within })))

/** Passes that also run when something was found: a picture may contain several codes of different quality. */
function furtherLooks(whole: Grey, places: PlacesOfBars): Look[] {
  const longer = Math.max(whole.width, whole.height)
  const scale = Math.min(1, TURNED_SIDE / longer)
  const bars: Look[] = [
    ...[0, 90].map((angle) => rowsLook(whole, angle, UNFOCUSED, ROWS_WIDTH)),
    ...ANGLES.map((angle) => ({ scale, angle, sought: 'bars' }) as const),
  ]
  return [
    ...(longer <= ENLARGED_SIDE / 2 ? [{ scale: 2, angle: 0, sharpened: 4 }] : []),
    ...[0, 90].flatMap((angle) => places(angle, 180).map((within) => clearLook(whole, angle, within))),
    ...atBars(bars, places),
  ]
}

/** Scan lines that must agree on bars. Two neighbours see nearly the same, and too often agree in what is wrong. */
const LINES = 3
/** The same where edges were made steeper: those of noise and of neighbouring bars were, too. */
const SHARPENED_LINES = 5

/** Beside codes that were found, lines of an enlarged picture, which are made of fewer, must be surer. */
function linesFor({ scale, rows, sharpened }: Look, isFirstFind: boolean): number {
  if (!isFirstFind && !rows && scale > 1) return Math.ceil(LINES * scale)
  return sharpened && scale <= 1 ? SHARPENED_LINES : LINES
}

/** In the order in which they are tried when nothing was found so far; the first that finds something ends the search. */
function harderLooks(whole: Grey, places: PlacesOfBars): Look[] {
  const longer = Math.max(whole.width, whole.height)
  const scale = Math.min(1, MATRIX_SIDE / longer)
  const stubborn = STUBBORN.flatMap((rows) => [0, 90].map((angle) => rowsLook(whole, angle, rows, ROWS_WIDTH)))
  const oblique = OBLIQUE.flatMap((angle) =>
    [CLEAR, UNFOCUSED].map((rows) => rowsLook(whole, angle, rows, OBLIQUE_SIDE)),
  )
  return [
    ...atBars(stubborn, places),
    { scale, angle: 0, sharpened: 2 },
    { scale, angle: 0, sought: 'all', rows: { across: 1, down: 1, window: 60 } },
    { scale: longer < ENLARGED_SIDE ? Math.min(2, ENLARGED_SIDE / longer) : 0.5 * scale, angle: 0 },
    ...atBars(oblique, places),
  ]
}

interface FindOptions {
  tryHarder: boolean
  /** Milliseconds after which the search ends with what it has; none when absent. */
  budgetMs?: number
  onProgress: (part: number) => void
}

/** The result of some work, or undefined when it takes longer than this, milliseconds. */
async function within<T>(work: Promise<T>, limitMs: number): Promise<T | undefined> {
  if (limitMs === Number.POSITIVE_INFINITY) return work
  // Ignored once the time is over: closing the reader ends it with an error.
  work.catch(() => {})
  let timer: NodeJS.Timeout | undefined
  const over = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), Math.max(0, limitMs))
  })
  try {
    return await Promise.race([work, over])
  } finally {
    clearTimeout(timer)
  }
}

/**
 * Finds all codes in a picture, upright ones first. With `tryHarder` also at other angles and, if nothing was found,
 * larger, with more contrast, and in rows with noise and blur removed.
 * @param frame of one page, in sRGB
 * @returns the codes, and whether the search was completed within the budget
 */
export async function findCodes(
  frame: ImageFrame,
  reader: BarcodeReader,
  { tryHarder, budgetMs = Number.POSITIVE_INFINITY, onProgress }: FindOptions,
): Promise<{ found: FoundCode[]; isWhole: boolean }> {
  const end = performance.now() + budgetMs
  const found: FoundCode[] = []
  /** False when the time is over; the reader may still be at work, and is of no further use. */
  const look = async (prepared: Prepared, one: Look, lines: number): Promise<boolean> => {
    const leftMs = end - performance.now()
    if (leftMs <= 0) return false
    const codes = await within(lookOnce(prepared, reader, one, lines), leftMs)
    for (const code of codes ?? []) addCode(found, code)
    return codes !== undefined
  }
  const whole = await greyOf((await (await frame.settled()).pipeline()).flatten({ background: '#ffffff' }))
  const prepared = new Prepared(whole)
  for (const one of firstLooks(whole)) if (!(await look(prepared, one, LINES))) return { found, isWhole: false }
  if (!tryHarder) return { found, isWhole: true }
  const places = placesOfBars(await prepared.scaled(scaleTo(TURNED_SIDE, whole)))
  const [further, harder] = [furtherLooks(whole, places), harderLooks(whole, places)]
  const count = further.length + harder.length + 1
  for (const [index, one] of [...further, ...harder].entries()) {
    if (index >= further.length && found.length > 0) break
    onProgress((index + 1) / count)
    if (!(await look(prepared, one, linesFor(one, found.length === 0)))) return { found, isWhole: false }
  }
  return { found, isWhole: true }
}
