import { shortNumber } from './svg.ts'

/** Round steps of a scale that includes 0 and both values: 1, 2 or 5 times a power of ten. */
export function ticksFor(largest: number, smallest = 0): number[] {
  const most = Math.max(largest, 0)
  const least = Math.min(smallest, 0)
  const span = most - least || 1
  const rough = span / 5
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = ([1, 2, 5, 10].find((factor) => factor * power >= rough * 0.999) ?? 10) * power
  const steps = (value: number): number => Math.ceil((value / step) * 0.999999)
  const from = -steps(-least)
  const to = Math.max(steps(most), most === 0 && least === 0 ? Math.round(1 / step) : 0)
  return Array.from({ length: to - from + 1 }, (_, index) => Number(((from + index) * step).toPrecision(12)))
}

/** A number of the scale with its unit: `$5`, `5 €`, `5%`. */
export function tickText(value: number, unit: { text: string; isLeading: boolean } | undefined): string {
  const number = shortNumber(Math.abs(value))
  const sign = value < 0 ? '−' : ''
  if (!unit) return sign + number
  const { text, isLeading } = unit
  if (isLeading) return `${sign}${text}${/^[A-Z]{3}$/.test(text) ? ' ' : ''}${number}`
  return `${sign}${number}${text === '%' ? '' : ' '}${text}`
}
