import { expect, test } from 'vitest'
import { summaryLine, totalsLine } from '../../src/cli/output/output-lines.ts'
import { totalsOf } from '../../src/cli/output/run-totals.ts'
import { percentChange } from '../../src/cli/output/text.ts'
import { MediaprocError } from '../../src/errors.ts'
import type { JobOutcome } from '../../src/local/planned-run.ts'
import { readableSize } from '../../src/wording.ts'

const about = { tool: 'image/compress', input: 'a.jpg', warnings: [], ms: 5 }
const done = (inputBytes: number, ...sizes: number[]): JobOutcome => ({
  ...about,
  ok: true,
  inputBytes,
  outputs: sizes.map((bytes, index) => ({ path: `${index}.jpg`, bytes, type: 'image/jpeg' })),
})

const sizes = (...outcomes: JobOutcome[]): string | undefined => totalsLine(totalsOf(outcomes))

test("total size of a batch's inputs and of all their outputs", () => {
  expect(sizes(done(6_000_000, 2_000_000), done(3_300_000, 100_000, 1_000_000), done(3_000_000, 1_000_000))).toBe(
    '3 files, 12.3 MB → 4.1 MB, −67 %',
  )
  expect(sizes(done(100, 150))).toBe('1 file, 100 B → 150 B, +50 %')
})

test('does not count failed and skipped inputs, or inputs with only a report', () => {
  const failed: JobOutcome = { ...about, ok: false, error: new MediaprocError('INVALID_FILE', 'is damaged') }
  const skipped: JobOutcome = { ...about, ok: true, skipped: true, outputs: [{ path: 'a', bytes: 9, type: 'x' }] }
  expect(sizes(done(1000, 500), failed, skipped, done(70))).toBe('1 file, 1.0 kB → 500 B, −50 %')
  expect(sizes(failed, skipped, done(70))).toBeUndefined()
  expect(sizes()).toBeUndefined()
  expect(summaryLine(totalsOf([done(1000, 500), failed, skipped, done(70)]), 6)).toBe(
    '2 done, 1 failed, 1 skipped, 2 not started',
  )
})

test('formats sizes and changes', () => {
  expect([0, 999, 1000, 999_940, 999_950, 12_345_678, 3.2e15].map(readableSize)).toEqual([
    ...['0 B', '999 B', '1.0 kB', '999.9 kB', '1.0 MB', '12.3 MB', '3200.0 TB'],
  ])
  expect([percentChange(1000, 1004), percentChange(1000, 996), percentChange(3, 9)]).toEqual(['±0 %', '±0 %', '+200 %'])
})
