import { existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ENGINES } from '../../src/engines/index.ts'
import { MediaprocError } from '../../src/errors.ts'
import { runJob } from '../../src/job/run.ts'
import { openMediaFile } from '../../src/media/file.ts'
import { Isolation } from '../../src/pipeline/isolate/isolation.ts'
import { findTool } from '../../src/pipeline/read/find-tool.ts'
import { runPipeline, type VariantResult } from '../../src/pipeline/run/run.ts'
import { useScannedCatalogue } from '../../src/tool/registry.ts'
import { checkSettings } from '../../src/tool/validate.ts'
import { makeEncryptedPdf, makePdf, pageTexts } from '../helpers/pdf.ts'
import { planOf } from '../helpers/pipeline.ts'
import { endlessPdf } from '../helpers/slow-pdf.ts'
import { temporaryFolder } from '../helpers/tool.ts'

const folder = temporaryFolder()
const isolation = new Isolation()
afterAll(() => isolation.close())

const at = (name: string): string => join(folder, name)

beforeAll(async () => {
  await useScannedCatalogue()
  writeFileSync(at('three.pdf'), await makePdf({ pages: 3 }))
  writeFileSync(at('locked.pdf'), await makeEncryptedPdf('user', 'owner'))
  writeFileSync(at('slow.pdf'), endlessPdf())
  writeFileSync(at('cut.pdf'), readFileSync(at('three.pdf')).subarray(0, 900))
  const red = sharp({ create: { width: 60, height: 40, channels: 4, background: '#c0402080' } })
  writeFileSync(at('red.png'), await red.png().toBuffer())
})

interface Reported {
  names: string[]
  contents: Buffer[]
  report: unknown
  warnings: string[]
  progress: [number, string][]
}

interface RunOptions {
  threads?: Isolation
  signal?: AbortSignal
  onProgress?: () => void
}

/** Runs a tool by its name, on a thread if threads are enabled. */
async function runNamed(
  name: string,
  inputs: readonly string[],
  settings: object,
  { threads, signal, onProgress }: RunOptions = {},
): Promise<Reported> {
  const target = findTool(name)
  const { runnable } = await target.load({ isolation: threads })
  const reported: Reported = { names: [], contents: [], report: undefined, warnings: [], progress: [] }
  return runJob(
    {
      tool: runnable,
      inputs: await Promise.all(inputs.map((input) => openMediaFile(at(input)))),
      settings: checkSettings(target.entry.settings, { ...settings }),
      destination: mkdtempSync(at('out-')),
      onWarning: (message) => void reported.warnings.push(message),
      onProgress(fraction, phase) {
        reported.progress.push([fraction, phase])
        onProgress?.()
      },
      ...(signal && { signal }),
    },
    async ({ files, report }) => ({
      ...reported,
      names: files.map(({ name }) => name),
      contents: files.map(({ path }) => readFileSync(path)),
      report,
    }),
  )
}

test.each([
  ['pdf/rotate-pdf', ['three.pdf'], { angle: 90, range: '1-z' }],
  ['pdf/split-pdf', ['three.pdf'], { mode: 'every', everyN: 1 }],
  ['pdf/pdf-to-image', ['three.pdf'], { dpi: 36, pages: '1-2' }],
  ['pdf/pdf-to-image/info', ['three.pdf'], {}],
  ['image/image-to-pdf', ['red.png', 'red.png'], { pageSize: 'A5', collate: false }],
])('%s gives the same on a thread: files, names, report, warnings, progress', async (name, inputs, settings) => {
  const here = await runNamed(name, inputs, settings)
  expect(await runNamed(name, inputs, settings, { threads: isolation })).toEqual(here)
  expect(here.progress.length).toBeGreaterThan(0)
})

test.each(['locked.pdf', 'cut.pdf'])('an error of %s keeps its code, message, hint and detail', async (input) => {
  const failure = (options: RunOptions) =>
    runNamed('pdf/rotate-pdf', [input], { angle: 90 }, options).catch((error) => error)
  const here = (await failure({})) as MediaprocError
  const there = (await failure({ threads: isolation })) as MediaprocError
  expect(here).toBeInstanceOf(MediaprocError)
  expect(there).toBeInstanceOf(MediaprocError)
  const facts = ({ code, message, hint, detail, fields }: MediaprocError) => ({ code, message, hint, detail, fields })
  expect(facts(there)).toEqual(facts(here))
})

test('passes a warning on', async () => {
  const settings = { pageSize: 'A5' }
  const frames = await sharp({ create: { width: 20, height: 40, channels: 3, background: '#204060' } })
    .gif()
    .toBuffer()
  const animation = await sharp([frames, readFileSync(at('red.png'))], { join: { animated: true } })
    .gif()
    .toBuffer()
  writeFileSync(at('two.gif'), animation)
  const here = await runNamed('image/image-to-pdf', ['two.gif'], settings)
  const there = await runNamed('image/image-to-pdf', ['two.gif'], settings, { threads: isolation })
  expect(there.warnings).toEqual(here.warnings)
  expect(there.warnings).toHaveLength(1)
})

