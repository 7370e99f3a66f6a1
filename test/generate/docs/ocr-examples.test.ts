import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

/** The text on the label in parcel.jpg; see src/generate/assets/samples.ts. */
const LABEL = 'PARCEL-2026-0042'

test('the ocr text in the documentation is the text of its sample', () => {
  const path = new URL('../../../docs/tools/examples.json', import.meta.url)
  const all = JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown[]>
  const examples = all['image/ocr']!
  expect(examples.length).toBeGreaterThan(0)
  const texts = JSON.stringify(examples).match(/"text":"[^"]*"/g) ?? []
  expect(texts.length).toBeGreaterThan(0)
  expect([...new Set(texts)]).toEqual([JSON.stringify({ text: LABEL }).slice(1, -1)])
})
