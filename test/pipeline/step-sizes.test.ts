import { statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { openMediaFile } from '../../src/media/file.ts'
import { runPipeline, type StepTime } from '../../src/pipeline/run/run.ts'
import { useScannedCatalogue } from '../../src/tool/registry.ts'
import { makeVideo } from '../helpers/av.ts'
import { makePdf } from '../helpers/pdf.ts'
import { fromSamples, photo, put } from '../helpers/picture.ts'
import { planOf, runPlan } from '../helpers/pipeline.ts'
import { temporaryFolder } from '../helpers/tool.ts'

const folder = temporaryFolder()

beforeAll(async () => {
  await useScannedCatalogue()
})

const sizes = (times: readonly StepTime[]) => times.map(({ step, bytes }) => [step, bytes])
const size = (path: string): number => statSync(path).size

test('fused pictures: the size of their one encode', async () => {
  const picture = await put(folder, 'photo.png', fromSamples(photo(120, 80)).png())
  const plan = await planOf('steps: [{ image/resize: { width: 60 } }, { image/convert: { format: webp } }]')
  const { paths, times } = await runPlan(plan, folder, [picture])
  expect(sizes(times)).toEqual([
    [1, size(paths[0]!)],
    [2, size(paths[0]!)],
  ])
})

test('common steps with an open picture wrote nothing; each variant has its own size', async () => {
  const picture = await put(folder, 'shared.png', fromSamples(photo(120, 80)).png())
  const plan = await planOf(`
steps: [{ image/resize: { width: 60 } }]
variants:
  - { name: web, steps: [{ image/convert: { format: webp } }] }
  - { name: print, steps: [{ image/convert: { format: tiff } }] }
`)
  const { paths, times } = await runPlan(plan, folder, [picture])
  expect(sizes(times)).toEqual([
    [1, undefined],
    [2, size(paths[0]!)],
    [2, size(paths[1]!)],
  ])
})

test('fused PDF edits share a size; a set has the sum of its files', async () => {
  const path = join(folder, 'pages.pdf')
  writeFileSync(path, await makePdf({ pages: 2 }))
  const plan = await planOf(`
steps:
  - pdf/rotate-pdf: { angle: 90 }
  - pdf/watermark-pdf: { text: COPY }
  - pdf/split-pdf: { mode: every, everyN: 1 }
`)
  const { paths, times } = await runPlan(plan, folder, [path])
  const [first, second, third] = times
  expect(first!.bytes).toBeGreaterThan(0)
  expect(second!.bytes).toBe(first!.bytes)
  expect(third!.bytes).toBe(paths.reduce((sum, one) => sum + size(one), 0))
})

test("fused video: the size of the one command's output", async () => {
  const video = await makeVideo({ seconds: 1, audio: true })
  const plan = await planOf('steps: [{ video/resize-video: { width: 64 } }, video/mute-video]')
  const { paths, times } = await runPlan(plan, folder, [video])
  expect(times.map(({ fused }) => fused)).toEqual([2, 2])
  expect(sizes(times)).toEqual([
    [1, size(paths[0]!)],
    [2, size(paths[0]!)],
  ])
})

test('after a failure the times identify the step', async () => {
  const picture = await put(folder, 'fails.png', fromSamples(photo(40, 30)).png())
  const plan = await planOf(`
steps:
  - image/resize: { width: 20 }
  - image/crop: { left: 500, top: 500, width: 10, height: 10 }
  - image/convert: { format: webp }
`)
  const times: StepTime[] = []
  const request = { plan, inputs: [await openMediaFile(picture)], destination: join(folder, 'failed'), times }
  await expect(runPipeline(request, async () => undefined)).rejects.toThrow(/^step 2 /)
  expect(times.map(({ step, failed }) => [step, failed])).toEqual([
    [1, undefined],
    [2, true],
  ])
})
