import { MediaprocError } from '../../errors.ts'
import type { Engine } from '../engine.ts'
import { libraryEngine } from '../library.ts'

/** The modules of a QR code, row by row; true is dark. */
export interface QrMatrix {
  /** Modules per side: 21 to 177. */
  side: number
  dark(row: number, column: number): boolean
}

/** The matrix for a text at an error correction level. PROCESSING_FAILED if the text does not fit into one code. */
export async function qrMatrix(text: string, level: 'L' | 'M' | 'Q' | 'H'): Promise<QrMatrix> {
  const { default: qrcode } = await import('qrcode')
  try {
    const { modules } = qrcode.create(text, { errorCorrectionLevel: level })
    return { side: modules.size, dark: (row, column) => modules.get(row, column) === 1 }
  } catch (error) {
    throw new MediaprocError(
      'PROCESSING_FAILED',
      `The text of ${Buffer.byteLength(text)} bytes does not fit into a QR code at level ${level}`,
      {
        hint: 'Shorten the text, or choose a lower error correction level.',
        cause: error,
      },
    )
  }
}

export const qrcodeEngine: Engine = libraryEngine({
  id: 'qrcode',
  purpose: 'QR codes',
  licence: 'MIT',
  package: 'qrcode',
})
