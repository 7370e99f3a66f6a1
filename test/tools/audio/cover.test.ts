import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { captureFfmpeg, inputArguments } from '../../../src/engines/ffmpeg/ffmpeg.ts'
import type { Tool } from '../../../src/tool/contract.ts'
import audioMetadata from '../../../tools/audio/audio-metadata.ts'
import convertAudio from '../../../tools/audio/convert-audio.ts'
import mergeAudio from '../../../tools/audio/merge-audio.ts'
import splitAudio from '../../../tools/audio/split-audio.ts'
import trimAudio from '../../../tools/audio/trim-audio.ts'
import volumeAdjust from '../../../tools/audio/volume-adjust.ts'
import { infoOf, makeAudio, sharedMedia } from '../../helpers/av.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()
const HELD = ['mp3', 'm4a', 'flac', 'ogg', 'opus', 'aiff'] as const

/** A JPEG of noise, about 230 kB: larger than one argument of a program. */
const picture = (): Promise<string> =>
  sharedMedia(['noise cover'], 'noise-cover.jpg', async (path) => {
    let state = 7
    const noise = Uint8Array.from({ length: 400 * 400 * 3 }, () => {
      state = (state * 48271) % 0x7fffffff
      return state >> 8
    })
    await sharp(noise, { raw: { width: 400, height: 400, channels: 3 } })
      .jpeg({ quality: 100 })
      .toFile(path)
  })

/** An audio file of a second with that cover and a tag. */
const covered = (extension: string): Promise<string> =>
  sharedMedia(['noise covered', extension], `noise-covered.${extension}`, async (path) => {
    const source = await makeAudio({ seconds: 1, extension, sampleRate: 48000 })
    const { paths } = await run(
      audioMetadata,
      folder,
      [source],
      { composer: 'Grieg' },
      { secondary: { cover: await picture() } },
    )
    writeFileSync(path, readFileSync(paths[0]!))
  })

async function coversOf(path: string): Promise<Buffer[]> {
  const covers = (await infoOf(path)).streams.filter(({ isAttachedPicture }) => isAttachedPicture)
  const read = ({ index }: { index: number }) =>
    captureFfmpeg([...inputArguments(path), '-map', `0:${index}`, '-c', 'copy', '-f', 'image2pipe', 'pipe:1'], {
      maxOutput: 4e6,
    })
  return (await Promise.all(covers.map(read))).map((bytes) => Buffer.from(bytes))
}

async function coverAfter(tool: Tool, sources: string[], settings: Record<string, unknown>, cover?: string) {
  const { paths, warnings } = await run(tool, folder, sources, settings, cover ? { secondary: { cover } } : {})
  return { paths, warnings, covers: await coversOf(paths[0]!) }
}

test('more than one argument of a program holds', async () => {
  expect(readFileSync(await picture()).length).toBeGreaterThan(200_000)
})

describe.each(HELD)('%s', (extension) => {
  test('stores the bytes of a given picture, keeps them when it is encoded, and leaves them out on request', async () => {
    const bytes = readFileSync(await picture())
    const source = await covered(extension)
    expect(await coversOf(source)).toEqual([bytes])
    const louder = await coverAfter(volumeAdjust, [source], { gainDb: -3 })
    expect(louder.covers).toEqual([bytes])
    expect(louder.warnings).toEqual([])
    expect(JSON.stringify(await infoOf(louder.paths[0]!))).toContain('Grieg')
    const none = await coverAfter(volumeAdjust, [source], { gainDb: -3, keepCover: false })
    expect([none.covers, none.warnings]).toEqual([[], []])
  })
})

test('exiftool reads the picture as front cover', async () => {
  for (const extension of ['mp3', 'flac', 'opus', 'ogg'])
    expect(execFileSync('exiftool', ['-PictureType', await covered(extension)]).toString()).toMatch(/Front Cover/i)
  const data = execFileSync('exiftool', ['-b', '-CoverArt', await covered('m4a')], { maxBuffer: 1e7 })
  expect(data.equals(readFileSync(await picture()))).toBe(true)
})