test('two slow jobs run concurrently; an abort ends both, and the next thread works', async () => {
  const controller = new AbortController()
  const begun = new Set<string>()
  const slow = (job: string): Promise<Reported> => {
    const onProgress = (): void => {
      begun.add(job)
      // Neither can end by itself: the second could not have started on the first one's thread.
      if (begun.size === 2) controller.abort(new MediaprocError('TIMEOUT', 'enough'))
    }
    const { signal } = controller
    return runNamed('pdf/pdf-to-image', ['slow.pdf'], { dpi: 36 }, { threads: isolation, signal, onProgress })
  }
  const ends = await Promise.allSettled([slow('a'), slow('b')])
  expect(ends.map((end) => (end as PromiseRejectedResult).reason)).toMatchObject([
    { code: 'TIMEOUT', message: 'enough' },
    { code: 'TIMEOUT', message: 'enough' },
  ])
  const after = await runNamed('pdf/pdf-to-image/info', ['three.pdf'], {}, { threads: isolation })
  expect(after.report).toMatchObject({ pageCount: 3 })
})

/** Runs a pipeline and returns the outputs of its variants. */
async function runText(
  text: string,
  input: string,
  threads?: Isolation,
  onOutput?: (variant: number, name: string) => Promise<boolean>,
): Promise<{ results: readonly VariantResult[]; contents: Buffer[]; tools: string[] }> {
  return runPipeline(
    {
      plan: await planOf(text),
      ...(threads && { isolation: threads }),
      inputs: [await openMediaFile(at(input))],
      destination: mkdtempSync(at('out-')),
      ...(onOutput && { onOutput }),
    },
    async (results, times) => ({
      results,
      contents: results.flatMap(({ result }) => result.files.map(({ path }) => readFileSync(path))),
      tools: times.map(({ step, tool, fused, bytes }) => `${step} ${tool} ${fused} ${(bytes ?? 0) > 0}`),
    }),
  )
}

test('a pipeline mixes steps on a thread with local steps', async () => {
  const text = `steps:
  - image/resize: { width: 30 }
  - image/image-to-pdf: { pageSize: A5 }
  - pdf/rotate-pdf: { angle: 90 }
  - pdf/watermark-pdf: { text: DRAFT }
  - pdf/pdf-to-image: { dpi: 36 }
  - image/convert: { format: webp }
`
  const { contents, tools } = await runText(text, 'red.png', isolation)
  expect(await sharp(contents[0]).metadata()).toMatchObject({ format: 'webp', width: 298, height: 210 })
  expect(tools).toContain('3 pdf/rotate-pdf 2 true')
  expect({ contents, tools }).toEqual(await runText(text, 'red.png').then(({ results: _paths, ...same }) => same))
})

test('names the failed step', async () => {
  await expect(
    runText('steps: [{ pdf/rotate-pdf: { angle: 90, range: "9" } }]', 'three.pdf', isolation),
  ).rejects.toMatchObject({
    message: expect.stringMatching(/^step 1 \(pdf\/rotate-pdf\): /),
  })
})

const VARIANTS = `variants:
  - { name: a, steps: [{ pdf/rotate-pdf: { angle: 90 } }] }
  - { name: b, steps: [{ pdf/split-pdf: { range: "2" } }] }
`

test('omits a variant with an unwanted output, and keeps the other', async () => {
  const asked: string[] = []
  const { results, contents } = await runText(VARIANTS, 'three.pdf', isolation, async (variant, name) => {
    asked.push(`${variant} ${basename(name)}`)
    return variant === 1
  })
  expect(asked).toEqual(['0 three.pdf', '1 three_pages.pdf'])
  expect(results.map(({ index }) => index)).toEqual([1])
  expect(await pageTexts(contents[0]!)).toEqual(['Page 2'])
})

test('a refused output ends the job with the same error', async () => {
  const refusal = new MediaprocError('OUTPUT_EXISTS', 'it is there')
  const work = runText(VARIANTS, 'three.pdf', isolation, async () => {
    throw refusal
  })
  await expect(work).rejects.toBe(refusal)
})

test('a stopped job leaves nothing', async () => {
  const controller = new AbortController()
  const before = readdirSync(folder).length
  const work = runNamed(
    'pdf/pdf-to-image',
    ['slow.pdf'],
    { dpi: 36 },
    {
      threads: isolation,
      signal: controller.signal,
      onProgress: () => controller.abort(),
    },
  )
  await expect(work).rejects.toMatchObject({ code: 'CANCELED' })
  const made = readdirSync(folder).filter((name) => name.startsWith('out-'))
  expect(readdirSync(folder)).toHaveLength(before + 1)
  expect(made.every((name) => existsSync(at(name)) && readdirSync(at(name)).length === 0)).toBe(true)
})

test('every engine is in the list under its own id', async () => {
  const ids = await Promise.all(Object.values(ENGINES).map(async (load) => (await load()).id))
  expect(ids).toEqual(Object.keys(ENGINES))
})
