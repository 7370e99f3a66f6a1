import type { BarcodeType } from '../../../../src/engines/pictures/bwip.ts'
import { invalidSettings } from '../../../../src/tool/validate.ts'

/** Number of digits including the check digit, for symbologies that have one. */
const LENGTHS: Partial<Record<BarcodeType, number>> = { ean13: 13, upca: 12, itf14: 14 }

/** The GS1 check digit (GS1 General Specifications, 7.9): weights 3 and 1 from the right, to the next multiple of 10. */
export function checkDigit(digits: string): number {
  let sum = 0
  for (let index = 0; index < digits.length; index += 1)
    sum += Number(digits.at(-1 - index)) * (index % 2 === 0 ? 3 : 1)
  return (10 - (sum % 10)) % 10
}

/**
 * A character that Code 128 cannot encode: it supports Latin-1, and readers ignore the markers of other character sets.
 */
const BEYOND_LATIN_1 = /[^\0-\u00ff]/u

/** The text to encode: digits with their check digit if the symbology has one; a wrong one is INVALID_SETTINGS. */
export function barcodeText(type: BarcodeType, text: string): string {
  const length = LENGTHS[type]
  const foreign = type === 'code128' && BEYOND_LATIN_1.exec(text)?.[0]
  if (foreign)
    throw invalidSettings(
      `A code128 code supports only Latin-1 characters, and ${foreign} is not one`,
      'Data Matrix supports any text: --type datamatrix; so does a QR code: mediaproc image qr-generate',
    )
  if (length === undefined) return text
  if (!/^\d+$/.test(text) || (text.length !== length && text.length !== length - 1))
    throw invalidSettings(`Expected ${length - 1} or ${length} digits for text of type ${type}, got ${text}`)
  const body = text.slice(0, length - 1)
  const digit = checkDigit(body)
  if (text.length === length && Number(text.at(-1)) !== digit)
    throw invalidSettings(
      `The check digit of ${text} is wrong: expected ${digit}, got ${text.at(-1)}`,
      `Omit it to have it computed: ${body}`,
    )
  return body + String(digit)
}
