/** Pipelines of the console as files and links: what is exported is read again, by it and by the command line. */
import { expect, test } from 'vitest'
import { readPipeline } from '../../src/pipeline/read/read.ts'
import { pipelineFile } from '../../web/src/lines/pipeline.ts'
import { definitionOf, draftOf, moved, readDefinition } from '../../web/src/pipelines/definition.ts'
import { fragmentOf, readFragment } from '../../web/src/pipelines/link.ts'
import { readPipelineFile } from '../../web/src/pipelines/read-yaml.ts'
import { placeAt } from '../../web/src/pipelines/use-drag.ts'

const step = (toolId: string, settings: Record<string, unknown> = {}) => ({ toolId, settings })

const HOSTILE = [
  `$HOME \${YEAR} $$`,
  '"quoted" \\ # no comment',
  'two\nlines',
  '© näïve 日本 🎈',
  'yes',
  '- dash: colon',
  '',
]

test.each(HOSTILE)(
  'the text %j survives the file, and the command line and the console read the same',
  async (text) => {
    const settings = { text, opacity: 40 }
    const steps = [
      { tool: 'image/watermark-text', settings },
      { tool: 'image/resize', settings: { width: 90 } },
    ]
    const file = pipelineFile({ name: text || 'plain', description: text, steps })
    const { plan, diagnostics } = await readPipeline(file, { name: 'x', variables: { YEAR: 'wrong', HOME: 'wrong' } })
    // The tool wants a text.
    if (text === '') expect(diagnostics[0]?.message).toContain('text')
    else {
      const groups = [...(plan?.common ?? []), ...(plan?.variants.flatMap((variant) => variant.groups) ?? [])]
      const given = groups.flatMap((group) => group.steps.map((planned) => planned.given))
      expect([diagnostics, given]).toEqual([[], [settings, { width: 90 }]])
    }
    const { definition, ignored } = await readPipelineFile(file)
    expect(definition).toEqual({
      ...{ name: text || 'plain', description: '' },
      steps: [step('watermark-text', settings), step('resize', { width: 90 })],
    })
    expect(ignored).toEqual([])
  },
)

test('all forms of steps are read, and places of the command line are reported', async () => {
  const text = `
inputs: ["*.png"]
output: "{stem}.{ext}"
steps:
  - image/resize: { width: 8 }
  - rotate
  - tool: image/convert
    settings: { format: webp }
  - toolId: sharpening
  - image/blur:
`
  const { definition, ignored } = await readPipelineFile(text)
  expect(ignored).toEqual(['inputs', 'output'])
  expect(definition.steps).toEqual([
    step('resize', { width: 8 }),
    step('rotate'),
    step('convert', { format: 'webp' }),
    step('sharpening'),
    step('blur'),
  ])
})

test.each([
  ['steps: [{ image/resize: { width: 8 }, when: { width: { over: 8 } } }]', 'uses when'],
  ['variants: [{ name: a, steps: [rotate] }]\nsteps: [rotate]', 'uses variants'],
  ['steps: [{ include: other.yaml }]', 'uses include'],
  [`steps:\n  - watermark-text: { text: "\${YEAR}" }`, 'the variable YEAR'],
  ['steps: []', 'no list of steps'],
  ['- rotate', 'no list of steps'],
  ['hello', 'no list of steps'],
  ['', 'no list of steps'],
  ['steps: [', 'not YAML'],
  ['steps: [{ resize: 8 }]', 'Step 1'],
  ['steps: [rotate, { resize: {}, blur: {} }]', 'Step 2'],
  ['steps: [rotate, 7]', 'Step 2'],
  ['steps: [rotate]\ncolour: red', 'the key colour'],
])('a file that has more than the server can do is refused: %s', async (text, reason) => {
  await expect(readPipelineFile(text)).rejects.toThrow(reason)
})

test('a link holds the whole pipeline, and what is no link of ours is none', () => {
  const definition = { name: 'für 日本 🎈', description: '', steps: [step('watermark-text', { text: '© "&#' })] }
  const fragment = fragmentOf(definition)
  expect(fragment).toMatch(/^#pipeline=[\w-]+$/)
  expect(readFragment(fragment!)).toEqual(definition)
  for (const wrong of ['', '#content', '#pipeline=', '#pipeline=%7B', '#pipeline=AAAA', '#pipeline=bnVsbA'])
    expect(readFragment(wrong)).toBeUndefined()
  const long = { ...definition, steps: [step('watermark-text', { text: 'x'.repeat(9000) })] }
  expect(fragmentOf(long)).toBeUndefined()
})

test('what is kept is checked when it is read', () => {
  for (const wrong of [null, 7, {}, { steps: 'x' }, { steps: [{}] }, { steps: [{ toolId: 8 }] }])
    expect(readDefinition(wrong)).toBeUndefined()
  const kept = { name: 'n', description: 'd', steps: [step('resize', { width: 8 })] }
  expect(readDefinition(JSON.parse(JSON.stringify(definitionOf(draftOf(kept)))))).toEqual(kept)
})

test('steps move to any place, and not beyond the ends', () => {
  expect(moved(['a', 'b', 'c'], 0, 2)).toEqual(['b', 'c', 'a'])
  expect(moved(['a', 'b', 'c'], 2, 0)).toEqual(['c', 'a', 'b'])
  expect([moved(['a', 'b'], 0, -1), moved(['a', 'b'], 1, 2)]).toEqual([
    ['a', 'b'],
    ['a', 'b'],
  ])
})

test('a step is dropped between those whose middles it has passed', () => {
  const middles = [10, 30, 50]
  expect([5, 29, 31, 100].map((height) => placeAt(middles, 0, height))).toEqual([0, 0, 1, 2])
  expect([5, 29, 31, 100].map((height) => placeAt(middles, 2, height))).toEqual([0, 1, 2, 2])
})
