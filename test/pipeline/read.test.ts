// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables of pipelines look like that
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { diagnosticLine, diagnosticsError } from '../../src/pipeline/read/diagnostics.ts'
import { type ReadOptions, readPipeline } from '../../src/pipeline/read/read.ts'
import { useScannedCatalogue } from '../../src/tool/registry.ts'
import { planOf } from '../helpers/pipeline.ts'
import { temporaryFolder } from '../helpers/tool.ts'

const folder = temporaryFolder()

beforeAll(async () => {
  await useScannedCatalogue()
  writeFileSync(join(folder, 'logo.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>')
  mkdirSync(join(folder, 'art'))
})

const OPTIONS: ReadOptions = {
  name: 'x',
  folder,
  variables: { YEAR: '2026', EMPTY: '' },
  placeholders: ['stem', 'ext'],
}

/** Every error as `line:column: sentence. hint`. */
async function diagnosticsOf(text: string, options: Partial<ReadOptions> = {}): Promise<string[]> {
  const { diagnostics } = await readPipeline(text, { ...OPTIONS, folder, ...options })
  return diagnostics.map((diagnostic) => diagnosticLine('', diagnostic).slice(1))
}

const first = async (text: string): Promise<string[]> =>
  (await planOf(text, OPTIONS)).variants[0]!.groups.flatMap(({ steps }) => steps.map(({ name }) => name))

describe('forms', () => {
  test.each([
    ['short', '- image/resize: { width: 8 }'],
    ['long', '- { tool: image/resize, settings: { width: 8 } }'],
    ['of the API', '{"steps": [{"toolId": "resize", "settings": {"width": 8}}]}'],
    ['in a block, with text for a number', 'steps:\n  - image/resize:\n      width: "8"'],
    ['with an anchor', 'steps: [{ image/resize: &size { width: 8 } }, { image/resize: *size }]'],
  ])('%s', async (_name, text) => {
    const plan = await planOf(text, OPTIONS)
    const [step] = [...plan.common, ...plan.variants[0]!.groups][0]!.steps
    expect(step).toMatchObject({ name: 'image/resize', settings: { width: 8, withoutEnlargement: false } })
  })

  test('merge keys: own values win, then those of the first merged mapping', async () => {
    const settings = async (text: string): Promise<unknown> => {
      const { common, variants } = await planOf(text, OPTIONS)
      return [...common, ...variants[0]!.groups][0]!.steps[0]!.given
    }
    const shared = 'x-size: &size { width: 8, height: 9 }\nx-fit: &fit { fit: cover, height: 7 }\nsteps:\n'
    expect(await settings(`${shared}  - image/resize: { <<: *size, height: 5 }`)).toEqual({ width: 8, height: 5 })
    expect(await settings(`${shared}  - image/resize: { <<: [*fit, *size] }`)).toEqual({
      ...{ fit: 'cover', height: 7, width: 8 },
    })
    expect(
      await settings(`x-step: &step { tool: image/resize }\nsteps: [{ <<: *step, settings: { width: 8 } }]`),
    ).toEqual({
      width: 8,
    })
    expect(
      await settings(`x-a: &a { width: 8 }\nx-b: &b { <<: *a, height: 9 }\nsteps: [image/resize: { <<: *b }]`),
    ).toEqual({
      ...{ height: 9, width: 8 },
    })
  })

  test('a clock time in YAML', async () => {
    const { common, variants } = await planOf('- video/trim-video: { startS: 0:05, endS: 00:01:30.5 }', OPTIONS)
    expect([...common, ...variants[0]!.groups][0]!.steps[0]!.settings).toMatchObject({ startS: 5, endS: 90.5 })
  })

  test('errors in merge keys, and unknown keys below the top level', async () => {
    expect(await diagnosticsOf('- image/resize: { <<: 5, width: 8 }')).toEqual([
      '1:19: Expected named values to merge after <<. Such as <<: *defaults',
    ])
    expect(await diagnosticsOf('- image/resize: { width: 8, "<<": { height: 5 } }')).toEqual([
      expect.stringContaining('There is no setting <<'),
    ])
    expect(await diagnosticsOf('x-size: &size { widht: 8 }\nsteps: [image/resize: { <<: *size }]')).toEqual([
      expect.stringMatching(/There is no setting widht of image\/resize. Did you mean width/),
    ])
    expect(await diagnosticsOf('variants: [{ name: a, x-mine: 1, steps: [image/strip-metadata] }]')).toEqual([
      expect.stringContaining('There is no key x-mine here'),
    ])
    const itself = await diagnosticsOf('- image/resize: &own { width: 8, <<: *own }')
    expect(itself.join()).toContain('This has too many nested values')
  })

  test('the name of a tool alone, and a JSON file with tabs', async () => {
    const plan = await planOf('{\n\t"steps": [\n\t\t"image/strip-metadata"\n\t]\n}', OPTIONS)
    expect(plan.common[0]!.steps[0]!.name).toBe('image/strip-metadata')
    expect(await first('variants: [{ name: a, steps: [image/strip-metadata] }]')).toEqual(['image/strip-metadata'])
  })

  test('secondary files are among the settings, relative to the pipeline', async () => {
    const { common } = await planOf('- image/watermark-image: { watermark: logo.svg, opacity: 9 }', OPTIONS)
    expect(common[0]!.steps[0]).toMatchObject({
      secondary: { watermark: join(folder, 'logo.svg') },
      settings: { opacity: 9 },
    })
  })

  test('fills variables into values, never into the structure', async () => {
    const text = '- pdf/watermark-pdf: { text: "$$1 ${YEAR} ${NO:-some {thing}} ${EMPTY:-x}${EMPTY}" }'
    const { common } = await planOf(text.replace('some {thing}', 'some thing'), OPTIONS)
    expect(common[0]!.steps[0]!.settings.text).toBe('$1 2026 some thing x')
    const evil = { ...OPTIONS, variables: { X: '"}, {image/info: {}}' } }
    const plan = await planOf('- pdf/watermark-pdf: { text: "${X}" }', evil)
    expect(plan.common[0]!.steps).toHaveLength(1)
    expect(plan.common[0]!.steps[0]!.settings.text).toBe('"}, {image/info: {}}')
  })

  test('without variables, as over HTTP, text is literal', async () => {
    const { common } = await planOf('- pdf/watermark-pdf: { text: "${YEAR}" }', { ...OPTIONS, variables: undefined })
    expect(common[0]!.steps[0]!.settings.text).toBe('${YEAR}')
  })

  test('secrets are not shown', async () => {
    const { common, variants } = await planOf('- pdf/protect-pdf: { userPassword: geheim }', OPTIONS)
    expect(common[0]!.steps[0]!.given).toEqual({})
    expect(JSON.stringify(variants[0]!.settings)).not.toContain('geheim')
  })
})

describe('diagnostics with their positions', () => {
  test.each<[string, string, string[]]>([
    ['unknown tool', '- image/resiz: { width: 1 }', ['1:3: There is no tool image/resiz. Did you mean image/resize?']],
    [
      'unknown setting',
      '- image/resize:\n    widht: 1\n    height: 2',
      ['2:5: There is no setting widht of image/resize. Did you mean width?'],
    ],
    [
      'wrong type',
      '- image/resize: { width: wide }',
      ['1:26: Expected an integer from 1 to 16383 for width, got wide'],
    ],
    [
      'out of range',
      '- image/compress: { quality: 101 }',
      ['1:30: Expected a number from 1 to 100 for quality, got 101'],
    ],
    ['nothing where something is needed', '- image/convert', ['1:3: Expected one of']],
    [
      'a rule of the tool',
      '- video/trim-video: { startS: 3, endS: 1 }',
      ['1:21: Expected endS to be greater than startS (3), got 1'],
    ],
    ['unknown key', 'step: []', ['1:1: There is no key step here. Did you mean steps?']],
    [
      'unknown key of a step',
      '- { tool: image/info, setings: {} }',
      ['1:23: There is no key setings here. Did you mean settings?'],
    ],
    [
      'unknown key of a variant',
      'variants: [{ name: a, stesp: [] }]',
      ['1:23: There is no key stesp here. Did you mean steps?'],
    ],
    [
      'two tools in a step',
      '- image/info: {}\n  image/resize: { width: 1 }',
      ['2:3: Expected one tool in a step, got image/info, image/resize. A step begins with a dash'],
    ],
    ['no steps', 'steps: []', ['1:1: Expected at least one step, got none']],
    ['steps that are no list', 'steps: 7', ['1:8: Expected a list of steps, got 7']],
    [
      'settings that are no mapping',
      '- image/resize: 800',
      ['1:17: Expected settings as name: value for image/resize, got 800'],
    ],
    [
      'variants of one name',
      'variants:\n  - { name: a, steps: [image/info] }\n  - { name: A, steps: [image/info] }',
      ['3:5: There are two variants called A'],
    ],
    [
      'a variant without a name',
      'steps: [image/info]\nvariants: [{ steps: [] }]',
      ['2:12: Expected a name for the variant, got nothing'],
    ],
    [
      'a variant that is no file name',
      'steps: [image/info]\nvariants: [{ name: a/b }]',
      ['2:20: A variant called "a/b" cannot be part of a file name'],
    ],
    ['no YAML', 'steps: [', ['1:9: A [ is not closed: expected a ] before this']],
    [
      'braces without quotes',
      'steps:\n  - image/rotate: { angle: ${X} }',
      ['2:29: This is not valid YAML. Text with braces, such as a variable, must be in quotes.'],
    ],
    ['tabs', 'steps:\n\t- image/info', ['2:1: Expected spaces at the beginning of the line, got a tab']],
    ['a key twice', 'steps: [image/info]\nsteps: [image/info]', ['2:1: This key already exists']],
    [
      'an unset variable',
      '- image/rotate: { angle: "${NOPE}" }',
      ['1:26: The environment variable NOPE is not set. Set it, or give a default: ${NOPE:-…}'],
    ],
    [
      'no variable',
      '- pdf/watermark-pdf: { text: "${1x}" }',
      ['1:30: Expected the name of a variable in braces after the dollar sign, got ${1x}'],
    ],
    [
      'a file that is missing',
      '- image/watermark-image: { watermark: nologo.svg }',
      ['1:39: The file nologo.svg does not exist. It is looked for next to the file that names it.'],
    ],
    ['a file that is a folder', '- image/watermark-image: { watermark: art }', ['1:39: art is not a file']],
    [
      'a file that is needed',
      '- image/watermark-image',
      ['1:3: image/watermark-image needs the logo image. Name it with watermark: FILE.'],
    ],
    [
      'a slip in the name of a file',
      '- image/watermark-image: { watermrk: logo.svg, watermark: logo.svg }',
      ['1:28: There is no setting watermrk of image/watermark-image. Did you mean watermark?'],
    ],
    [
      'an action',
      '- image/strip-metadata/inspect',
      ['1:3: A step is a tool, and image/strip-metadata/inspect is an action, which only reports'],
    ],
    [
      'an unknown placeholder',
      'steps: [image/info]\noutput: "out/{stm}.{ext}"',
      ['2:9: There is no placeholder {stm}. Did you mean {stem}?'],
    ],
    [
      'a folder as a pattern',
      'steps: [image/info]\noutput: out/',
      ['2:9: Expected a pattern of file names, got the folder out/'],
    ],
    ['nothing at all', '', ['1:1: Expected steps, got nothing']],
    ['a text', 'hello', ['1:1: Expected steps, got "hello"']],
  ])('%s', async (_name, text, expected) => {
    const found = await diagnosticsOf(text)
    expect(found).toHaveLength(expected.length)
    for (const line of expected) expect(found).toContainEqual(expect.stringContaining(line))
  })

  test.each<[string, string, string]>([
    [
      'of another kind',
      '- image/resize: { width: 8 }\n- pdf/rotate-pdf',
      '2:3: pdf/rotate-pdf takes pdf, and image/resize gives image',
    ],
    [
      'of another type',
      '- image/convert: { format: webp }\n- image/png-to-jpg',
      '2:3: image/png-to-jpg takes png, and image/convert gives webp',
    ],
    [
      'after a report',
      '- image/info\n- image/resize: { width: 8 }',
      '2:3: image/resize has nothing to work on: image/info only reports',
    ],
    [
      'without a file',
      '- image/resize: { width: 8 }\n- image/qr-generate: { text: hi }',
      '2:3: image/qr-generate takes no file, so it can only be the first step',
    ],
    [
      'several files',
      '- pdf/rotate-pdf\n- pdf/merge-pdf',
      '2:3: pdf/merge-pdf takes at least 2 files, and pdf/rotate-pdf gives one',
    ],
    [
      'in a variant',
      'steps: [pdf/rotate-pdf]\nvariants: [{ name: a, steps: [image/info] }]',
      '2:31: image/info takes image, and pdf/rotate-pdf gives pdf',
    ],
    [
      'archives',
      '- pdf/pdf-to-image\n- files/create-zip\n- image/info',
      '3:3: image/info takes image, and files/create-zip gives zip',
    ],
  ])('a step that cannot process its input: %s', async (_name, text, expected) => {
    expect(await diagnosticsOf(text)).toEqual([expect.stringContaining(expected)])
  })

  test('all at once, in order, without consequential errors', async () => {
    const text = `steps:
  - image/resiz: { width: 600 }
  - image/resize: { widht: 600, height: huge }
  - pdf/rotate-pdf
variant: []
output: "{stem}-{widht}.{ext}"`
    expect(await diagnosticsOf(text)).toEqual([
      expect.stringMatching(/^2:5: /),
      expect.stringMatching(/^3:21: /),
      expect.stringMatching(/^3:41: /),
      expect.stringMatching(/^5:1: /),
      expect.stringMatching(/^6:9: /),
    ])
    const { diagnostics } = await readPipeline(text, OPTIONS)
    const error = diagnosticsError('web.yaml', diagnostics)
    expect(error.code).toBe('INVALID_SETTINGS')
    expect(error.message.split('\n')).toHaveLength(5)
    expect(error.message).toMatch(/^web.yaml:2:5: There is no tool image\/resiz/)
  })

  test('an untrusted pipeline may not name files of this machine', async () => {
    const text = '- image/watermark-image: { watermark: /etc/hostname }'
    expect(await diagnosticsOf(text, { folder: undefined })).toEqual([
      '1:39: This pipeline cannot name files of its own',
    ])
  })

  test('a value behind an alias, and of a switch that selects another tool, has its position', async () => {
    expect(await diagnosticsOf('- image/resize: &size { width: wide }\n- image/resize: *size')).toEqual([
      expect.stringMatching(/^1:32: Expected an integer/),
      expect.stringMatching(/^1:32: Expected an integer/),
    ])
    expect(await diagnosticsOf('- image/resize: { contentAware: yes, width: 8, fit: cover }')).toEqual([
      expect.stringMatching(/^1:48: There is no setting fit of image\/content-aware-resize/),
    ])
    expect(await first('variants: [{ name: a, steps: [image/resize: { contentAware: true, width: 8 }] }]')).toEqual([
      'image/content-aware-resize',
    ])
  })

  test('aliases within aliases end', async () => {
    const bomb = Array.from({ length: 30 }, (_, index) => `  - &a${index + 1} [*a${index}, *a${index}, *a${index}]`)
    const text = `description: x\ninputs:\n  - &a0 [1]\n${bomb.join('\n')}\nsteps: [{ image/resize: { width: *a30 } }]`
    expect((await diagnosticsOf(text)).length).toBeGreaterThan(0)
    await expect(readPipeline(' '.repeat(2 ** 20 + 1), OPTIONS)).rejects.toMatchObject({ code: 'LIMIT_EXCEEDED' })
  })
})

describe('MAX_PIPELINE_STEPS', () => {
  afterEach(() => {
    delete process.env.MAX_PIPELINE_STEPS
  })

  test('counts the steps that one file passes', async () => {
    process.env.MAX_PIPELINE_STEPS = '3'
    const steps = (count: number): string => Array.from({ length: count }, () => 'image/strip-metadata').join(', ')
    expect(await diagnosticsOf(`steps: [${steps(3)}]`)).toEqual([])
    expect(await diagnosticsOf(`steps: [${steps(4)}]`)).toEqual([
      '1:75: A file goes through at most 3 steps, and these are 4. Raise the limit with MAX_PIPELINE_STEPS.',
    ])
    const text = `steps: [${steps(2)}]\nvariants: [{ name: a, steps: [${steps(1)}] }, { name: b, steps: [${steps(2)}] }]`
    expect(await diagnosticsOf(text)).toEqual([expect.stringContaining('these are 4')])
    process.env.MAX_PIPELINE_STEPS = '0'
    expect(await diagnosticsOf(`steps: [${steps(40)}]`)).toEqual([])
  })
})
