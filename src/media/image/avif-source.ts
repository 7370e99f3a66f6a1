import { open, readFile } from 'node:fs/promises'
import { printableName } from '../file.ts'
import type { Reading } from './source.ts'

/** What is said of a moving AVIF, of which libheif reads the picture that stands for it. */
export const sequenceSentence = (name: string): string =>
  `${printableName(name)} is a moving AVIF; only its first picture is used`

/** Where the major brand of an ISO media file stands (ISO/IEC 14496-12, 4.3). */
const BRAND_AT = 8

/**
 * A moving AVIF (brand `avis`; AV1 Image File Format, 6.3) as a still one: libvips refuses the brand, though the file holds
 * a still picture as well. Undefined for those that are still.
 */
export async function stillOfSequence(path: string): Promise<Reading | undefined> {
  const file = await open(path)
  try {
    const brand = Buffer.alloc(4)
    await file.read(brand, 0, 4, BRAND_AT)
    if (brand.toString('latin1') !== 'avis') return undefined
  } finally {
    await file.close()
  }
  const input = await readFile(path)
  input.write('avif', BRAND_AT, 'latin1')
  return { input, isSequence: true }
}
