import { firstOf } from '../../lists.ts'
import { JsonNumber, type JsonValue } from '../documents/json.ts'

/**
 * A number without leading zeros, a plus sign or an exponent that could be part of a code such as `1e5` or `12e4567`.
 */
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/
const SCIENTIFIC = /^-?(?:0|[1-9]\d*)(?:\.\d+e[-+]?\d+|e[-+]\d+)$/i

/**
 * The text of an element as a value. It becomes a number, true or false only if that preserves it: `007`, `+49 170`,
 * `1e5`, `0x1F` and numbers with more digits than JavaScript supports stay text, and `2.50` keeps its digits.
 */
export function scalarOf(text: string): JsonValue {
  if (text === 'true') return true
  if (text === 'false') return false
  return (NUMBER.test(text) || SCIENTIFIC.test(text)) && !losesDigits(text) ? new JsonNumber(text) : text
}

/** Whether a number has more digits, or is closer to 0, than JavaScript's numbers can represent. */
function losesDigits(text: string): boolean {
  const digits = (number: string): string => number.replace(/^-?0+|[-.]/g, '').replace(/^0+|0+$/g, '')
  const [mantissa = ''] = text.split(/e/i)
  return digits(mantissa) !== digits(firstOf(String(Math.abs(Number(text))).split('e')))
}
