import { MediaprocError } from '../../errors.ts'
import type { Engine } from '../engine.ts'
import { libraryEngine } from '../library.ts'

export const BARCODE_TYPES = ['code128', 'ean13', 'upca', 'code39', 'itf14', 'datamatrix'] as const

export type BarcodeType = (typeof BARCODE_TYPES)[number]

export interface BarcodeLook {
  type: BarcodeType
  /** Width of the narrowest bar, px. */
  scale: number
  /** Prints the text below; no effect for datamatrix. */
  includeText: boolean
}

/** The least quiet zone of linear codes (ISO/IEC 15417), in widths of the narrowest bar. */
const QUIET = 10
/**
 * Where it differs: 11 to the left of an EAN-13 (ISO/IEC 15420), and 1 module for Data Matrix (ISO/IEC 16022), here 2 to
 * be safe: a module has twice the width.
 */
const OTHER_QUIET: Partial<Record<BarcodeType, number>> = { ean13: 11, datamatrix: 4 }

/**
 * A barcode as PNG bytes on white. INVALID_SETTINGS with the library's reason when the symbology cannot encode the
 * text.
 */
export async function drawBarcode(text: string, { type, scale, includeText }: BarcodeLook): Promise<Buffer> {
  const { default: bwip } = await import('bwip-js/node')
  const matrix = type === 'datamatrix'
  try {
    return await bwip.toBuffer({
      bcid: type,
      text,
      scale,
      includetext: includeText && !matrix,
      backgroundcolor: 'FFFFFF',
      paddingwidth: OTHER_QUIET[type] ?? QUIET,
      paddingheight: matrix ? 4 : 2,
      ...(!matrix && { height: 12 }),
      // Its characters are Latin-1 bytes (ISO/IEC 15417, 4.3.3); the library would write UTF-8.
      ...(type === 'code128' && { binarytext: true }),
      // EAN and UPC place their digits below the corresponding bars.
      ...(type !== 'upca' && type !== 'ean13' && { textxalign: 'center' as const }),
    })
  } catch (error) {
    const reason = String((error as Error).message ?? error).replace(/^bwip[-.\w]*\.?[\w#]*:\s*/i, '')
    throw new MediaprocError('INVALID_SETTINGS', `A ${type} code cannot encode this text: ${reason}`, { cause: error })
  }
}

export const bwip: Engine = libraryEngine({
  id: 'bwip-js',
  purpose: 'barcodes',
  licence: 'MIT',
  package: 'bwip-js',
  entry: 'bwip-js/node',
})
