/** Content instead of files, in and out. */
import { createReadStream, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { pathToFileURL } from 'node:url'
import sharp from 'sharp'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { run, runPipeline, type Source } from '../../src/index.ts'
import { useScannedCatalogue } from '../../src/tool/registry.ts'
import { pageTexts } from '../helpers/pdf.ts'
import { namesIn, temporaryFolder } from '../helpers/program.ts'

let folder: ReturnType<typeof temporaryFolder>
let picture: Buffer
const at = (...parts: string[]): string => join(folder.path, ...parts)
const sizeOf = async (data: Buffer): Promise<unknown[]> => {
  const { width, height, format } = await sharp(data).metadata()
  return [width, height, format]
}
/** Folders for temporary files of this process. */
const left = (): string[] => readdirSync(tmpdir()).filter((name) => name.includes(`-${process.pid}-`))

beforeAll(async () => {
  await useScannedCatalogue()
  picture = await sharp({ create: { width: 40, height: 20, channels: 3, background: '#c04020' } })
    .jpeg()
    .toBuffer()
})
beforeEach(() => {
  folder = temporaryFolder()
  writeFileSync(at('a.jpg'), picture)
})
afterEach(() => folder.remove())

describe('an input', () => {
  const webStream = () => new Blob([Uint8Array.from(picture)]).stream()
  test.each<[string, () => Source, string]>([
    ['a buffer', () => picture, 'input_resize.jpg'],
    ['an ArrayBuffer', () => Uint8Array.from(picture).buffer, 'input_resize.jpg'],
    ['a Blob', () => new Blob([Uint8Array.from(picture)]), 'input_resize.jpg'],
    ['a File', () => new File([Uint8Array.from(picture)], 'my cat.jpg'), 'my cat_resize.jpg'],
    ['a stream of Node', () => createReadStream(at('a.jpg'), { highWaterMark: 16 }), 'input_resize.jpg'],
    ['a stream of the web', webStream, 'input_resize.jpg'],
    ['content with a name', () => ({ name: 'logo.jpeg', data: picture }), 'logo_resize.jpeg'],
    ['a name that leads elsewhere', () => ({ name: '../../etc/x\0y.jpg', data: picture }), 'x_y_resize.jpg'],
    ['a name that is none', () => ({ name: '..', data: picture }), 'input_resize.jpg'],
    ['a long name', () => ({ name: `${'n'.repeat(500)}.jpg`, data: picture }), `${'n'.repeat(96)}_resize.jpg`],
  ])('is %s', async (_what, source, name) => {
    const { outputs } = await run('image/resize', source(), { width: 10 }, { as: 'buffer' })
    expect(outputs).toEqual([{ name, type: 'image/jpeg', bytes: outputs[0]?.data.length, data: expect.any(Buffer) }])
    expect(await sizeOf(outputs[0]!.data)).toEqual([10, 5, 'jpeg'])
    expect([namesIn(folder.path), left()]).toEqual([['a.jpg'], []])
  })

  test('is an address of a file', async () => {
    const { outputs } = await run('image/resize', pathToFileURL(at('a.jpg')), { width: 10 })
    expect(outputs.map(({ path }) => path)).toEqual([at('a_resize.jpg')])
  })

  test('is several, with equal names', async () => {
    const other = await sharp(picture).rotate(90).toBuffer()
    const inputs = [picture, { name: 'input.jpg', data: other }]
    const { outputs } = await run('image/image-to-pdf', inputs)
    expect(await pageTexts(outputs[0]!.data)).toHaveLength(2)
  })

  test('is a named additional one', async () => {
    const mark = await sharp({ create: { width: 8, height: 8, channels: 3, background: 'blue' } })
      .png()
      .toBuffer()
    const settings = { opacity: 100, position: 'center', scale: 50 } as const
    const { outputs } = await run('image/watermark-image', picture, settings, { secondary: { watermark: mark } })
    const { data } = await sharp(outputs[0]?.data)
      .extract({ left: 20, top: 10, width: 1, height: 1 })
      .raw()
      .toBuffer({ resolveWithObject: true })
    expect(data[2]! > 200 && data[0]! < 60).toBe(true)
  })

  test.each<[string, unknown, string]>([
    ['a number', 5, 'USAGE'],
    ['nothing', undefined, 'USAGE'],
    ['a name without content', { name: 'a.jpg' }, 'USAGE'],
    ['empty content', Buffer.alloc(0), 'EMPTY_FILE'],
    ['content of another kind', Buffer.from('no picture'), 'UNSUPPORTED_FILE_TYPE'],
  ])('that is %s is refused, and leaves nothing', async (_what, source, code) => {
    const refused = run('image/resize', source as Source, { width: 10 })
    await expect(refused).rejects.toMatchObject({ code })
    expect([namesIn(folder.path), left()]).toEqual([['a.jpg'], []])
  })

  test('that breaks off is an error, and leaves nothing', async () => {
    const broken = Readable.from(
      (function* () {
        yield picture.subarray(0, 100)
        throw new Error('the connection broke off')
      })(),
    )
    await expect(run('image/resize', broken, { width: 10 })).rejects.toMatchObject({ name: 'MediaprocError' })
    expect(left()).toEqual([])
  })

  test('that never ends is stopped by the signal', async () => {
    const stop = new AbortController()
    const endless = new Readable({ read() {} })
    const running = run('image/resize', endless, { width: 10 }, { signal: stop.signal })
    setTimeout(() => stop.abort(), 20)
    await expect(running).rejects.toMatchObject({ code: 'CANCELED' })
    expect([endless.destroyed, left()]).toEqual([true, []])
  })
})

describe('an output', () => {
  test('is a Blob with its type', async () => {
    const { outputs } = await run('image/convert', picture, { format: 'png' }, { as: 'blob' })
    const [{ data, name }] = outputs as [(typeof outputs)[0]]
    expect([data.type, name]).toEqual(['image/png', 'input.png'])
    expect(await sizeOf(Buffer.from(await data.arrayBuffer()))).toEqual([40, 20, 'png'])
  })

  test('is a stream, whose file exists until it is read', async () => {
    const { outputs } = await run('image/resize', at('a.jpg'), { width: 10 }, { as: 'stream' })
    expect(left()).not.toEqual([])
    expect(await sizeOf(await buffer(outputs[0]!.data))).toEqual([10, 5, 'jpeg'])
    await expect.poll(left).toEqual([])
    const other = await run('image/resize', at('a.jpg'), { width: 10 }, { as: 'stream' })
    other.outputs[0]!.data.destroy()
    await expect.poll(left).toEqual([])
    expect(namesIn(folder.path)).toEqual(['a.jpg'])
  })

  test('of content is a file where one is wanted', async () => {
    mkdirSync(at('out'))
    const { outputs } = await run('image/resize', picture, { width: 10 }, { as: 'file', outputDir: at('out') })
    expect(outputs.map(({ path }) => path)).toEqual([at('out', 'input_resize.jpg')])
    const named = await run('image/resize', at('a.jpg'), { width: 10 }, { output: at('small.jpg') })
    expect(existsSync(named.outputs[0]!.path)).toBe(true)
    const both = run('image/resize', picture, { width: 10 }, { outputDir: at('out') })
    await expect(both).rejects.toMatchObject({ code: 'USAGE' })
  })

  test('is several', async () => {
    const { outputs } = await run('image/favicon', picture)
    expect(outputs.length).toBeGreaterThan(3)
    expect(outputs.every(({ data, bytes }) => data.length === bytes)).toBe(true)
    expect(new Set(outputs.map(({ name }) => name)).size).toBe(outputs.length)
  })
})

describe('runPipeline', () => {
  const steps = [{ 'image/resize': { width: 20 } }]

  test('takes data and content', async () => {
    const variants = [{ name: 'web', steps: [{ 'image/convert': { format: 'webp' } }] }, { name: 'same' }]
    const { outputs, steps: times } = await runPipeline({ steps, variants }, picture)
    expect(outputs.map(({ variant, name }) => [variant, name])).toEqual([
      ['web', 'input_web.webp'],
      ['same', 'input_same.jpg'],
    ])
    expect(await sizeOf(outputs[0]!.data)).toEqual([20, 10, 'webp'])
    expect(times.map(({ tool }) => tool)).toContain('image/convert')
    expect(left()).toEqual([])
  })

  test('takes a file and a path, with variables', async () => {
    writeFileSync(at('p.yaml'), `steps: [{ image/resize: { width: "$\{WIDTH}" } }]`)
    const { outputs } = await runPipeline(at('p.yaml'), at('a.jpg'), { variables: { WIDTH: '15' } })
    expect(await sizeOf(readFileSync(outputs[0]!.path))).toEqual([15, 8, 'jpeg'])
  })

  test('reports all mistakes with their lines as data', async () => {
    const wrong = { steps: [{ 'image/resise': {} }, { 'image/resize': { widht: 5 } }] }
    const error = await runPipeline(wrong, picture).catch((reason: unknown) => reason)
    expect(error).toMatchObject({
      code: 'INVALID_PIPELINE',
      message: expect.stringMatching(/resise[\s\S]*widht/),
      fields: { diagnostics: [{ line: expect.any(Number) }, { line: expect.any(Number) }] },
    })
  })

  test('takes one input at a time', async () => {
    await expect(runPipeline({ steps }, [at('a.jpg'), picture])).rejects.toMatchObject({ code: 'TOO_MANY_FILES' })
  })
})

test('warnings are data, and are reported as they occur', async () => {
  const clear = await sharp({ create: { width: 8, height: 8, channels: 4, background: '#ff000080' } })
    .png()
    .toBuffer()
  const seen: unknown[] = []
  const { warnings } = await run('image/convert', clear, { format: 'gif' }, { onWarning: (one) => seen.push(one) })
  expect(warnings).toEqual([{ message: expect.stringContaining('half-transparent'), isAdvice: false }])
  expect(seen).toEqual(warnings)
})

test("the limits of the caller's own sharp are as before", async () => {
  sharp.cache({ memory: 77, files: 7, items: 70 })
  try {
    const running = Promise.all([1, 2, 3].map((width) => run('image/resize', picture, { width })))
    await running
    const { memory, files, items } = sharp.cache()
    expect([memory.max, files.max, items.max]).toEqual([77, 7, 70])
    // A file that was replaced is read again.
    await run('image/resize', at('a.jpg'), { width: 10 })
    writeFileSync(at('a.jpg'), await sharp(picture).resize(30, 30).jpeg().toBuffer())
    const { outputs } = await run('image/resize', at('a.jpg'), { width: 10 }, { force: true })
    expect(await sizeOf(readFileSync(outputs[0]!.path))).toEqual([10, 10, 'jpeg'])
  } finally {
    sharp.cache(false)
  }
})
