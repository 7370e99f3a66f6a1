// biome-ignore-all lint/suspicious/noTemplateCurlyInString: parameters of pipelines look like that
import { mkdirSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import sharp from 'sharp'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import * as decoding from '../../src/media/image/decode/decode.ts'
import * as encoding from '../../src/media/image/encode/encode.ts'
import { diagnosticLine } from '../../src/pipeline/read/diagnostics.ts'
import { readPipeline } from '../../src/pipeline/read/read.ts'
import { resolveFor } from '../../src/pipeline/when/resolve-plan.ts'
import { useScannedCatalogue } from '../../src/tool/registry.ts'
import { makePdf, pageTexts } from '../helpers/pdf.ts'
import { at, difference, fromSamples, photo, plain, put, readPixels } from '../helpers/picture.ts'
import { planOf, runPlan, stepByStep } from '../helpers/pipeline.ts'
import { namesIn } from '../helpers/program.ts'
import { temporaryFolder } from '../helpers/tool.ts'
import { readZip } from '../helpers/zip-names.ts'

const decodeImage = vi.spyOn(decoding, 'decodeImage')
const encodeImage = vi.spyOn(encoding, 'encodeImage')

const folder = temporaryFolder()
const files = { png: '', jpg: '', pdf: '', letter: '' }

beforeAll(async () => {
  await useScannedCatalogue()
  files.png = await put(folder, 'photo.png', fromSamples(photo(120, 80)).png())
  files.jpg = await put(folder, 'logo.jpg', fromSamples(photo(60, 40)).jpeg({ quality: 90 }))
  files.pdf = join(folder, 'report.pdf')
  files.letter = join(folder, 'letter.pdf')
  writeFileSync(files.pdf, await makePdf({ texts: ['one', 'two', 'three'] }))
  writeFileSync(files.letter, await makePdf({ texts: ['letter'] }))
})

const planHere = (text: string) => planOf(text, { folder, path: join(folder, 'p.yaml') })

async function mistakes(text: string): Promise<string[]> {
  const { diagnostics } = await readPipeline(text, { name: 'x', folder, variables: {}, placeholders: ['stem', 'ext'] })
  return diagnostics.map((diagnostic) => diagnosticLine('', diagnostic).slice(1))
}

describe('a result as a named file', () => {
  const MARK = 'image/watermark-image: { watermark: { result: badge }, opacity: 100, scale: 50, position: top-left }'

  test('keeps its pixels exactly, although its own format would lose some', async () => {
    const plan = await planHere(`
variants:
  - name: marked
    steps: [${MARK}]
  - { name: badge, inputs: logo.jpg, output: false, steps: [{ image/rotate: { angle: 180 } }] }
`)
    const { paths, names, variants, times } = await runPlan(plan, folder, [files.png])
    expect([names, variants]).toEqual([['photo.png'], ['marked']])
    const turned = await stepByStep(
      [
        ['image/convert', { format: 'png' }],
        ['image/rotate', { angle: 180 }],
      ],
      folder,
      files.jpg,
    )
    const mark = { opacity: 100, scale: 50, position: 'top-left' }
    const expected = await stepByStep([['image/watermark-image', mark, { watermark: turned }]], folder, files.png)
    expect((await readPixels(paths[0]!)).data.equals((await readPixels(expected)).data)).toBe(true)
    expect(times.map(({ step, tool, variant }) => [step, tool, variant])).toEqual([
      [1, 'image/rotate', 'badge'],
      [1, 'image/watermark-image', 'marked'],
    ])
  })

  test('is a generated one in the common steps, which the only variant after them joins', async () => {
    const plan = await planHere(`
steps: [{ ${MARK} }]
variants:
  - { name: badge, inputs: [], output: false, steps: [{ image/qr-generate: { data: hello, size: 100, margin: 0 } }] }
  - { name: turned, steps: [{ image/rotate: { angle: 180 } }] }
`)
    encodeImage.mockClear()
    const { paths, times } = await runPlan(plan, folder, [files.png])
    const [pixels, original] = [await readPixels(paths[0]!), await readPixels(files.png)]
    // The frame of the code's corner and the light ring in it, 20 pixels from the edges, and the photo beside it.
    expect(Math.max(...at(pixels, 98, 58))).toBeLessThan(60)
    expect(Math.min(...at(pixels, 95, 49))).toBeGreaterThan(200)
    expect(at(pixels, 116, 76)).toEqual(at(original, 3, 3))
    expect(times.filter(({ variant }) => variant === 'turned').map(({ fused }) => fused)).toEqual([2, 2])
    // The code for its reader, and the output.
    expect(encodeImage).toHaveBeenCalledTimes(2)
  })

  test('is written once for several readers, and is an output as well', async () => {
    const plan = await planHere(`
variants:
  - { name: badge, inputs: logo.jpg, steps: [{ image/resize: { width: 20 } }] }
  - { name: one, steps: [{ ${MARK} }] }
  - { name: two, steps: [{ image/rotate: { angle: 90 } }, { ${MARK} }] }
`)
    encodeImage.mockClear()
    const { names, variants } = await runPlan(plan, folder, [files.png])
    expect([names, variants]).toEqual([
      ['logo.jpg', 'photo.png', 'photo.png'],
      ['badge', 'one', 'two'],
    ])
    expect(encodeImage).toHaveBeenCalledTimes(4)
  })
})

describe('inputs of a variant', () => {
  test('are files and results in order', async () => {
    const plan = await planHere(`
variants:
  - name: all
    inputs: [{ result: turned }, letter.pdf, { input: true }, { result: last }]
    steps: [pdf/merge-pdf]
  - { name: last, output: false, steps: [{ pdf/extract-pages: { range: "3" } }] }
  - { name: turned, steps: [{ pdf/rotate-pdf: { angle: 90 } }, { pdf/remove-pages: { pages: "2-3" } }] }
`)
    const { paths, variants } = await runPlan(plan, folder, [files.pdf])
    expect(variants).toEqual(['all', 'turned'])
    const texts = await pageTexts(await readFile(paths[0]!))
    expect(texts.map((text) => text.trim())).toEqual(['one', 'letter', 'one', 'two', 'three', 'three'])
  })

  test('compare a result with the input: nothing is encoded in between', async () => {
    const plan = await planHere(`
variants:
  - { name: grey, steps: [{ image/resize: { width: 60 } }, { image/convert: { format: jpg, quality: 10 } }] }
  - name: both
    inputs: [{ input: true }, { result: grey }]
    steps: [{ image/compare: { mode: side-by-side } }]
`)
    decodeImage.mockClear()
    const { paths } = await runPlan(plan, folder, [files.png])
    // The input for each of them, never the result.
    expect(decodeImage).toHaveBeenCalledTimes(2)
    const pixels = await sharp(paths[1]).extract({ left: 120, top: 0, width: 120, height: 80 }).png().toBuffer()
    const doubled = await sharp(await stepByStep([['image/resize', { width: 60 }]], folder, files.png))
      .resize(120, 80, { fit: 'fill' })
      .png()
      .toBuffer()
    expect(difference(await readPixels(pixels), await readPixels(doubled)).most).toBeLessThanOrEqual(1)
  })

  test('for an archive are the files of the outputs, each encoded once', async () => {
    const plan = await planHere(`
variants:
  - { name: small, steps: [{ image/resize: { width: 20 } }] }
  - { name: web, output: false, steps: [{ image/convert: { format: webp } }] }
  - { name: kit, inputs: [{ result: small }, { result: web }, logo.jpg], steps: [files/create-zip] }
`)
    encodeImage.mockClear()
    const { paths, variants } = await runPlan(plan, folder, [files.png])
    expect(variants).toEqual(['small', 'kit'])
    expect(await readZip(paths[1]!)).toEqual(['photo_small.png', 'photo_web.webp', 'logo.jpg'])
    expect(encodeImage).toHaveBeenCalledTimes(2)
  })

  test('match a pattern, and a step for one file runs for each', async () => {
    mkdirSync(join(folder, 'sheets'))
    await put(folder, 'sheets/b.png', plain(10, 10, '#0000ff').png())
    await put(folder, 'sheets/a.png', plain(10, 10, '#ff0000').png())
    const plan = await planHere(`
variants:
  - { name: tiny, inputs: "sheets/*.png", steps: [{ image/resize: { width: 4 } }] }
  - { name: row, inputs: { result: tiny }, steps: [{ image/stitch: { direction: horizontal } }] }
`)
    expect(plan.input.files).toBe('none')
    const { paths, names } = await runPlan(plan, folder, [])
    expect(names.slice(0, 2)).toEqual(['a.png', 'b.png'])
    const pixels = await readPixels(paths[2]!)
    expect([pixels.width, at(pixels, 1, 1), at(pixels, 6, 1)]).toEqual([8, [255, 0, 0], [0, 0, 255]])
  })
})

describe('one file of several', () => {
  const text = (file: number): string => `
variants:
  - { name: pages, output: false, steps: [{ pdf/pdf-to-image: { format: png, dpi: 36 } }] }
  - name: cover
    inputs: [{ result: pages, file: ${file} }]
    steps: [{ image/resize: { width: 30 } }]
`

  test('by its number', async () => {
    const { paths, names } = await runPlan(await planHere(text(2)), folder, [files.pdf])
    expect([names.length, (await sharp(paths[0]).metadata()).width]).toEqual([1, 30])
  })

  test('that does not exist fails with its place, and leaves nothing', async () => {
    const before = namesIn(folder).filter((name) => !name.startsWith('fused-'))
    await expect(runPlan(await planHere(text(9)), folder, [files.pdf])).rejects.toMatchObject({
      code: 'TOO_FEW_FILES',
      message: 'p.yaml:5:14: There is no file 9: the result of pages has 3 files',
    })
    expect(namesIn(folder).filter((name) => !name.startsWith('fused-'))).toEqual(before)
  })
})

test('in a matrix a result is that of the same combination, and what does not depend on it is made once', async () => {
  const plan = await planHere(`
matrix: { width: [20, 40] }
variants:
  - { name: mark, inputs: [], output: false, steps: [{ image/qr-generate: { data: a, size: 100 } }] }
  - { name: base, output: false, steps: [{ image/resize: { width: "\${width}" } }] }
  - { name: done, inputs: [{ result: base }], steps: [{ image/watermark-image: { watermark: { result: mark } } }] }
`)
  expect(plan.variants.map(({ name }) => name)).toEqual(['mark', 'base-20', 'done-20', 'base-40', 'done-40'])
  const { paths, variants } = await runPlan(plan, folder, [files.png])
  expect(variants).toEqual(['done-20', 'done-40'])
  expect(await Promise.all(paths.map(async (path) => (await sharp(path).metadata()).width))).toEqual([20, 40])
})

test('a variant with a matrix is all of its results', async () => {
  const plan = await planHere(`
variants:
  - { name: w, output: false, matrix: { width: [10, 30] }, steps: [{ image/resize: { width: "\${width}", height: 10, fit: fill } }] }
  - { name: row, inputs: { result: w }, steps: [{ image/stitch: { direction: horizontal } }] }
  - { name: last, inputs: { result: w-30 }, steps: [{ image/rotate: { angle: 90 } }] }
`)
  const { paths } = await runPlan(plan, folder, [files.png])
  const sizes = await Promise.all(paths.map(async (path) => (await sharp(path).metadata())!))
  expect(sizes.map(({ width, height }) => [width, height])).toEqual([
    [40, 10],
    [10, 30],
  ])
})

test('without a result, the variants that need it are skipped, and say why', async () => {
  const plan = await planHere(`
variants:
  - { name: badge, output: false, when: { type: jpg }, steps: [{ image/resize: { width: 20 } }] }
  - { name: marked, steps: [{ image/watermark-image: { watermark: { result: badge } } }] }
  - { name: again, inputs: { result: marked }, steps: [{ image/rotate: { angle: 90 } }] }
  - name: maybe
    steps:
      - image/resize: { width: 30 }
      - { tool: image/watermark-image, settings: { watermark: { result: badge } }, when: { type: jpg } }
`)
  const { skippedVariants, notices, skipped } = resolveFor(plan, { type: 'png' })
  expect([...skippedVariants]).toEqual([0, 1, 2])
  expect(notices).toEqual([
    'marked is skipped: it needs badge, which is only for type jpg',
    'again is skipped: it needs badge, which is only for type jpg',
  ])
  expect(skipped.map(({ variant, skipped: why }) => [variant, why])).toContainEqual([
    'again',
    'it needs badge, which is only for type jpg',
  ])
  expect(resolveFor(plan, { type: 'jpg' }).skippedVariants.size).toBe(0)
})

test('a failure names the step of the other variant, and warnings of it are reported', async () => {
  const whole = await readFile(files.jpg)
  writeFileSync(join(folder, 'cut.jpg'), whole.subarray(0, Math.round(whole.length * 0.7)))
  const plan = await planHere(`
variants:
  - { name: badge, output: false, inputs: cut.jpg, steps: [{ image/resize: { width: 20 } }] }
  - { name: marked, steps: [{ image/watermark-image: { watermark: { result: badge } } }] }
`)
  const { warnings } = await runPlan(plan, folder, [files.png])
  expect(warnings).toContainEqual(expect.stringContaining('cut.jpg'))
  writeFileSync(join(folder, 'cut.jpg'), 'no picture')
  await expect(runPlan(plan, folder, [files.png])).rejects.toThrow('step 1 of badge (image/resize)')
})

describe('mistakes', () => {
  test.each<[string, string]>([
    ['{ result: bagde }', '8:51: There is no variant bagde. Did you mean badge?'],
    ['{ result: x9 }', '8:51: There is no variant x9. It has badge, set, facts, page, mark.'],
    ['{ reslt: badge }', '8:43: There is no key reslt here. Did you mean result?'],
    ['{}', '8:41: Expected { result: NAME }, { result: NAME, file: 2 } or { input: true }, got neither'],
    ['{ result: badge, input: true }', '8:41: Expected { result: NAME }'],
    ['{ input: false }', '8:50: Expected true for input'],
    ['{ result: badge, file: 0 }', '8:64: Expected the number of a file from 1, got 0'],
    ['{ result: badge, file: 2 }', '8:64: There is no file 2: the result of badge has 1 file'],
    ['{ result: set }', '8:41: Expected one file for watermark, and the result of set can have several'],
    ['{ result: facts }', '8:51: image/info only reports, so the result of facts is no file'],
    ['{ result: page }', '8:41: image/watermark-image takes image for watermark, and the result of page is pdf'],
    ['{ result: mark }', '8:51: A result cannot need itself: mark → mark'],
    ['nothing.svg', '8:41: The file nothing.svg does not exist'],
  ])('watermark: %s', async (reference, expected) => {
    const text = `variants:
- { name: badge, steps: [{ image/resize: { width: 20 } }] }
- { name: set, steps: [{ image/split: { columns: 2, rows: 1 } }] }
- { name: facts, steps: [image/info] }
- { name: page, inputs: report.pdf, steps: [pdf/rotate-pdf] }
- name: mark
  steps:
  - image/watermark-image: { watermark: ${reference} }`
    expect((await mistakes(text))[0]).toContain(expected)
  })

  test.each<[string, string, string]>([
    ['[{ result: page }]', 'image/strip-metadata', '5:12: image/strip-metadata takes image, and the result of'],
    ['report.pdf', 'image/strip-metadata', '5:11: image/strip-metadata takes image, and report.pdf is pdf'],
    ['[{ result: badge }]', 'image/compare', '5:11: image/compare takes at least 2 files, and these are 1'],
    ['[photo.png, logo.jpg, photo.png]', 'image/compare', '5:11: image/compare takes at most 2 files, and'],
    ['photo.png', 'image/qr-generate: { data: a }', '5:11: image/qr-generate takes no file, so its variant has'],
    ['[]', 'image/strip-metadata', '5:11: image/strip-metadata needs an input, and these are none'],
    ['[poto.png]', 'image/strip-metadata', '5:12: The file poto.png does not exist. Did you mean photo.png?'],
    ['["x*.png"]', 'image/strip-metadata', '5:12: No file matches x*.png'],
    ['["https://a.b/c.png"]', 'image/strip-metadata', '5:12: Expected a local file for the input of a variant'],
    ['', 'image/strip-metadata', '5:11: Expected a file, a pattern or { result: NAME }, got nothing'],
    ['[[a]]', 'image/strip-metadata', '5:12: Expected a file, a pattern or { result: NAME }, got a list'],
  ])('inputs: %s for %s', async (inputs, step, expected) => {
    const text = `variants:
- { name: badge, steps: [{ image/resize: { width: 20 } }] }
- { name: page, steps: [image/strip-metadata, image/image-to-pdf] }
- name: own
  inputs: ${inputs}
  steps: [${step}]`
    expect((await mistakes(text))[0]).toContain(expected)
  })

  test('circles, through the common steps as well', async () => {
    const circle = `steps: [{ image/watermark-image: { watermark: { result: a } } }]
variants:
- { name: a, steps: [{ image/resize: { width: 9 } }] }`
    expect(await mistakes(circle)).toEqual([
      '1:57: A result cannot need itself: the common steps → a → the common steps',
    ])
    const pair = `variants:
- { name: a, inputs: { result: b }, steps: [{ image/resize: { width: 9 } }] }
- { name: b, inputs: { result: a }, steps: [{ image/resize: { width: 9 } }] }`
    expect(await mistakes(pair)).toEqual(['3:32: A result cannot need itself: a → b → a'])
  })

  test('parts without effect, and conditions and inputs without an input', async () => {
    const unused = `variants:
- { name: a, steps: [{ image/resize: { width: 9 } }] }
- { name: b, output: false, steps: [{ image/resize: { width: 8 } }] }`
    expect(await mistakes(unused)).toEqual([
      '3:22: The result of b is not used: it has no output, and no other variant names it. Name it with { result: b }, or leave output out.',
    ])
    const made = (more: string): string =>
      `variants:\n- { name: a, inputs: [], ${more}steps: [{ image/qr-generate: { data: a } }] }`
    expect(await mistakes(made('output: maybe, '))).toEqual(['2:34: Expected true or false for output, got "maybe"'])
    expect(await mistakes(made('when: { width: 3 }, '))).toEqual([
      '2:32: A condition is about one input, and the pipeline takes none',
    ])
    expect(await mistakes(`steps: [image/strip-metadata]\n${made('')}`)).toEqual([
      '1:9: No variant begins with the result of these steps. A variant without inputs of its own does.',
    ])
    expect(
      await mistakes(`${made('')}\n- { name: b, inputs: [{ input: true }], steps: [{ image/resize: { width: 9 } }] }`),
    ).toEqual([])
    const generated = `steps: [{ image/qr-generate: { data: a } }]
variants:
- { name: a }
- { name: b, inputs: [{ result: a }, { input: true }], steps: [image/compare] }`
    expect(await mistakes(generated)).toEqual(['4:47: The pipeline takes no input, so this names no file'])
  })
})
