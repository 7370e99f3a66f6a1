import { type Encoded, encodeToBuffer } from '../../../../src/media/image/encode/encode.ts'
import type { ImageFrame, Size } from '../../../../src/media/image/frame.ts'
import { suffixedName } from '../../../../src/media/naming.ts'
import type { Made } from '../../../../src/tool/contract.ts'
import { frameOf, type Placement, photoSize } from './crop.ts'
import type { HeadPoints } from './landmarks.ts'
import { coverageOf, covered, doubts, inPhoto, type Measured, measured, NOT_CHECKED } from './measure.ts'
import { cropped, onColour, printSheet, type SheetId } from './photo.ts'
import type { DocumentRules } from './rules.ts'
import { seenDoubts } from './seen.ts'

const QUALITY = 95
/** For a file with a size limit: 1 kB is 1000 bytes. */
const KILOBYTE = 1000

/** Photo options besides the rules. */
export interface PhotoOptions extends Placement {
  bgColor: string
  printLayout: 'none' | SheetId
  maxFileSizeKb: number
  dpi: number
}

/** A photo and its sheet, not written yet. */
export interface Photo extends Size {
  measured: Measured
  warnings: string[]
  /** Number of copies on the sheet; undefined without one. */
  copies?: number
  /** The photo alone stays open for following steps; with a sheet there are two files. */
  made: Pick<Made, 'name' | 'frame' | 'frames'>
}

/** Uses the best quality that the limit allows; see ImageTarget. */
async function limited(photo: ImageFrame, { maxFileSizeKb, dpi }: PhotoOptions): Promise<ImageFrame> {
  const usual = photo.withTarget({ format: 'jpg', quality: QUALITY, density: dpi, metadata: 'none' })
  const targetBytes = Math.floor(maxFileSizeKb * KILOBYTE)
  const fits = maxFileSizeKb === 0 || (await encodeToBuffer(usual)).length <= targetBytes
  return fits ? usual : usual.withTarget({ targetBytes })
}

/**
 * Crops a photo from a cut-out by the rules of a document, measures it, and places copies on a sheet.
 * @param head in pixels of the cut-out
 * @param name of the portrait
 */
export async function makePhoto(
  cutOut: ImageFrame,
  head: HeadPoints,
  document: DocumentRules,
  options: PhotoOptions,
  name: string,
): Promise<Photo> {
  const { rules } = document
  const { bgColor: colour, printLayout, dpi } = options
  const size = photoSize(rules, dpi)
  const frame = frameOf(head, cutOut, rules, options)
  const clear = await cropped(cutOut, frame, size)
  const person = await coverageOf(cutOut)
  const pixels = await clear.pixels({ alpha: 'add' })
  const found = measured(head, frame, covered(pixels), person, document)
  const warnings = [
    ...doubts(head, frame, person, size, { measured: found, document, colour }),
    ...seenDoubts(inPhoto(head, frame, size), pixels),
  ]
  const photo = await limited(await onColour(clear, colour), options)
  const sheetName = suffixedName({ name }, `passport_print_${printLayout}`, 'jpg')
  const sheet =
    printLayout === 'none'
      ? undefined
      : await printSheet(cutOut, frame, rules, { sheet: printLayout, colour, name: sheetName })
  if (printLayout !== 'none' && !sheet) warnings.push(`No photo fits on ${printLayout}: no sheet is created`)
  const one = { name: suffixedName({ name }, 'passport', 'jpg'), frame: photo }
  async function* both(print: ImageFrame): Required<Made>['frames'] {
    yield one
    yield { name: sheetName, frame: print, field: 'printDownloadUrl' }
  }
  return {
    ...{ ...size, measured: found, warnings },
    ...(sheet && { copies: sheet.copies }),
    made: sheet ? { frames: both(sheet.frame) } : one,
  }
}

/** The result data of a photo. */
export function photoReport(
  { width, height, measured: found, copies }: Photo,
  { rules, country, countryCode, documentType }: DocumentRules,
  { dpi, maxFileSizeKb }: Pick<PhotoOptions, 'dpi' | 'maxFileSizeKb'>,
  warnings: readonly string[],
  { quality, targetMet = true }: Encoded,
): Record<string, unknown> {
  const { widthMm, heightMm, headHeightMmMin, headHeightMmMax, eyeLineFromBottom } = rules
  return {
    dimensions: { widthMm, heightMm, widthPx: width, heightPx: height, dpi },
    spec: {
      country,
      countryCode,
      documentType,
      documentLabel: rules.label,
      ...(rules.source && { source: rules.source }),
    },
    measured: found,
    wanted: { headHeightMmMin, headHeightMmMax, eyeLineFromBottom },
    quality,
    ...(maxFileSizeKb > 0 && { targetMet }),
    ...(copies !== undefined && { copies }),
    notChecked: NOT_CHECKED,
    warnings,
  }
}
