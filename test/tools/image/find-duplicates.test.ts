import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import findDuplicates from '../../../tools/image/metadata/find-duplicates.ts'
import { fromSamples, photo, plain, png16, put, quarters } from '../../helpers/picture.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()

interface Found {
  totalImages: number
  uniqueImages: number
  spaceSaveable: number
  skippedFiles: { filename: string; reason: string }[]
  duplicateGroups: {
    groupId: number
    files: {
      filename: string
      similarity: number
      width: number
      height: number
      fileSize: number
      format: string
      isBest: boolean
      thumbnail: string
    }[]
  }[]
}

async function found(inputs: readonly string[], settings: Record<string, unknown> = {}): Promise<Found> {
  return (await run(findDuplicates, folder, inputs, settings)).report as unknown as Found
}

const scene = () => fromSamples(photo(600, 400))

/** Two pictures in several files, and a different one. */
async function album(): Promise<string[]> {
  return [
    await put(folder, 'small.jpg', scene().resize(300, 200).jpeg({ quality: 60 })),
    await put(folder, 'other.png', await quarters(300, 200)),
    await put(folder, 'large.png', scene().png()),
    await put(folder, 'grey.webp', scene().greyscale().webp({ quality: 80 })),
    await put(folder, 'turned.jpg', scene().rotate(90).jpeg().withMetadata({ orientation: 8 })),
  ]
}

describe('groups', () => {
  test('groups sizes, formats, colours and orientations of one picture', async () => {
    const { totalImages, uniqueImages, duplicateGroups, skippedFiles } = await found(await album())
    expect([totalImages, uniqueImages, duplicateGroups.length]).toEqual([5, 1, 1])
    const [{ groupId, files }] = duplicateGroups as [Found['duplicateGroups'][number]]
    expect([groupId, files.map(({ filename }) => filename)]).toEqual([
      1,
      ['small.jpg', 'large.png', 'grey.webp', 'turned.jpg'],
    ])
    expect(files[0]!.similarity).toBe(100)
    for (const { similarity } of files) expect(similarity).toBeGreaterThanOrEqual((1 - 8 / 128) * 100)
    expect(skippedFiles).toEqual([])
  })

  test('the best has the most pixels, then the most bytes; the others count as savings', async () => {
    const { duplicateGroups, spaceSaveable } = await found(await album())
    const { files } = duplicateGroups[0]!
    expect(files.filter(({ isBest }) => isBest).map(({ filename }) => filename)).toEqual(['large.png'])
    const rest = files.filter(({ isBest }) => !isBest).reduce((sum, { fileSize }) => sum + fileSize, 0)
    expect(spaceSaveable).toBe(rest)
  })

  test('thumbnails are JPEG of at most 200 pixels', async () => {
    const { duplicateGroups } = await found(await album())
    for (const { thumbnail, width } of duplicateGroups[0]!.files) {
      const [head, data] = thumbnail.split(',') as [string, string]
      const about = await sharp(Buffer.from(data, 'base64')).metadata()
      expect([head, about.format]).toEqual(['data:image/jpeg;base64', 'jpeg'])
      expect(about.width).toBe(Math.min(200, width))
    }
  })

  test('several groups, the most similar first', async () => {
    const [a, b] = [
      await put(folder, 'q1.png', await quarters(64, 64)),
      await put(folder, 'q2.png', await quarters(64, 64)),
    ]
    const { duplicateGroups } = await found([...(await album()), a, b])
    expect(duplicateGroups.map(({ files }) => files.length).sort()).toEqual([3, 4])
    const best = duplicateGroups.map(({ files }) => Math.max(...files.slice(1).map(({ similarity }) => similarity)))
    expect(best).toEqual([...best].sort((x, y) => y - x))
  })
})

test('the threshold is the number of bits that may differ', async () => {
  const base = scene()
  const inputs = [
    await put(folder, 'plain.png', base.clone().png()),
    await put(
      folder,
      'marked.png',
      base.composite([{ input: await plain(150, 150, '#ffffff').png().toBuffer(), left: 0, top: 0 }]).png(),
    ),
  ]
  expect((await found(inputs, { threshold: 0 })).duplicateGroups).toEqual([])
  const { duplicateGroups } = await found(inputs, { threshold: 20 })
  const similarity = duplicateGroups[0]!.files[1]!.similarity
  const bits = Math.round((1 - similarity / 100) * 128)
  expect(bits).toBeGreaterThan(0)
  expect((await found(inputs, { threshold: bits })).duplicateGroups).toHaveLength(1)
  expect((await found(inputs, { threshold: bits - 1 })).duplicateGroups).toEqual([])
})

