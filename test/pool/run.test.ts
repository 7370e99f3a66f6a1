import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { PDFDocument } from 'pdf-lib'
import sharp from 'sharp'
import { beforeAll, describe, expect, test } from 'vitest'
import { ffmpegPath } from '../../src/engines/ffmpeg/ffmpeg.ts'
import type { PipelineTask } from '../../src/pool/messages.ts'
import { makeVideo } from '../helpers/av.ts'
import { makePdf } from '../helpers/pdf.ts'
import { fromSamples, photo, put } from '../helpers/picture.ts'
import { leftBy, namedFile, testPool, toolTask } from '../helpers/pool.ts'
import { buildProgram } from '../helpers/program.ts'
import { temporaryFolder } from '../helpers/tool.ts'

const folder = temporaryFolder()
let picture: string
let tasks = 0

beforeAll(async () => {
  buildProgram()
  picture = await put(folder, 'photo.png', fromSamples(photo(40, 30)).png())
})

function pipelineTask(steps: PipelineTask['steps'], inputs = [picture]): PipelineTask {
  tasks += 1
  const id = `pipeline-${tasks}`
  const destination = join(folder, id)
  return { id, kind: 'pipeline', steps, inputs: inputs.map(namedFile), destination, timeoutS: 60, heavy: false }
}

describe('a tool', () => {
  test('writes its output, and nothing else, to the destination', async () => {
    const task = toolTask(folder, 'image/resize', [picture], { width: 16 })
    const { outputs, inputBytes, steps } = await testPool().run(task)
    expect(leftBy(task.destination)).toEqual(['photo_resize.png'])
    const path = join(task.destination, 'photo_resize.png')
    const bytes = readFileSync(path).length
    expect(outputs).toEqual([{ name: 'photo_resize.png', mime: 'image/png', bytes }])
    expect(inputBytes).toBe(readFileSync(picture).length)
    expect(steps).toBeUndefined()
    const { width, height, format } = await sharp(path).metadata()
    expect([width, height, format]).toEqual([16, 12, 'png'])
  })

  test('reports its start and progress', async () => {
    const received: string[] = []
    const fractions: number[] = []
    await testPool().run(toolTask(folder, 'image/resize', [picture], { width: 16 }), {
      onStart: () => received.push('start'),
      onProgress: (fraction, phase) => {
        received.push(phase)
        fractions.push(fraction)
      },
    })
    expect(received).toEqual(['start', 'reading', 'encoding'])
    expect(fractions).toEqual([0, 0.5])
  })

  test('divides the cores between two concurrent programs', async () => {
    const video = await makeVideo({ seconds: 1 })
    const [script, list] = [join(folder, 'listed.sh'), join(folder, 'listed.txt')]
    writeFileSync(script, `#!/bin/sh\necho "$@" >> "${list}"\nexec "${await ffmpegPath()}" "$@"\n`, { mode: 0o755 })
    const saved = process.env.MEDIAPROC_FFMPEG
    process.env.MEDIAPROC_FFMPEG = script
    try {
      const pool = testPool({ size: 2 })
      await Promise.all([1, 2].map(() => pool.run(toolTask(folder, 'video/mute-video', [video]))))
    } finally {
      if (saved === undefined) delete process.env.MEDIAPROC_FFMPEG
      else process.env.MEDIAPROC_FFMPEG = saved
    }
    const threads = readFileSync(list, 'utf8').match(/ -threads \d+ file:/g)
    // The first was alone.
    expect(threads).toEqual([` -threads ${Math.ceil(availableParallelism() / 2)} file:`])
  })

  test('keeps other files in the destination', async () => {
    const task = toolTask(folder, 'image/resize', [picture], { width: 16 })
    mkdirSync(task.destination)
    writeFileSync(join(task.destination, 'mine.txt'), 'mine')
    await testPool().run(task)
    expect(leftBy(task.destination).sort()).toEqual(['mine.txt', 'photo_resize.png'])
  })

  test('returns a report without files', async () => {
    const task = toolTask(folder, 'image/info', [picture])
    const { outputs, report } = await testPool().run(task)
    expect(outputs).toEqual([])
    expect(report).toMatchObject({ width: 40, height: 30, format: 'png' })
    expect([existsSync(task.destination), leftBy(task.destination)]).toEqual([false, []])
  })

  test('names several files as one set', async () => {
    const path = join(folder, 'pages.pdf')
    writeFileSync(path, await makePdf({ texts: ['one', 'two', 'three'] }))
    const task = toolTask(folder, 'pdf/split-pdf', [path], { mode: 'every', everyN: 1 })
    const { outputs, set } = await testPool().run(task)
    expect(set).toBe('pages_parts')
    expect(outputs.map(({ name }) => name)).toEqual(['part-1.pdf', 'part-2.pdf', 'part-3.pdf'])
    expect(leftBy(task.destination).sort()).toEqual(outputs.map(({ name }) => name))
    for (const { name, bytes } of outputs) {
      const data = readFileSync(join(task.destination, name))
      expect(data.length).toBe(bytes)
      expect((await PDFDocument.load(data)).getPageCount()).toBe(1)
    }
  })

  test('passes secondary files by name', async () => {
    const logo = await put(
      folder,
      'logo.png',
      sharp({ create: { width: 40, height: 30, channels: 3, background: '#00ff00' } }).png(),
    )
    const task = toolTask(
      folder,
      'image/watermark-image',
      [picture],
      { position: 'center', scale: 100, opacity: 100 },
      { secondary: { watermark: namedFile(logo) } },
    )
    const { outputs } = await testPool().run(task)
    const { data } = await sharp(join(task.destination, outputs[0]!.name)).raw().toBuffer({ resolveWithObject: true })
    const centre = (15 * 40 + 20) * 3
    expect([...data.subarray(centre, centre + 3)]).toEqual([0, 255, 0])
  })

  test('an action is a target, too', async () => {
    const { report } = await testPool().run(toolTask(folder, 'image/strip-metadata/inspect', [picture]))
    expect(report).toHaveProperty('filename', 'photo.png')
  })

  test("uses the user's name of the file, and reveals no path", async () => {
    const hidden = join(folder, 'upload-7f3a')
    writeFileSync(hidden, 'not a picture')
    const task = toolTask(folder, 'image/resize', [], { width: 16 }, { inputs: [{ path: hidden, name: 'cat.png' }] })
    const error = await testPool()
      .run(task)
      .catch((failure) => failure)
    expect(error).toMatchObject({ code: 'UNSUPPORTED_FILE_TYPE', message: expect.stringContaining('cat.png') })
    expect(error.message + error.hint).not.toContain(folder)
    expect([existsSync(task.destination), leftBy(task.destination)]).toEqual([false, []])
  })

  test('names no folder of a destination that cannot be created', async () => {
    const task = toolTask(folder, 'image/resize', [picture], { width: 16 }, { destination: join(picture, 'out') })
    const error = await testPool()
      .run(task)
      .catch((failure) => failure)
    expect(error.message).not.toContain(folder)
    expect(error.code).toBe('OUTPUT_EXISTS')
  })

  test('never replaces its input', async () => {
    const own = mkdtempSync(join(folder, 'own-'))
    const path = join(own, 'part-1.pdf')
    writeFileSync(path, await makePdf({ pages: 2 }))
    const before = readFileSync(path)
    const settings = { mode: 'every', everyN: 1 }
    const task = toolTask(folder, 'pdf/split-pdf', [path], settings, { destination: own })
    await expect(testPool().run(task)).rejects.toMatchObject({
      code: 'OUTPUT_IS_INPUT',
      message: 'The output part-1.pdf would replace the input',
    })
    expect(readFileSync(path)).toEqual(before)
    expect(readdirSync(own)).toEqual(['part-1.pdf'])
  })
})

