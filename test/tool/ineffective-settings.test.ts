import { describe, expect, test } from 'vitest'
import { planSteps } from '../../src/pipeline/plan/plan-steps.ts'
import { readPipeline } from '../../src/pipeline/read/read.ts'
import { useScannedCatalogue } from '../../src/tool/registry.ts'
import { boolean, choice, integer, type SettingsTable } from '../../src/tool/settings.ts'
import { checkSettings, flagSpelling } from '../../src/tool/validate.ts'
import { planOf } from '../helpers/pipeline.ts'

const TABLE: SettingsTable = {
  mode: choice(['quality', 'size'], 'what decides', { default: 'quality' }),
  size: integer('largest size', { when: { mode: 'size' } }),
  format: choice(['png', 'jpg', 'webp'], 'the format', { default: 'png' }),
  quality: integer('quality', { default: 80, when: { format: ['jpg', 'webp'] }, aliases: ['q'] }),
  shadow: boolean('a shadow', { default: false }),
  depth: integer('its depth', { when: { shadow: true, mode: 'size' } }),
}

describe('a setting that only another value makes effective', () => {
  test('implies that value if it was not given', () => {
    expect(checkSettings(TABLE, { size: 3 })).toMatchObject({ mode: 'size', size: 3 })
    expect(checkSettings(TABLE, { depth: 3 })).toMatchObject({ mode: 'size', shadow: true })
    expect(checkSettings(TABLE, { depth: 3, shadow: true })).toMatchObject({ mode: 'size', shadow: true })
  })

  test('is refused if another was given, or if several values would do', () => {
    expect(() => checkSettings(TABLE, { size: 3, mode: 'quality' }, flagSpelling)).toThrow(
      '--size has an effect only with --mode size',
    )
    expect(() => checkSettings(TABLE, { q: 3 }, flagSpelling)).toThrow(
      '--quality has an effect only with --format jpg or webp',
    )
  })

  test('may be given with its default, as forms do', () => {
    expect(checkSettings(TABLE, { quality: 80, format: 'png' })).toMatchObject({ quality: 80, format: 'png' })
  })

  test('is normal if the value is given', () => {
    expect(checkSettings(TABLE, { quality: 3, format: 'jpg' })).toMatchObject({ quality: 3 })
  })
})

describe('in pipelines', async () => {
  await useScannedCatalogue()
  const step = (settings: object) => JSON.stringify([{ 'image/compress': settings }])

  test('YAML ones imply and refuse as the command line does', async () => {
    const plan = await planOf(step({ targetSizeKb: 5 }))
    expect(plan.common[0]!.steps[0]!.settings).toMatchObject({ mode: 'targetSize' })
    const { diagnostics } = await readPipeline(step({ mode: 'quality', targetSizeKb: 5 }), { name: 'x' })
    expect(diagnostics).toMatchObject([{ message: 'targetSizeKb has an effect only with mode targetSize' }])
  })

  test('over HTTP clients may send ineffective settings', async () => {
    const steps = [{ tool: 'image/compress', settings: { mode: 'quality', targetSizeKb: 5 } }]
    const { plan } = await planSteps({ steps }, { name: 'x', ignoresUnknown: true })
    expect(plan!.common[0]!.steps[0]!.settings).toMatchObject({ mode: 'quality', targetSizeKb: 5 })
  })
})