test('another format keeps the cover, or names what is left out', async () => {
  const bytes = readFileSync(await picture())
  const pairs = [
    ['mp3', 'ogg'],
    ['opus', 'm4a'],
    ['ogg', 'flac'],
    ['aiff', 'mp3'],
  ] as const
  for (const [from, format] of pairs) {
    const { covers, warnings } = await coverAfter(convertAudio, [await covered(from)], { format })
    expect([covers, warnings], `${from} to ${format}`).toEqual([[bytes], []])
  }
  const wav = await coverAfter(convertAudio, [await covered('flac')], { format: 'wav' })
  expect(wav.covers).toEqual([])
  expect(wav.warnings.join()).toContain('the cover picture is left out: WAV holds none')
  const wma = await coverAfter(audioMetadata, [await makeAudio({ seconds: 1, extension: 'wma' })], {}, await picture())
  expect(wma.warnings.join()).toContain('the cover picture is left out: WMA holds none')
})

test('packets that are copied keep the cover', async () => {
  const bytes = readFileSync(await picture())
  for (const extension of ['mp3', 'ogg'] as const) {
    const source = await covered(extension)
    expect((await coverAfter(trimAudio, [source], { endS: 0.5 })).covers).toEqual([bytes])
    const { paths, warnings } = await run(splitAudio, folder, [source], { mode: 'parts', parts: 2 })
    for (const path of paths) expect(await coversOf(path), path).toEqual([bytes])
    expect(warnings).toEqual([])
  }
})

describe('joined files', () => {
  test('keep a cover that all of them have', async () => {
    const bytes = readFileSync(await picture())
    const same = await coverAfter(mergeAudio, [await covered('flac'), await covered('ogg')], { format: 'm4a' })
    expect(same.covers).toEqual([bytes])
    expect(same.warnings.join()).not.toContain('different cover')
  })

  test('otherwise have none, or the given one', async () => {
    const sources = [await covered('flac'), await makeAudio({ seconds: 1, extension: 'flac' })]
    const different = await coverAfter(mergeAudio, sources, { format: 'flac' })
    expect(different.covers).toEqual([])
    expect(different.warnings.join()).toContain('different cover pictures')
    expect((await coverAfter(mergeAudio, sources, { format: 'flac' }, await picture())).covers).toHaveLength(1)
  })
})

describe('the given picture', () => {
  const drawn = (width: number, height: number) =>
    sharp({ create: { width, height, channels: 3, background: '#c02020' } })

  async function given(name: string, write: (path: string) => Promise<unknown>) {
    const path = join(folder, name)
    await write(path)
    const { covers, warnings } = await coverAfter(audioMetadata, [await covered('mp3')], {}, path)
    return { warnings, cover: await sharp(covers[0]!).metadata(), count: covers.length }
  }

  test('replaces the one of the source; other formats become JPEG, or PNG with transparency', async () => {
    const webp = await given('a.webp', (path) => drawn(40, 20).webp().toFile(path))
    expect(webp).toMatchObject({ count: 1, warnings: [], cover: { format: 'jpeg', width: 40, height: 20 } })
    const clear = await given('b.webp', (path) => drawn(40, 20).ensureAlpha(0.5).webp().toFile(path))
    expect(clear.cover).toMatchObject({ format: 'png', hasAlpha: true })
  })

  test('is turned upright, and scaled down to 3000 px', async () => {
    const turned = await given('c.jpg', (path) => drawn(40, 20).withMetadata({ orientation: 6 }).jpeg().toFile(path))
    expect(turned.cover).toMatchObject({ width: 20, height: 40 })
    const large = await given('d.png', (path) => drawn(4000, 2000).png().toFile(path))
    expect(large.cover).toMatchObject({ width: 3000, height: 1500 })
    expect(large.warnings).toEqual([expect.stringContaining('d.png is 4000 x 2000')])
  })

  test('is refused if it is damaged', async () => {
    const bytes = readFileSync(await picture())
    const cut = given('e.jpg', async (path) => writeFileSync(path, Buffer.concat([bytes.subarray(0, 200)])))
    await expect(cut).rejects.toMatchObject({ code: 'INVALID_FILE' })
  })
})
