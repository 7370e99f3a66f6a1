import { beforeAll, describe, expect, test } from 'vitest'
import { type PipelineData, type PlanOptions, planSteps } from '../../src/pipeline/plan/plan-steps.ts'
import { pathText } from '../../src/pipeline/read/diagnostics.ts'
import { useScannedCatalogue } from '../../src/tool/registry.ts'
import { planOf } from '../helpers/pipeline.ts'

beforeAll(async () => void (await useScannedCatalogue()))

const plan = async (data: PipelineData, options: Partial<PlanOptions> = {}) => {
  const { plan, diagnostics } = await planSteps(data, { name: 'x', ...options })
  expect(diagnostics).toEqual([])
  return plan!
}
const stepsIn = async (data: PipelineData, options?: Partial<PlanOptions>) =>
  (await plan(data, options)).common.flatMap(({ steps }) => steps)

/** Every error as `path: sentence`. */
async function diagnosticsOf(data: PipelineData, options: Partial<PlanOptions> = {}): Promise<string[]> {
  const { diagnostics } = await planSteps(data, { name: 'x', ...options })
  return diagnostics.map(({ path, message }) => `${pathText(path)}: ${message}`)
}

const RESIZE = { tool: 'image/resize', settings: { width: 8 } }

describe('a plan from data', () => {
  test('equals that of the same pipeline as YAML', async () => {
    const data = {
      name: 'thumbs for web',
      inputs: ['in/*.jpg'],
      output: '{stem}-{width}.{ext}',
      steps: [RESIZE, { tool: 'rotate', settings: { angle: '90' } }],
      variants: [
        { name: 'small', steps: [{ tool: 'image/convert', settings: { format: 'webp' } }] },
        { name: 'plain', steps: [] },
      ],
    }
    expect(await plan(data, { folder: '/' })).toEqual(await planOf(JSON.stringify(data)))
  })

  test('treats text literally: without YAML syntax or variables', async () => {
    const text = `\${YEAR}: *a, [{"x": 1}] # & \t!`
    expect((await stepsIn({ steps: [{ tool: 'watermark-pdf', settings: { text } }] }))[0]!.settings.text).toBe(text)
  })

  test('may ignore names that a tool does not know, but not those that a preset fixes', async () => {
    const steps = [{ tool: 'image/resize', settings: { width: 8, sahpe: 1 } }]
    expect(await diagnosticsOf({ steps })).toEqual([
      'steps[0].settings.sahpe: There is no setting sahpe of image/resize',
    ])
    expect((await stepsIn({ steps }, { ignoresUnknown: true }))[0]!.settings).toMatchObject({ width: 8 })
    const fixed = { steps: [{ tool: 'png-to-jpg', settings: { format: 'gif' } }] }
    expect(await diagnosticsOf(fixed, { ignoresUnknown: true })).toEqual([
      'steps[0].settings.format: fixed by this preset',
    ])
  })

  test('a switch that selects another tool makes the step one of that tool, with the other settings', async () => {
    for (const contentAware of [true, 'true']) {
      const [step] = await stepsIn({ steps: [{ tool: 'resize', settings: { width: 8, contentAware } }] })
      expect([step!.name, step!.given]).toEqual(['image/content-aware-resize', { width: 8 }])
    }
    const [plainStep] = await stepsIn({ steps: [{ tool: 'resize', settings: { width: 8, contentAware: false } }] })
    expect(plainStep!.name).toBe('image/resize')
    const steps = [{ tool: 'resize', settings: { width: 8, fit: 'cover', contentAware: true } }]
    expect(await diagnosticsOf({ steps })).toEqual([
      'steps[0].settings.fit: There is no setting fit of image/content-aware-resize',
    ])
  })
})

describe('diagnostics', () => {
  test('each has the path of the error', async () => {
    const data: PipelineData = {
      output: '{nope}',
      steps: [
        { tool: 'image/resiz' },
        { tool: 'image/resize', settings: 800 },
        { tool: 'image/resize', settings: { width: 'wide' } },
        { tool: 'image/convert' },
        { tool: 'video/trim-video', settings: { startS: 3, endS: 1 } },
        { tool: 'image/collage', settings: { cells: [{ imageIndex: 0 }, { imageIndex: 0, zoom: 99 }] } },
        { tool: 'image/watermark-image', settings: { watermark: '/etc/hostname' } },
      ],
      variants: [
        { name: 'a', steps: [RESIZE, { tool: 'pdf/rotate-pdf' }] },
        { name: 'A', steps: [] },
        { name: 'a/b', steps: [] },
        { name: '', steps: [] },
      ],
    }
    expect(await diagnosticsOf(data, { placeholders: ['stem'] })).toEqual([
      expect.stringMatching(/^variants\[1\]: There are two variants called A/),
      expect.stringMatching(/^variants\[2\]\.name: A variant called "a\/b" cannot/),
      expect.stringMatching(/^variants\[3\]\.name: Expected a name for the variant/),
      expect.stringMatching(/^steps\[0\]\.tool: There is no tool image\/resiz/),
      expect.stringMatching(/^steps\[1\]\.settings: Expected settings as name: value for image\/resize, got 800/),
      expect.stringMatching(/^steps\[2\]\.settings\.width: Expected an integer/),
      expect.stringMatching(/^steps\[3\]\.settings\.format: Expected one of/),
      expect.stringMatching(/^steps\[4\]\.settings: Expected endS to be greater/),
      expect.stringMatching(/^steps\[5\]\.settings\.cells\[1\]\.zoom: Expected a number/),
      expect.stringMatching(/^steps\[6\]\.settings\.watermark: This pipeline cannot name files/),
      expect.stringMatching(/^output: There is no placeholder \{nope\}/),
    ])
    const variants = [{ name: 'a', steps: [RESIZE, { tool: 'pdf/rotate-pdf' }] }]
    expect(await diagnosticsOf({ steps: [RESIZE], variants })).toEqual([
      expect.stringMatching(/^variants\[0\]\.steps\[1\]\.tool: pdf\/rotate-pdf takes pdf/),
    ])
    expect(await diagnosticsOf({ steps: [] })).toEqual([': Expected at least one step, got none'])
  })

  test('uses the deprecated name of a value; quotes other names', async () => {
    const steps = [{ tool: 'collage', settings: { cornerRadius: -1, 'a b': 1 } }]
    expect(await diagnosticsOf({ steps })).toEqual([
      expect.stringMatching(/^steps\[0\]\.settings\.cornerRadius: Expected a number/),
      expect.stringMatching(/^steps\[0\]\.settings\["a b"\]: There is no setting/),
    ])
  })

  test('more steps than the limit for one file', async () => {
    const data = { steps: [RESIZE, RESIZE], variants: [{ name: 'a', steps: [RESIZE] }] }
    expect(await diagnosticsOf(data, { maxSteps: 2 })).toEqual([
      'variants[0].steps[0]: A file goes through at most 2 steps, and these are 3',
    ])
    for (const options of [{ maxSteps: 3 }, { maxSteps: 0 }, {}]) expect(await diagnosticsOf(data, options)).toEqual([])
  })
})
