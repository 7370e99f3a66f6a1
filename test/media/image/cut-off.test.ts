/** Files without their end: decodes the available part with a warning. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import sharp, { type Sharp } from 'sharp'
import { describe, expect, test } from 'vitest'
import convert from '../../../tools/image/convert/convert.ts'
import resize from '../../../tools/image/geometry/resize.ts'
import info from '../../../tools/image/metadata/info.ts'
import strip from '../../../tools/image/metadata/strip-metadata.ts'
import { at, fromSamples, photo, plain, put, readPixels, readRgba } from '../../helpers/picture.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()

const SENTENCE = /ends too early; perhaps a copy or download was cut off/

const whole = fromSamples(photo(160, 120))

async function cut(name: string, image: Sharp | Buffer, share: number): Promise<string> {
  const bytes = Buffer.isBuffer(image) ? image : await image.toBuffer()
  return put(folder, name, bytes.subarray(0, Math.floor(bytes.length * share)))
}

const moving = async (): Promise<Sharp> => {
  const frames = await Promise.all(
    ['#ff0000', '#00ff00', '#0000ff'].map((colour) => plain(40, 30, colour).png().toBuffer()),
  )
  return sharp(frames, { join: { animated: true } })
}

describe('the available part', () => {
  test.each([
    ['baseline.jpg', () => whole.clone().jpeg({ quality: 95 })],
    ['rows.png', () => whole.clone().png()],
  ])('%s: the available rows are correct, and the report says so', async (name, make) => {
    const source = await cut(name, make(), 0.6)
    const { paths, report, warnings } = await run(convert, folder, [source], { format: 'png' })
    expect(warnings).toEqual([expect.stringMatching(SENTENCE)])
    expect(report).toEqual({ truncated: true })
    const [made, good] = [await readRgba(paths[0]!), await readRgba(await make().toBuffer())]
    for (const y of [2, 30, 50]) expect(at(made, 80, y), `row ${y}`).toEqual(at(good, 80, y))
    expect(at(made, 80, 118)).not.toEqual(at(good, 80, 118))
  })

  test('a progressive JPEG is complete, and coarse', async () => {
    const source = await cut('progressive.jpg', whole.clone().jpeg({ progressive: true }), 0.4)
    const { paths, report } = await run(resize, folder, [source], { width: 20 })
    expect(report).toEqual({ truncated: true })
    const [made, good] = [
      await readPixels(paths[0]!),
      await readPixels(await whole.clone().resize(20).png().toBuffer()),
    ]
    expect(made).toMatchObject({ width: 20, height: 15 })
    const apart =
      made.data.reduce((sum, value, index) => sum + Math.abs(value - good.data[index]!), 0) / made.data.length
    expect(apart).toBeLessThan(20)
  })

  test.each(['gif', 'webp'] as const)('available frames of a %s', async (format) => {
    const bytes = await (await moving())[format]({ delay: [100, 200, 300] }).toBuffer()
    const source = await put(folder, `cut.${format}`, bytes.subarray(0, bytes.length - 20))
    const { paths, warnings, report } = await run(resize, folder, [source], { width: 20 })
    expect([warnings, report]).toEqual([[expect.stringMatching(SENTENCE)], { truncated: true }])
    const { pages, delay } = await sharp(paths[0]!).metadata()
    expect(pages).toBeGreaterThanOrEqual(2)
    expect(delay!.slice(0, 2)).toEqual([100, 200])
    expect(at(await readRgba(paths[0]!, 1), 10, 10)).toEqual(format === 'gif' ? [0, 255, 0] : [0, 255, 1])
  })

  test('reports mention it, too', async () => {
    const source = await cut('told.jpg', whole.clone().jpeg(), 0.6)
    const { report, warnings } = await run(info, folder, [source])
    expect(report).toMatchObject({ truncated: true, width: 160, height: 120 })
    expect(warnings).toHaveLength(1)
  })

  test('outputs are complete: the input is never returned unchanged', async () => {
    const source = await cut('small.jpg', whole.clone().jpeg({ quality: 40 }), 0.9)
    const { paths, warnings } = await run(resize, folder, [source], { width: 160 })
    await sharp(readFileSync(paths[0]!), { failOn: 'truncated' }).raw().toBuffer()
    expect(warnings).toHaveLength(1)
  })
})

test.each([
  ['still.webp', () => whole.clone().webp()],
  ['interlaced.png', () => whole.clone().png({ progressive: true })],
])('%s: a partial file cannot be decoded, and the error says why', async (name, make) => {
  const source = await cut(name, make(), 0.6)
  await expect(run(resize, folder, [source], { width: 20 })).rejects.toMatchObject({
    code: 'INVALID_FILE',
    message: expect.stringMatching(/its data ends too early; .*the existing part .* cannot be decoded/),
  })
})

test('extra bytes after the end are not missing ones', async () => {
  for (const format of ['jpeg', 'png', 'gif'] as const) {
    const path = join(folder, `more.${format}`)
    writeFileSync(path, Buffer.concat([await whole.clone().toFormat(format).toBuffer(), Buffer.from('more behind')]))
    const { warnings, report } = await run(resize, folder, [path], { width: 20 })
    expect([warnings, report], format).toEqual([[], {}])
  }
})

test('metadata is removed from the available part, and the output is complete', async () => {
  const source = await cut('tagged.jpg', whole.clone().jpeg(), 0.8)
  await expect(run(strip, folder, [source], {}, { strict: true })).rejects.toMatchObject({ code: 'REFUSED_BY_STRICT' })
  const { paths, warnings } = await run(strip, folder, [source])
  expect(warnings).toEqual([expect.stringMatching(SENTENCE)])
  await sharp(paths[0]!, { failOn: 'truncated' }).raw().toBuffer()
})

test('refuses other damage as before', async () => {
  const jpeg = await whole.clone().jpeg().toBuffer()
  const source = await put(folder, 'header.jpg', Buffer.concat([jpeg.subarray(0, 200), jpeg.subarray(-2)]))
  await expect(run(resize, folder, [source], { width: 20 })).rejects.toMatchObject({ code: 'INVALID_FILE' })
})
