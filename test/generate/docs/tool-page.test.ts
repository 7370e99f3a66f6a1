import { expect, test } from 'vitest'
import type { ExampleResult } from '../../../src/generate/docs/example-results.ts'
import { pastedLines } from '../../../src/generate/docs/tool-page.ts'
import { readResults } from '../../helpers/pasted.ts'

const result = (line: string, files: string[], set?: string): ExampleResult => ({
  ...{ line, files, before: [], after: [], warnings: [] },
  ...(set !== undefined && { set }),
})

test('a line whose output would collide with an earlier one uses its own folder', () => {
  const lines = pastedLines({
    'image/b': [result('three', ['a.jpg']), result('four', ['1.png', '2.png'], 'a_split'), result('five', [])],
    'image/a': [result('one', ['a.jpg']), result('two', ['a.jpg'])],
    'image/c': [result('six', ['1.png'], 'a_split'), result('seven', ['a.jpg'])],
  })
  expect([...lines.values()]).toEqual([
    ['one', 'two -d a-examples'],
    ['three -d b-examples', 'four', 'five'],
    ['six -d c-examples', 'seven -d c-examples-2'],
  ])
})

test('the pasted-*.test.ts files run the pages of every section', () => {
  const sections = new Set(Object.keys(readResults()).map((name) => name.split('/')[0]))
  expect([...sections].sort()).toEqual(['audio', 'files', 'image', 'pdf', 'video'])
})
