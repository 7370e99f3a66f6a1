import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import sharp from 'sharp'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { openMediaFile } from '../../src/media/file.ts'
import * as decoding from '../../src/media/image/decode/decode.ts'
import { runPipeline } from '../../src/pipeline/run/run.ts'
import { useScannedCatalogue } from '../../src/tool/registry.ts'
import { makeVideo } from '../helpers/av.ts'
import { makePdf } from '../helpers/pdf.ts'
import { fromSamples, photo, put } from '../helpers/picture.ts'
import { planOf, runPlan } from '../helpers/pipeline.ts'
import { temporaryFolder } from '../helpers/tool.ts'
import { readZip } from '../helpers/zip-names.ts'

const decodeImage = vi.spyOn(decoding, 'decodeImage')

const folder = temporaryFolder()
let picture: string

beforeAll(async () => {
  await useScannedCatalogue()
  picture = await put(folder, 'photo.png', fromSamples(photo(120, 80)).png())
})

describe('variants', () => {
  test('share the common steps: one decode, each its own encode', async () => {
    const plan = await planOf(`
steps:
  - image/resize: { width: 60 }
  - image/rotate: { angle: 90 }
variants:
  - { name: big, steps: [{ image/convert: { format: webp } }] }
  - { name: small, steps: [{ image/resize: { width: 20 } }, { image/convert: { format: jpg } }] }
  - { name: plain }
`)
    decodeImage.mockClear()
    const { paths, variants, times } = await runPlan(plan, folder, [picture])
    expect(decodeImage).toHaveBeenCalledTimes(1)
    expect(variants).toEqual(['big', 'small', 'plain'])
    const facts = await Promise.all(paths.map(async (path) => (await sharp(path).metadata())!))
    expect(facts.map(({ format, width, height }) => [format, width, height])).toEqual([
      ['webp', 40, 60],
      ['jpeg', 20, 30],
      ['png', 40, 60],
    ])
    expect(times.map(({ step, tool, variant, fused }) => [step, tool, variant, fused])).toEqual([
      [1, 'image/resize', undefined, 2],
      [2, 'image/rotate', undefined, 2],
      [3, 'image/convert', 'big', 1],
      [3, 'image/resize', 'small', 2],
      [4, 'image/convert', 'small', 2],
      [2, 'image/rotate', 'plain', 1],
    ])
  })

  test('without common steps each starts with the file', async () => {
    const plan = await planOf(`
variants:
  - { name: a, steps: [{ image/resize: { width: 30 } }] }
  - { name: b, steps: [{ image/resize: { width: 10 } }] }
`)
    const { paths } = await runPlan(plan, folder, [picture])
    expect(await Promise.all(paths.map(async (path) => (await sharp(path).metadata()).width))).toEqual([30, 10])
  })

  test('of a PDF: writes the common part once', async () => {
    const path = join(folder, 'pages.pdf')
    writeFileSync(path, await makePdf({ pages: 2 }))
    const plan = await planOf(`
steps: [{ pdf/rotate-pdf: { angle: 90 } }]
variants:
  - { name: copy, steps: [{ pdf/watermark-pdf: { text: COPY } }] }
  - { name: text, steps: [pdf/pdf-to-text] }
  - { name: plain }
`)
    const { names } = await runPlan(plan, folder, [path])
    expect(names).toEqual(['pages.pdf', 'pages.txt', 'pages.pdf'])
  })
})

