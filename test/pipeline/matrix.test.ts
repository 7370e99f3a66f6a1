// biome-ignore-all lint/suspicious/noTemplateCurlyInString: parameters of pipelines look like that
import { beforeAll, describe, expect, test } from 'vitest'
import { diagnosticLine } from '../../src/pipeline/read/diagnostics.ts'
import { type ReadOptions, readPipeline } from '../../src/pipeline/read/read.ts'
import { useScannedCatalogue } from '../../src/tool/registry.ts'
import { planOf } from '../helpers/pipeline.ts'

beforeAll(async () => void (await useScannedCatalogue()))

const OPTIONS: ReadOptions = { name: 'x', folder: '/', variables: {}, placeholders: ['stem', 'ext'] }

/** The common steps and the variants with their steps, as short texts. */
async function shape(text: string): Promise<string[]> {
  const { common, variants } = await planOf(text, OPTIONS)
  const steps = (groups: (typeof common)[number][]): string =>
    groups
      .flatMap((group) => group.steps.map(({ number, tool, given }) => `${number} ${tool.id} ${Object.values(given)}`))
      .join(', ')
  return [steps([...common]), ...variants.map(({ name, groups }) => `${name}: ${steps([...groups])}`)]
}

async function diagnosticsOf(text: string): Promise<string[]> {
  const { diagnostics } = await readPipeline(text, OPTIONS)
  return diagnostics.map((diagnostic) => diagnosticLine('', diagnostic).slice(1))
}

const STEPS = `steps:
  - image/strip-metadata
  - image/resize: { width: "\${width}" }
  - image/convert: { format: "\${format}" }
output: "{stem}-{width}.{ext}"
`

describe('a matrix', () => {
  test('steps that do not use it are common, the others are variants', async () => {
    expect(await shape(`matrix: { width: [32, 64], format: [webp, avif] }\n${STEPS}`)).toEqual([
      '1 strip-metadata ',
      '32-webp: 2 resize 32, 3 convert webp',
      '32-avif: 2 resize 32, 3 convert avif',
      '64-webp: 2 resize 64, 3 convert webp',
      '64-avif: 2 resize 64, 3 convert avif',
    ])
  })

  test('exclude', async () => {
    const exclude = 'exclude: [{ width: 32, format: avif }, { format: webp }]'
    expect(await shape(`matrix: { width: [32, 64], format: [webp, avif], ${exclude} }\n${STEPS}`)).toEqual([
      '1 strip-metadata , 2 resize 64, 3 convert avif',
      '64-avif: ',
    ])
  })

  test('multiplies variants; one variant can have its own', async () => {
    expect(
      await shape(`matrix: { width: [32, 64] }
steps: [{ image/resize: { width: "\${width}" } }]
variants:
  - { name: a, steps: [image/strip-metadata] }
  - { matrix: { format: [webp, png] }, steps: [{ image/convert: { format: "\${format}" } }] }`),
    ).toEqual([
      '',
      'a-32: 1 resize 32, 2 strip-metadata ',
      'webp-32: 1 resize 32, 2 convert webp',
      'png-32: 1 resize 32, 2 convert png',
      'a-64: 1 resize 64, 2 strip-metadata ',
      'webp-64: 1 resize 64, 2 convert webp',
      'png-64: 1 resize 64, 2 convert png',
    ])
  })

  test('values are part of names, and parameters can be values', async () => {
    const plan = await planOf(
      'params: { big: 64 }\nmatrix: { width: [32, "${big}"], format: [webp] }\n' +
        STEPS.replace('{width}.', '${width}-{format}.'),
      OPTIONS,
    )
    expect(plan.output).toBe('{stem}-{width}-{format}.{ext}')
    expect(plan.variants.map(({ settings }) => [settings.width, settings.format])).toEqual([
      [32, 'webp'],
      [64, 'webp'],
    ])
    expect(await shape('matrix: { text: [a/b, "{x}"] }\nsteps: [{ pdf/watermark-pdf: { text: "${text}" } }]')).toEqual([
      '',
      'a_b: 1 watermark-pdf a/b',
      '_x_: 1 watermark-pdf {x}',
    ])
  })

  test.each<[string, string, string[]]>([
    ['no mapping', 'matrix: [1]', ['1:9: Expected names with lists of values, got a list. Such as matrix: {']],
    ['nothing', 'matrix: {}', ['1:9: Expected names with lists of values, got none']],
    ['one value', 'matrix: { width: 8 }', ['1:18: Expected a list of values for width, got 8. Such as [320, 640]']],
    ['an empty list', 'matrix: { width: [] }', ['1:18: Expected a list of values for width, got none']],
    ['a list in it', 'matrix: { width: [[1]] }', ['1:19: Expected a text, number or boolean for width, got a list']],
    ['a value twice', 'matrix: { width: [1, "1"] }', ['1:22: The value 1 of width is given twice']],
    [
      'a parameter',
      'params: { width: 1 }\nmatrix: { width: [1] }',
      ['2:11: The matrix cannot have width: it is a param'],
    ],
    [
      'too many',
      `matrix: { width: [${Array.from({ length: 13 }, (_, index) => index + 1)}], format: [a, b, c, d, e] }`,
      ['1:1: A matrix has at most 64 combinations, and this has 65'],
    ],
    [
      'exclude with a wrong name',
      'matrix: { width: [1], exclude: [{ widht: 1 }] }',
      ['1:35: The matrix has no widht. Did you mean width?'],
    ],
    [
      'exclude with a wrong value',
      'matrix: { width: [1, 2], exclude: [{ width: 3 }] }',
      ['1:45: The matrix has no width 3. It has 1, 2.'],
    ],
    ['exclude everything', 'matrix: { width: [1], exclude: [{ width: 1 }] }', ['1:23: This excludes all combinations']],
    ['exclude nothing', 'matrix: { width: [1], exclude: [{}] }', ['1:33: Expected named values to exclude, got none']],
  ])('diagnostics: %s', async (_name, text, expected) => {
    const found = await diagnosticsOf(`${text}\nsteps: [image/info]`)
    expect(found).toHaveLength(expected.length)
    for (const [index, line] of expected.entries()) expect(found[index]).toContain(line)
  })

  test('a mistake in a step is reported once', async () => {
    const text = 'matrix: { width: [1, 2, 99999] }\nsteps:\n  - image/resize: { widht: "${width}", width: "${wdith}" }'
    expect(await diagnosticsOf(text)).toEqual([
      '3:21: There is no setting widht of image/resize. Did you mean width?',
      '3:47: There is no parameter or variable wdith. Did you mean ${width}?',
    ])
    expect(await diagnosticsOf(text.replace('widht: "${width}", ', '').replace('wdith', 'width'))).toEqual([
      '3:28: Expected an integer from 1 to 16383 for width, got 99999',
    ])
  })

  test('outputs of one name', async () => {
    expect(await diagnosticsOf(`matrix: { width: [1, 2], format: [png] }\n${STEPS.replace('-{width}', '')}`)).toEqual([
      '6:9: The variants 1-png and 2-png would both write {stem}.{ext}. Distinguish them with {variant}.',
    ])
  })
})
