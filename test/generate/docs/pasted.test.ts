import { cpSync, readFileSync } from 'node:fs'
import { beforeAll, expect, test } from 'vitest'
import { splitNames } from '../../../src/cli/picker.ts'
import type { ExampleResult, ExampleResults } from '../../../src/generate/docs/example-results.ts'
import { pastedLines } from '../../../src/generate/docs/tool-page.ts'
import { buildProgram, useScene } from '../../helpers/program.ts'
import { documentationSamples } from '../../helpers/shared-samples.ts'

const RESULTS = new URL('../../../docs/tools/examples.json', import.meta.url)
const results = JSON.parse(readFileSync(RESULTS, 'utf8')) as ExampleResults
const here = useScene()

beforeAll(buildProgram, 180_000)

const result = (line: string, files: string[], set?: string): ExampleResult => ({
  ...{ line, files, before: [], after: [], warnings: [] },
  ...(set !== undefined && { set }),
})

test('what would meet the output of an earlier line goes into a folder of its own', () => {
  expect(
    pastedLines([
      result('one', ['a.jpg']),
      result('two', ['a.jpg']),
      result('three', ['b.jpg']),
      result('four', ['1.png', '2.png'], 'a_split'),
      result('five', ['1.png'], 'a_split'),
      result('six', []),
    ]),
  ).toEqual(['one', 'two -d example-2', 'three', 'four', 'five -d example-5', 'six'])
})

/** Pages of each kind: one file, a set, inputs by a second name, a report; all examples run by themselves in tools/examples. */
test.each(['image/resize', 'image/split', 'image/compose', 'pdf/rotate-pdf', 'image/bulk-rename'])(
  'the lines of the page of %s run as they are pasted, one after the other',
  async (name) => {
    cpSync(await documentationSamples(), here.path, { recursive: true })
    for (const line of pastedLines(results[name]!)) {
      const [, ...args] = splitNames(line)
      expect(await here.run(args)).toMatchObject({ code: 0, stderr: '' })
    }
  },
)