describe('copies', () => {
  /** A dark scene of soft areas with low contrast, as of a concert, with noise: different for each seed. */
  const dim = async (seed: number) => {
    let state = seed * 7919
    const next = () => {
      state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff
      return (state >> 16) & 255
    }
    const areas = fromSamples({
      width: 7,
      height: 6,
      channels: 1,
      data: Uint8Array.from({ length: 42 }, () => 8 + next() / 16),
    })
    const noise = Uint8Array.from({ length: 603 * 401 }, () => next() / 64)
    const grown = await areas.resize(603, 401, { fit: 'fill', kernel: 'cubic' }).removeAlpha().png().toBuffer()
    const layer = {
      input: Buffer.from(noise),
      raw: { width: 603, height: 401, channels: 1 as const },
      blend: 'add' as const,
    }
    return sharp(await sharp(grown).composite([layer]).removeAlpha().png().toBuffer())
  }

  test('finds copies of half the size and lower quality, 20 of 20, and nothing else', async () => {
    const inputs: string[] = []
    for (let seed = 1; seed <= 20; seed++) {
      inputs.push(await put(folder, `full-${seed}.jpg`, (await dim(seed)).jpeg({ quality: 92 })))
      inputs.push(await put(folder, `half-${seed}.jpg`, (await dim(seed)).resize(301).jpeg({ quality: 70 })))
    }
    const { duplicateGroups } = await found(inputs)
    const names = duplicateGroups.map(({ files }) => files.map(({ filename }) => filename).join())
    expect(names.sort()).toEqual(Array.from({ length: 20 }, (_, at) => `full-${at + 1}.jpg,half-${at + 1}.jpg`).sort())
  })

  test('white drawings on transparent background are compared by their shape, and differ from an empty page', async () => {
    const drawing = (shapes: string, width = 400) =>
      sharp(
        Buffer.from(
          `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" viewBox="0 0 400 300" fill="#fff">${shapes}</svg>`,
        ),
      ).png()
    const disc = '<circle cx="120" cy="150" r="90"/>'
    const bars = '<rect x="220" y="20" width="150" height="60"/><rect x="30" y="200" width="150" height="60"/>'
    const inputs = [
      await put(folder, 'disc.png', drawing(disc)),
      await put(folder, 'bars.png', drawing(bars)),
      await put(folder, 'disc-small.webp', drawing(disc, 200).webp()),
      await put(folder, 'nothing.png', drawing('')),
      await put(folder, 'page.png', plain(400, 300, '#ffffff').png()),
    ]
    const { duplicateGroups } = await found(inputs)
    expect(duplicateGroups.map(({ files }) => files.map(({ filename }) => filename))).toEqual([
      ['disc.png', 'disc-small.webp'],
    ])
  })

  test('plain pictures are copies only in the same colour; a page with a word is no copy of an empty one', async () => {
    const page = (left: number) =>
      plain(400, 300, '#ffffff').composite([
        { input: { create: { width: 40, height: 30, channels: 3, background: '#000' } }, left, top: 100 },
      ])
    const inputs = [
      await put(folder, 'white.png', plain(400, 300, '#ffffff').png()),
      await put(folder, 'black.png', plain(400, 300, '#000000').png()),
      await put(folder, 'red.png', plain(400, 300, '#ff0000').png()),
      await put(folder, 'page-a.png', page(40).png()),
      await put(folder, 'page-b.png', page(300).png()),
      await put(
        folder,
        'deep.png',
        await png16({ width: 40, height: 30, channels: 3, data: new Uint16Array(3600).fill(32896) }),
      ),
      await put(folder, 'white-small.jpg', plain(200, 150, '#ffffff').jpeg()),
    ]
    const { duplicateGroups } = await found(inputs)
    expect(duplicateGroups.map(({ files }) => files.map(({ filename }) => filename))).toEqual([
      ['white.png', 'white-small.jpg'],
    ])
  })
})

test('skips and names a damaged file; refuses fewer than two readable ones', async () => {
  const good = await put(folder, 'good.png', await quarters(80, 60))
  const again = await put(folder, 'again.png', await quarters(80, 60))
  const bad = join(folder, 'bad.png')
  await writeFile(bad, (await quarters(80, 60)).subarray(0, 60))
  const { skippedFiles, totalImages } = await found([good, bad, again])
  expect([skippedFiles.map(({ filename }) => filename), totalImages]).toEqual([['bad.png'], 2])
  await expect(found([good, bad])).rejects.toMatchObject({ code: 'INVALID_FILE' })
})
