// biome-ignore-all lint/suspicious/noTemplateCurlyInString: parameters of pipelines look like that
import { beforeAll, describe, expect, test } from 'vitest'
import { diagnosticLine } from '../../src/pipeline/read/diagnostics.ts'
import { type ReadOptions, readPipeline } from '../../src/pipeline/read/read.ts'
import { useScannedCatalogue } from '../../src/tool/registry.ts'
import { planOf } from '../helpers/pipeline.ts'

beforeAll(async () => void (await useScannedCatalogue()))

const OPTIONS: ReadOptions = { name: 'x', folder: '/', variables: { YEAR: '2026' }, placeholders: ['stem', 'ext'] }

async function settingsOf(text: string, options: Partial<ReadOptions> = {}): Promise<Record<string, unknown>> {
  const { common } = await planOf(text, { ...OPTIONS, ...options })
  return common[0]!.steps[0]!.given
}

async function diagnosticsOf(text: string, options: Partial<ReadOptions> = {}): Promise<string[]> {
  const { diagnostics } = await readPipeline(text, { ...OPTIONS, ...options })
  return diagnostics.map((diagnostic) => diagnosticLine('', diagnostic).slice(1))
}

const RESIZE = 'steps: [{ image/resize: { width: "${width}", withoutEnlargement: "${small}" } }]'
const TEXT = 'params: { text: a }\nsteps: [{ pdf/watermark-pdf: { text: "${text}" } }]'

describe('parameters', () => {
  test('defaults keep their type, given text is read as that type', async () => {
    const text = `params: { width: 8, small: true }\n${RESIZE}`
    expect(await settingsOf(text)).toEqual({ width: 8, withoutEnlargement: true })
    expect(await settingsOf(text, { parameters: { width: '9', small: 'no' } })).toEqual({
      width: 9,
      withoutEnlargement: false,
    })
    expect(await settingsOf(text, { parameters: { width: 10, small: undefined } })).toMatchObject({ width: 10 })
  })

  test('a text remains a text, also one that looks like a number, YAML or a variable', async () => {
    for (const value of ['2026', '"}, {image/info: {}}', '${YEAR}', '$$', '- x: y', ''])
      expect(await settingsOf(TEXT.replace('${text}', '<${text}>'), { parameters: { text: value } })).toEqual({
        text: `<${value}>`,
      })
    expect(await settingsOf(TEXT, { parameters: { text: 2026 } })).toEqual({ text: '2026' })
  })

  test('takes precedence over a variable; a default can use variables and earlier parameters', async () => {
    const text = 'params: { YEAR: "${YEAR}", text: "(c) ${YEAR}${YEAR:-no}" }\n'
    expect(await settingsOf(text + TEXT.split('\n')[1], { parameters: { YEAR: '1999' } })).toEqual({
      text: '(c) 19991999',
    })
    expect(await settingsOf(text + TEXT.split('\n')[1])).toEqual({ text: '(c) 20262026' })
  })

  test('fallbacks, below the steps, with a description, without variables', async () => {
    const text =
      '{ steps: [{ pdf/watermark-pdf: { text: "${text:-x}" } }], params: { text: { default: "", description: d } } }'
    expect(await settingsOf(text, { variables: undefined })).toEqual({ text: 'x' })
    const plan = await planOf(text, OPTIONS)
    expect(plan.parameters).toEqual([{ name: 'text', default: '', description: 'd' }])
  })

  test('a number in a name or pattern, and as a placeholder', async () => {
    const plan = await planOf(
      'params: { year: 2026 }\nname: "${year}"\nsteps: [image/strip-metadata]\noutput: "${year}/{year}-{stem}.{ext}"',
      OPTIONS,
    )
    expect(plan).toMatchObject({ name: '2026', output: '2026/{year}-{stem}.{ext}' })
    expect(plan.variants[0]!.settings).toMatchObject({ year: 2026 })
  })

  test.each<[string, string, string[]]>([
    [
      'no value',
      `params:\n  width:\n  small: { description: x }\n${RESIZE}`,
      [
        '2:3: The parameter width has no value. Give it with --set width=…, or a default here.',
        '3:3: The parameter small has no value. Give it with --set small=…, or a default here.',
      ],
    ],
    [
      'a list',
      'params: { width: [1] }\nsteps: [image/info]',
      ['1:18: Expected a text, number or boolean for width, got a list'],
    ],
    [
      'no mapping',
      'params: 7\nsteps: [image/info]',
      ['1:9: Expected parameters with their defaults, got 7. Such as params: { width: 800 }'],
    ],
    [
      'a name with a dash',
      'params: { my-width: 7 }\nsteps: [image/info]',
      ['1:11: Expected letters, digits and underscores for the name of a parameter, got my-width'],
    ],
    [
      'a misspelled key',
      'params: { width: { defualt: 7 } }\nsteps: [image/info]',
      ['1:20: There is no key defualt here. Did you mean default?'],
    ],
    [
      'a misspelled use',
      `params: { widht: 7, small: no }\n${RESIZE}`,
      ['2:34: There is no parameter or variable width. Did you mean ${widht}?'],
    ],
    [
      'a misspelled placeholder',
      'params: { width: 7 }\nsteps: [image/info]\noutput: "{widht}"',
      [expect.stringContaining('3:9: There is no placeholder {widht}. Did you mean {width}?') as unknown as string],
    ],
    [
      'a value out of range, at its use',
      `params: { width: 0, small: no }\n${RESIZE}`,
      ['2:34: Expected an integer from 1 to 16383 for width, got 0'],
    ],
  ])('diagnostics: %s', async (_name, text, expected) => {
    expect((await diagnosticsOf(text)).sort()).toEqual(expected)
  })

  test.each<[Record<string, unknown>, string, string | undefined]>([
    [{ widht: '8' }, 'The pipeline has no parameter widht', 'Did you mean width?'],
    [{ colour: '8' }, 'The pipeline has no parameter colour', 'It has width, small.'],
    [{ width: 'wide' }, 'Expected a number for the parameter width, got wide', undefined],
    [{ small: 'maybe' }, 'Expected true or false for the parameter small, got maybe', undefined],
    [{ width: [8] }, 'Expected a number for the parameter width, got a list', undefined],
    [{ __proto__x: '8' }, 'The pipeline has no parameter __proto__x', 'It has width, small.'],
  ])('refuses given values %j', async (parameters, message, hint) => {
    const text = `params: { width: 8, small: true }\n${RESIZE}`
    await expect(readPipeline(text, { ...OPTIONS, parameters })).rejects.toMatchObject({
      ...{ code: 'INVALID_SETTINGS', message },
      ...(hint && { hint }),
    })
  })
})