describe('steps that change the type of file', () => {
  test('video, frames, contact sheet', async () => {
    const plan = await planOf(`
- video/video-to-frames: { mode: nth, n: 10 }
- image/resize: { width: 40 }
- image/collage: { gap: 0, outputFormat: png }
`)
    const { names, paths } = await runPlan(plan, folder, [await makeVideo({ seconds: 2, extension: 'mp4' })])
    expect(names).toEqual(['collage.png'])
    expect((await sharp(paths[0]!).metadata()).format).toBe('png')
  })

  test('PDF, pictures, ZIP', async () => {
    const path = join(folder, 'three.pdf')
    writeFileSync(path, await makePdf({ pages: 3 }))
    const plan = await planOf('[{ pdf/pdf-to-image: { dpi: 36 } }, image/png-to-webp, files/create-zip]')
    const { names, paths } = await runPlan(plan, folder, [path])
    expect(names).toEqual(['archive.zip'])
    expect(await readZip(paths[0]!)).toEqual(['page-1.webp', 'page-2.webp', 'page-3.webp'])
  })

  test('a set at the end is a set', async () => {
    const path = join(folder, 'two.pdf')
    writeFileSync(path, await makePdf({ pages: 2 }))
    const plan = await planOf('[{ pdf/pdf-to-image: { dpi: 36 } }, { image/resize: { width: 20 } }]')
    expect(plan.variants[0]!.output).toEqual({ kind: 'files', type: { is: 'png' } })
    const { names, paths } = await runPlan(plan, folder, [path])
    expect(names).toEqual(['page-1.png', 'page-2.png'])
    expect((await sharp(paths[1]!).metadata()).width).toBe(20)
  })

  test('a tool without input starts', async () => {
    const plan = await planOf('[{ image/qr-generate: { text: hello } }, { image/resize: { width: 50 } }]')
    expect(plan.input.files).toBe('none')
    const { paths } = await runPlan(plan, folder, [])
    expect((await sharp(paths[0]!).metadata()).width).toBe(50)
  })

  test('a tool with many inputs starts with all inputs', async () => {
    const pages = await Promise.all(
      ['one', 'two'].map(async (name) => {
        const path = join(folder, `${name}.pdf`)
        writeFileSync(path, await makePdf({ texts: [name] }))
        return path
      }),
    )
    const plan = await planOf('[pdf/merge-pdf, { pdf/watermark-pdf: { text: ALL } }]')
    expect((await runPlan(plan, folder, pages)).names).toEqual(['merged.pdf'])
  })
})

describe('failures', () => {
  test('name the step and its tool, and leave nothing', async () => {
    const destination = join(folder, 'fails')
    mkdirSync(destination)
    const plan = await planOf(
      '[{ image/resize: { width: 20 } }, { image/crop: { left: 0, top: 0, width: 50, height: 50 } }]',
    )
    const request = { plan, inputs: [await openMediaFile(picture)], destination }
    await expect(runPipeline(request, async () => undefined)).rejects.toMatchObject({
      code: 'INVALID_SETTINGS',
      message: 'step 2 (image/crop): The rectangle reaches to 50 x 50, but the image is 20 x 13 pixels',
    })
    expect(readdirSync(destination)).toEqual([])
  })

  test('of a variant name it, and do not place the others', async () => {
    const destination = join(folder, 'variant-fails')
    mkdirSync(destination)
    const plan = await planOf(`
variants:
  - { name: good, steps: [{ image/resize: { width: 20 } }] }
  - { name: bad, steps: [{ image/crop: { left: 0, top: 0, width: 500, height: 50 } }] }
`)
    const request = { plan, inputs: [await openMediaFile(picture)], destination }
    await expect(runPipeline(request, async () => undefined)).rejects.toMatchObject({
      message: expect.stringMatching(/^step 1 of bad \(image\/crop\): /),
    })
    expect(readdirSync(destination)).toEqual([])
  })

  test('a cancel is a cancel, not an error of a step', async () => {
    const destination = join(folder, 'cancelled')
    mkdirSync(destination)
    const plan = await planOf('[{ image/resize: { width: 20 } }]')
    const stop = new AbortController()
    const request = {
      plan,
      inputs: [await openMediaFile(picture)],
      destination,
      signal: stop.signal,
      onOutput: async () => {
        stop.abort()
        return true
      },
    }
    await expect(runPipeline(request, async () => undefined)).rejects.toMatchObject({ code: 'CANCELED' })
    expect(readdirSync(destination)).toEqual([])
  })

  test('a refused name is no error of the step; omits an unwanted variant', async () => {
    const plan = await planOf(
      'variants: [{ name: a, steps: [image/strip-metadata] }, { name: b, steps: [image/strip-metadata] }]',
    )
    const destination = join(folder, 'refused')
    mkdirSync(destination)
    const request = { plan, inputs: [await openMediaFile(picture)], destination }
    const refuse = async (): Promise<boolean> => {
      throw new Error('no')
    }
    await expect(runPipeline({ ...request, onOutput: refuse }, async () => undefined)).rejects.toMatchObject({
      detail: 'no',
    })
    const onOutput = async (variant: number): Promise<boolean> => variant === 1
    const done = await runPipeline({ ...request, onOutput }, async (results) => results.map(({ index }) => index))
    expect(done).toEqual([1])
  })
})
