import { expect, test } from 'vitest'
import { runnable } from '../../src/pipeline/run/run-alone.ts'
import { type Job, oneFile, type ToolResult, tool } from '../../src/tool/contract.ts'
import { preset, presetTool } from '../../src/tool/preset.ts'
import { loadTool, useScannedCatalogue } from '../../src/tool/registry.ts'
import { choice, integer, text } from '../../src/tool/settings.ts'
import { inspectSettings, invalidSettings } from '../../src/tool/validate.ts'

/** A tool that returns its settings. */
const base = tool({
  section: 'image',
  id: 'convert',
  summary: 'Convert',
  input: oneFile('image'),
  output: { kind: 'report' },
  settings: {
    format: choice(['png', 'jpg'], 'the format', { required: true }),
    quality: integer('quality', { min: 1, max: 100, default: 80 }),
    title: text('title'),
  },
  examples: [{ title: 'to PNG', settings: { format: 'png' } }],
  check({ format, title }) {
    if (format === 'jpg' && title) throw invalidSettings('A JPG has no title')
  },
  run: async (_job, settings): Promise<ToolResult> => ({ files: [], report: settings }),
})

const toJpg = presetTool(preset('image', 'convert', 'png-to-jpg', ['png'], 'jpg', { format: 'jpg' }, ['quality']), base)

test('a preset is a tool with its own name, inputs and open settings', () => {
  expect(toJpg).toMatchObject({
    section: 'image',
    id: 'png-to-jpg',
    summary: 'Convert PNG to JPG',
    input: { files: 'one', accept: ['png'] },
    output: { kind: 'report', type: { is: 'jpg' } },
    settings: { quality: base.settings.quality },
    actions: [],
  })
  expect(Object.keys(toJpg.settings)).toEqual(['quality'])
  expect(toJpg.medium).toBe('general')
})

test('fixed settings reach the code and cannot be set', async () => {
  const run = async (settings: Record<string, unknown>) => (await runnable(toJpg).run({} as Job, settings)).report
  expect(await run({ quality: 70 })).toEqual({ format: 'jpg', quality: 70, title: undefined })
  expect(await run({})).toEqual({ format: 'jpg', quality: 80, title: undefined })
  expect(await run({ format: 'png' })).toMatchObject({ format: 'jpg' })
  expect(inspectSettings(toJpg.settings, { format: 'png' }).issues[0]!.message).toBe('There is no setting format')
})

test("the base tool's rules see the fixed settings", () => {
  expect(() => toJpg.check!({ title: 'a' })).toThrow('A JPG has no title')
  expect(() => toJpg.check!({ quality: 70 })).not.toThrow()
})

test('the summary of a size preset names the size', () => {
  const small = (id: string) => preset('pdf', 'convert', id, ['pdf'], 'same', { targetSizeKb: 200 })
  expect(presetTool(small('compress-pdf-to-200kb'), base)).toMatchObject({
    summary: 'Shrink a PDF to at most 200 kB',
    output: { type: { same: true } },
  })
  expect(presetTool(small('compress-image-to-200kb'), base).summary).toBe('Shrink an image to at most 200 kB')
})

test('fixed settings decide the conditions of the open rows', () => {
  const conditional = {
    ...base,
    settings: {
      format: choice(['png', 'jpg'], 'the format'),
      mode: choice(['plain', 'scaled'], 'how', { default: 'plain' }),
      quality: integer('100 is best', { min: 1, max: 100, when: { format: 'jpg' }, example: 80 }),
      width: integer('the width', { when: { format: ['png', 'jpg'], mode: 'scaled' } }),
    },
  }
  const settingsOf = (format: string, ...names: string[]) =>
    presetTool(preset('image', 'convert', 'to-one', ['png'], format, { format }, names), conditional).settings
  const { quality, mode, width } = conditional.settings
  // The condition is always true: it is removed.
  expect(settingsOf('jpg', 'quality')).toEqual({
    quality: { type: 'integer', help: '100 is best', min: 1, max: 100, example: 80 },
  })
  // Only its open part remains.
  expect(settingsOf('jpg', 'mode', 'width')).toEqual({ mode, width: { ...width, when: { mode: 'scaled' } } })
  // It is never true: the row is accepted as before, and documented so. A closed setting has its default.
  expect(settingsOf('png', 'quality').quality).toEqual({
    type: 'integer',
    help: 'no effect with format png',
    min: 1,
    max: 100,
  })
  expect(settingsOf('jpg', 'width').width).toEqual({
    type: 'integer',
    help: 'no effect with format jpg and mode plain',
  })
  expect(quality.when).toEqual({ format: 'jpg' })
})

const presets = (await useScannedCatalogue()).filter((entry) => entry.base)

test.each(presets.map((entry) => [`${entry.section}/${entry.id}`, entry] as const))('%s', async (_name, entry) => {
  const { settings } = await loadTool({ ...entry, id: entry.base!, base: undefined })
  const locked = Object.keys(entry.locked!)
  expect(inspectSettings(settings, entry.locked!).issues.filter(({ path }) => locked.includes(path))).toEqual([])
  expect(Object.keys(entry.settings).filter((name) => locked.includes(name))).toEqual([])
  for (const row of Object.values(entry.settings))
    for (const name of Object.keys(row.when ?? {})) expect(Object.keys(entry.settings)).toContain(name)
  const needed = Object.keys(settings).filter((name) => settings[name]!.required)
  expect([...locked, ...Object.keys(entry.settings)]).toEqual(expect.arrayContaining(needed))
})
