import { JsonNumber, type JsonValue } from '../documents/json.ts'

/** A number without leading zeros, a sign of its own or an exponent that could be a part of a code such as `1e5` or `12e4567`. */
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/
const SCIENTIFIC = /^-?(?:0|[1-9]\d*)(?:\.\d+e[-+]?\d+|e[-+]\d+)$/i

/**
 * The text of an element as a value. It becomes a number, true or false only where that says the same: `007`, `+49 170`, `1e5`, `0x1F`
 * and numbers of more digits than JavaScript holds stay text, and `2.50` keeps its digits.
 */
export function scalarOf(text: string): JsonValue {
  if (text === 'true') return true
  if (text === 'false') return false
  return (NUMBER.test(text) || SCIENTIFIC.test(text)) && !losesDigits(text) ? new JsonNumber(text) : text
}

/** Whether a number has more digits, or is nearer to 0, than JavaScript's numbers can say. */
function losesDigits(text: string): boolean {
  const digits = (number: string): string => number.replace(/^-?0+|[-.]/g, '').replace(/^0+|0+$/g, '')
  const [mantissa] = text.split(/e/i)
  return digits(mantissa!) !== digits(String(Math.abs(Number(text))).split('e')[0]!)
}