describe('a pipeline', () => {
  test('reports the sizes of its steps: fused ones share the size of their output', async () => {
    const path = join(folder, 'two.pdf')
    writeFileSync(path, await makePdf({ pages: 1 }))
    const task = pipelineTask(
      [
        { toolId: 'pdf/pdf-to-image', settings: { format: 'png' } },
        { toolId: 'image/resize', settings: { width: 20 } },
        { toolId: 'image/convert', settings: { format: 'webp' } },
      ],
      [path],
    )
    const { outputs, steps } = await testPool().run(task)
    expect(leftBy(task.destination)).toEqual([outputs[0]!.name])
    const final = join(task.destination, outputs[0]!.name)
    expect((await sharp(final).metadata()).width).toBe(20)
    const size = readFileSync(final).length
    expect(steps).toEqual([
      { step: 1, toolId: 'pdf/pdf-to-image', size: expect.any(Number) },
      { step: 2, toolId: 'image/resize', size, fused: 2 },
      { step: 3, toolId: 'image/convert', size, fused: 2 },
    ])
    expect(steps![0]!.size).toBeGreaterThan(size)
  })

  test('reports the failed and the completed steps', async () => {
    const path = join(folder, 'three.pdf')
    writeFileSync(path, await makePdf({ pages: 1 }))
    const task = pipelineTask(
      [
        { toolId: 'pdf/pdf-to-image', settings: { format: 'png' } },
        { toolId: 'image/crop', settings: { left: 5000, top: 5000, width: 10, height: 10 } },
        { toolId: 'image/convert', settings: { format: 'webp' } },
      ],
      [path],
    )
    const error = await testPool()
      .run(task)
      .catch((failure) => failure)
    expect(error.message).toMatch(/^step 2 \(image\/crop\): /)
    expect(error.fields).toEqual({
      step: 2,
      completedSteps: [{ step: 1, toolId: 'pdf/pdf-to-image', size: expect.any(Number) }],
    })
    expect(error.fields.completedSteps[0].size).toBeGreaterThan(0)
    expect(leftBy(task.destination)).toEqual([])
  })

  test('may not name files, and reports an error', async () => {
    const task = pipelineTask([{ toolId: 'image/watermark-image', settings: { watermark: '/etc/passwd' } }])
    await expect(testPool().run(task)).rejects.toMatchObject({
      code: 'INVALID_PIPELINE',
      message: 'This pipeline cannot name files of its own',
    })
  })
})

test.skipIf(process.platform !== 'linux')('two hundred jobs on two processes leave no open descriptor', async () => {
  const pool = testPool({ size: 2, queueLimit: 200, recycleAfter: 1000 })
  const job = () => pool.run(toolTask(folder, 'image/resize', [picture], { width: 16 }))
  const descriptors = (): number[] =>
    [process.pid, ...pool.stats().processes.map(({ processId }) => processId!)].map(
      (processId) => readdirSync(`/proc/${processId}/fd`).length,
    )
  await Promise.all(Array.from({ length: 20 }, job))
  const before = descriptors()
  expect(before).toHaveLength(3)
  await Promise.all(Array.from({ length: 200 }, job))
  // A library may open one more for a thread of its own, but not one per job.
  for (const [index, count] of descriptors().entries()) expect(count).toBeLessThan(before[index]! + 10)
  expect(pool.stats()).toMatchObject({ finished: 220, failed: 0, crashed: 0 })
})
