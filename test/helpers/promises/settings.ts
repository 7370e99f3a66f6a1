import { describe, expect, test } from 'vitest'
import type { Setting } from '../../../src/tool/settings.ts'
import { inspectSettings } from '../../../src/tool/validate.ts'
import { expectKnown, type Trial } from './trial.ts'

const valid = (name: string, row: Setting, value: unknown): boolean =>
  inspectSettings({ [name]: row }, { [name]: value }).issues.length === 0

/** The smallest step of a number: any value outside the range must be refused. */
const stepOf = ({ type }: Setting): number => (type === 'integer' ? 1 : 0.001)

/** The ends of a number's range, and the values just outside. */
function boundsOf(row: Setting): { inside: number[]; outside: number[] } {
  const [low, high, step] = [row.exclusiveMin ?? row.min, row.max, stepOf(row)]
  const first = row.exclusiveMin === undefined ? row.min : row.exclusiveMin + step
  const [inside, outside] = [
    [first, high],
    [row.exclusiveMin ?? (low === undefined ? low : low - step), high === undefined ? high : high + step],
  ]
  const given = (values: (number | undefined)[]) => values.filter((value) => value !== undefined)
  return { inside: given(inside), outside: given(outside) }
}

/** Bounds in pixels and similar units give results too large for a test; smaller ranges are tested to their ends. */
const MOST_TO_RUN = 1000

/**
 * What every setting of a tool guarantees: all its words run, a number is accepted at both ends of its range and not beyond.
 * @param input a small input that the tool accepts; undefined for tools without one
 */
export function describeSettings(
  trial: () => Trial,
  table: Record<string, Setting>,
  input: () => Promise<string[]>,
): void {
  const tried = async (own: Record<string, unknown>): Promise<void> => {
    const { names, report } = await trial().run(await input(), own)
    expect(names.length + Object.keys(report).length).toBeGreaterThan(0)
  }
  const rows = Object.entries(table)
  const words = rows.flatMap(([name, row]) => (row.enum ?? []).map((value) => [name, value] as const))
  const switches = rows
    .filter(([, { type }]) => type === 'boolean')
    .flatMap(([name]) => [[name, true] as const, [name, false] as const])
  const numbers = rows.filter(([, row]) => (row.type === 'integer' || row.type === 'number') && !row.enum)
  describe.runIf(words.length + switches.length + numbers.length > 0)('settings', () => {
    if (words.length + switches.length > 0)
      test.each([...words, ...switches])('%s: %s runs', async (name, value) => {
        const code = trial().options.refused?.[`${name}=${value}`]
        if (code === undefined) await tried({ [name]: value })
        else await expect(tried({ [name]: value })).rejects.toMatchObject({ code })
      })
    if (numbers.length === 0) return
    test.each(numbers)('%s accepts the ends of its range, and nothing beyond', (name, row) => {
      const { inside, outside } = boundsOf(row)
      expect(inside.filter((value) => !valid(name, row, value))).toEqual([])
      expect(outside.filter((value) => valid(name, row, value))).toEqual([])
      expect(valid(name, row, Number.NaN)).toBe(false)
      if (row.type === 'integer') expect(valid(name, row, 1.5)).toBe(false)
    })
    const ends = numbers.flatMap(([name, row]) =>
      boundsOf(row)
        .inside.filter((value) => Math.abs(value) <= MOST_TO_RUN)
        .map((value) => [name, value] as const),
    )
    // Values that depend on the input (a crop beyond the picture) may be refused, with a code, and never crash.
    if (ends.length > 0)
      test.each(ends)('%s at %d runs or is refused', async (name, value) => {
        await tried({ [name]: value }).catch(expectKnown)
      })
  })
}
