import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import sharp, { type Sharp } from 'sharp'
import { beforeAll, describe, expect, test } from 'vitest'
import { infoOf } from '../helpers/av.ts'
import { complaints, pageTexts } from '../helpers/pdf.ts'
import { buildProgram, namesIn, PROGRAM, type Ran } from '../helpers/program.ts'
import { builtProgram, type RunProgram, runProgramHere } from '../helpers/program-here.ts'
import { documentationSamples } from '../helpers/shared-samples.ts'
import { temporaryFolder } from '../helpers/tool.ts'
import { readZip } from '../helpers/zip-names.ts'

/** The pipelines of the documentation, run as a user would run them. */

const READY = fileURLToPath(new URL('../../docs/pipelines/', import.meta.url))
const folder = temporaryFolder()
const at = (...parts: string[]): string => join(folder, ...parts)
const ran = new Set<string>()

beforeAll(async () => {
  buildProgram()
  cpSync(await documentationSamples(), folder, { recursive: true })
  cpSync(READY, at('ready'), { recursive: true })
}, 180_000)

/** The built program, in this process: a start of its own takes as long as most of these runs. */
const runBuilt = async (args: readonly string[], options: RunProgram): Promise<Ran> =>
  runProgramHere(args, options, await builtProgram())

async function run(name: string, inputs: string[], environment: Record<string, string> = {}): Promise<Ran> {
  ran.add(`${name}.yaml`)
  const done = await runBuilt(['run', `ready/${name}.yaml`, ...inputs], { cwd: folder, environment })
  expect(done.stderr.replace(/^.*: warning: .*\n|^mediaproc: \d+ (done|files, .*)\n/gm, '')).toBe('')
  expect(done.code).toBe(0)
  return done
}

const picture = async (...path: string[]) => {
  const { format, width, height, exif } = await sharp(at(...path)).metadata()
  return [format, width, height, exif !== undefined]
}

describe('ready pipelines', () => {
  test('web-images: three widths, two formats and a fallback, with a manifest', async () => {
    const { stdout } = await run('web-images', ['holiday.jpg', '--json'])
    const { outputs } = JSON.parse(stdout) as { outputs: { path: string; variant: string }[] }
    expect(outputs.map(({ path, variant }) => [path, variant])).toEqual([
      ['web/holiday-w480.avif', 'w480'],
      ['web/holiday-w960.avif', 'w960'],
      ['web/holiday-w1920.avif', 'w1920'],
      ['web/holiday-webp.webp', 'webp'],
      ['web/holiday-fallback.jpg', 'fallback'],
    ])
    const manifest = JSON.parse(readFileSync(at('web', 'assets.json'), 'utf8'))
    expect(manifest.inputs['holiday.jpg'].srcset).toEqual({
      // The photo is 900 pixels wide.
      'image/avif': 'holiday-w480.avif 480w, holiday-w960.avif 900w',
      'image/webp': 'holiday-webp.webp 900w',
      'image/jpeg': 'holiday-fallback.jpg 900w',
    })
    expect(await picture('web/holiday-w480.avif')).toEqual(['heif', 480, 640, true])
    expect(await picture('web/holiday-w1920.avif')).toEqual(['heif', 900, 1200, true])
    expect(await picture('web/holiday-fallback.jpg')).toEqual(['jpeg', 900, 1200, false])
  })

  test('product-shots: the logo, no metadata, a square thumbnail', async () => {
    await run('product-shots', ['holiday.jpg'])
    expect(await picture('shop/full/holiday.jpg')).toEqual(['jpeg', 900, 1200, false])
    expect(await picture('shop/thumb/holiday.webp')).toEqual(['webp', 400, 400, false])
    const corner = { left: 720, top: 1110, width: 160, height: 60 }
    const samples = (name: string) => sharp(at(name)).autoOrient().extract(corner).raw().toBuffer()
    const [stamped, plain] = [await samples('shop/full/holiday.jpg'), await samples('holiday.jpg')]
    const apart = stamped.reduce((sum, value, index) => sum + Math.abs(value - plain[index]!), 0) / stamped.length
    expect(apart).toBeGreaterThan(8)
  })

  test('social-cut: an MP4 and a GIF', async () => {
    await run('social-cut', ['clip.mp4'], { START: '0.4', END: '1.4' })
    const [clip, preview] = [await infoOf(at('social/clip-clip.mp4')), await infoOf(at('social/clip-preview.gif'))]
    expect(clip.streams).toMatchObject([{ codec: 'h264', width: 720, height: 540 }, { codec: 'aac' }])
    expect(clip.durationS).toBeCloseTo(1, 0)
    expect(preview.streams).toMatchObject([{ codec: 'gif', width: 320, height: 240 }])
  })

  test('podcast: MP3 of even loudness', async () => {
    await run('podcast', ['hum.wav', '-d', 'episodes'], { SKIP: '0.5' })
    const { streams, durationS } = await infoOf(at('episodes/hum_podcast.mp3'))
    expect(streams).toMatchObject([{ codec: 'mp3', sampleRate: 44100 }])
    expect(durationS).toBeCloseTo(2.5, 0)
  })

  test('scans: smaller, and encrypted', async () => {
    await run('scans', ['report.pdf'], { PDF_PASSWORD: 'geheim' })
    const bytes = readFileSync(at('report_small.pdf'))
    expect(bytes.length).toBeLessThan(statSync(at('report.pdf')).size)
    expect(await complaints(bytes, 'geheim')).toEqual([])
    expect((await pageTexts(bytes, 'geheim')).length).toBe(3)
    const without = await runBuilt(['run', 'ready/scans.yaml', 'report.pdf'], { cwd: folder })
    expect(without.code).toBe(2)
    expect(without.stderr).toContain('The environment variable PDF_PASSWORD is not set')
  })

  test('contact-sheet: frames on one picture', async () => {
    await run('contact-sheet', ['clip.mp4'], { MOMENTS: '0,0.5,1,1.5' })
    const [format, width, height] = await picture('clip_sheet.jpg')
    expect(format).toBe('jpeg')
    expect((width as number) / (height as number)).toBeCloseTo(16 / 9, 1)
  })

  test('favicons: the whole set', async () => {
    await run('favicons', ['photo.jpg', '-o', 'public/'])
    expect(namesIn(at('public'))).toEqual(
      expect.arrayContaining(['favicon.ico', 'manifest.json', 'favicon-snippet.html']),
    )
    expect(JSON.parse(readFileSync(at('public/manifest.json'), 'utf8'))).toMatchObject({ theme_color: '#1e3a8a' })
  })

  test('page-archive: pages as pictures in a ZIP', async () => {
    await run('page-archive', ['report.pdf'])
    expect(await readZip(at('report_pages.zip'))).toEqual(['page-1.webp', 'page-2.webp', 'page-3.webp'])
  })

  test('tables: a spreadsheet as JSON', async () => {
    await run('tables', ['staff.xlsx'])
    expect(JSON.parse(readFileSync(at('data/staff.json'), 'utf8'))[0]).toMatchObject({
      name: 'Ada Lovelace',
      city: 'London',
    })
  })

  test('drafts: a stamp and page numbers', async () => {
    await run('drafts', ['report.pdf'])
    const texts = await pageTexts(readFileSync(at('report_draft.pdf')))
    expect(texts[1]).toContain('DRAFT')
    expect(texts[1]).toContain('2 / 3')
  })

  test('certificates: a PDF for each row, all different', async () => {
    const { stdout } = await run('certificates', [])
    const names = ['Ada Lovelace', 'Grace Hopper', 'Katherine Johnson'].map((name) => `certificates/${name}.pdf`)
    expect(stdout.trim().split('\n')).toEqual(names)
    const pages = await Promise.all(
      names.map(async (name) => {
        const bytes = readFileSync(at(name))
        expect(await complaints(bytes)).toEqual([])
        expect((await pageTexts(bytes)).length).toBe(1)
        await runBuilt(['pdf', 'pdf-to-image', name, '--dpi', '40', '-d', 'looked'], { cwd: folder })
        const path = at('looked', name.replace('certificates/', '').replace('.pdf', '_page-1.png'))
        const { data, info } = await sharp(path).greyscale().raw().toBuffer({ resolveWithObject: true })
        expect(info.width / info.height).toBeCloseTo(297 / 210, 1)
        return data
      }),
    )
    expect(new Set(pages.map((data) => data.toString('base64'))).size).toBe(3)
  })

  test('badges: the code has the name, with another table and parameter', async () => {
    writeFileSync(at('guests.csv'), 'name,email\nZo\u00eb,zoe@example.org\n')
    await run('badges', ['--rows', 'guests.csv', '--set', 'event=Party'])
    const [format, width, height] = await picture('badges/01-Zo\u00eb.png')
    expect(format).toBe('png')
    // 4:3, and the padding.
    expect((width as number) / (height as number)).toBeCloseTo(1.19, 1)
    const read = await runBuilt(['image', 'barcode-read', 'badges/01-Zo\u00eb.png', '--json'], { cwd: folder })
    expect(read.stdout).toContain('MECARD:N:Zo\u00eb;EMAIL:zoe@example.org;;')
  })

  test('personal-copies: a name on each page, and a password for each person', async () => {
    await run('personal-copies', ['report.pdf'])
    const texts = await pageTexts(readFileSync(at('copies/report for Grace Hopper.pdf')), 'nano-second')
    expect(texts.map((text) => text.includes('Copy for Grace Hopper'))).toEqual([true, true, true])
    expect(await complaints(readFileSync(at('copies/report for Ada Lovelace.pdf')), 'first-programmer')).toEqual([])
    expect(namesIn(at('copies'))).toHaveLength(3)
  })

  test('responsive: widths and formats of a matrix, with the included steps', async () => {
    await run('responsive', ['holiday.jpg'])
    expect(await picture('web/holiday-320.webp')).toEqual(['webp', 320, 427, false])
    expect(await picture('web/holiday-640.avif')).toEqual(['heif', 640, 853, false])
    expect(await picture('web/holiday-1280.avif')).toEqual(['heif', 900, 1200, false])
    expect(namesIn(at('web'))).not.toContain('holiday-320.avif')
  })

  test('portraits: a circle and a square', async () => {
    await run('portraits', ['holiday.jpg', '--set', 'size=200'])
    expect(await picture('profiles/holiday-square.webp')).toEqual(['webp', 200, 200, expect.anything()])
    const { data, info } = await sharp(at('profiles/holiday-circle.png')).raw().toBuffer({ resolveWithObject: true })
    expect([info.width, info.channels, data[3]]).toEqual([200, 4, 0])
    expect(data[(100 * 200 + 100) * 4 + 3]).toBe(255)
  })

  test('inbox: only pictures that need it are changed', async () => {
    const blue = (width: number, channels: 3 | 4) =>
      sharp({ create: { width, height: 100, channels, background: { r: 0, g: 0, b: 255, alpha: 0.5 } } }).png()
    await blue(1500, 3).toFile(at('wide.png'))
    await blue(300, 4).toFile(at('clear.png'))
    await run('inbox', ['wide.png', 'clear.png', 'holiday.jpg'])
    expect(await picture('site/wide.jpg')).toEqual(['jpeg', 1200, 80, false])
    expect(readFileSync(at('site/clear.png')).equals(readFileSync(at('clear.png')))).toBe(true)
    expect(readFileSync(at('site/holiday.jpg')).equals(readFileSync(at('holiday.jpg')))).toBe(true)
  })

  test('filmstrip: every fifth frame, and a map', async () => {
    const { stdout } = await run('filmstrip', ['clip.mp4', '-d', 'strip'])
    const [sheet = '', map = ''] = stdout.trim().split('\n')
    const [format, width] = await picture(sheet)
    expect([format, width]).toEqual(['webp', 800])
    const text = readFileSync(at(map), 'utf8')
    expect(text).toContain('"frame-000010.png"')
    expect(JSON.parse(text)).toMatchObject({ meta: { image: basename(sheet) } })
  })

  test('page-previews: each page, marked', async () => {
    await run('page-previews', ['report.pdf'])
    for (const page of ['01', '02', '03'])
      expect((await picture(`previews/report-${page}.webp`)).slice(0, 2)).toEqual(['webp', 600])
    const { data, info } = await sharp(at('previews/report-02.webp')).raw().toBuffer({ resolveWithObject: true })
    let red = 0
    for (let offset = 0; offset < data.length; offset += info.channels)
      if (data[offset]! - data[offset + 1]! > 25 && data[offset]! - data[offset + 2]! > 25) red += 1
    expect(red).toBeGreaterThan(500)
  })

  test('handbook: merged, numbered, linearized', async () => {
    await run('handbook', ['report.pdf', 'invoice.pdf'])
    const bytes = readFileSync(at('handbook.pdf'))
    expect(await complaints(bytes)).toEqual([])
    const texts = await pageTexts(bytes)
    expect(texts.length).toBe(3 + (await pageTexts(readFileSync(at('invoice.pdf')))).length)
    expect(texts.at(-1)).toContain(String(texts.length))
    expect(bytes.subarray(0, 1024).toString('latin1')).toContain('/Linearized')
  })

  test('stories: two shapes', async () => {
    await run('stories', ['clip.mp4'])
    expect((await infoOf(at('stories/clip-9_16.mp4'))).streams[0]).toMatchObject({ width: 360, height: 642 })
    expect((await infoOf(at('stories/clip-1_1.mp4'))).streams[0]).toMatchObject({ width: 360, height: 360 })
  })

  test('voice-notes: two formats of the same length', async () => {
    await run('voice-notes', ['hum.wav'])
    const [note, archive] = [await infoOf(at('notes/hum.mp3')), await infoOf(at('notes/hum.flac'))]
    expect([note.streams[0]?.codec, archive.streams[0]?.codec]).toEqual(['mp3', 'flac'])
    expect(note.durationS).toBeCloseTo(archive.durationS!, 0)
  })

  test('photo-badge: the code in the corner has the parameter', async () => {
    await run('photo-badge', ['holiday.jpg', '--set', 'link=https://example.org/tour'])
    expect(await picture('tagged/holiday.jpg')).toEqual(['jpeg', 900, 1200, true])
    expect(namesIn(at('tagged'))).toEqual(['holiday.jpg'])
    const codes = await runBuilt(['image', 'barcode-read', 'tagged/holiday.jpg', '--json'], { cwd: folder })
    expect(JSON.parse(codes.stdout).result.barcodes).toMatchObject([{ text: 'https://example.org/tour' }])
  })

  test('before-after: the original on the left, the corrected one on the right', async () => {
    const { stdout } = await run('before-after', ['old-photo.jpg', '--json'])
    expect(JSON.parse(stdout).result.comparison.similarity).toBeLessThan(99)
    expect(await picture('corrected/old-photo-after.jpg')).toEqual(['jpeg', 600, 400, false])
    expect(await picture('corrected/old-photo-comparison.webp')).toEqual(['webp', 1200, 400, false])
    const half = (left: number) =>
      sharp(at('corrected/old-photo-comparison.webp')).extract({ left, top: 0, width: 600, height: 400 })
    const grey = (image: Sharp) => image.removeAlpha().greyscale().raw().toBuffer()
    const apart = (one: Buffer, other: Buffer) =>
      one.reduce((sum, value, index) => sum + Math.abs(value - other[index]!), 0) / one.length
    const [left, right] = [await grey(half(0)), await grey(half(600))]
    const [before, after] = [
      await grey(sharp(at('old-photo.jpg'))),
      await grey(sharp(at('corrected/old-photo-after.jpg'))),
    ]
    expect(apart(left, before)).toBeLessThan(3)
    expect(apart(right, after)).toBeLessThan(4)
    expect(apart(before, after)).toBeGreaterThan(6)
  })

  test('Makefile: creates once, and again only changed outputs', async () => {
    ran.add('thumb.yaml')
    const site = at('site-project')
    mkdirSync(join(site, 'photos'), { recursive: true })
    cpSync(READY, site, { recursive: true })
    for (const name of ['one', 'two']) cpSync(at('photo.jpg'), join(site, 'photos', `${name}.jpg`))
    const past = new Date(Date.now() - 60_000)
    for (const name of readdirSync(site)) utimesSync(join(site, name), past, past)
    for (const name of ['one', 'two']) utimesSync(join(site, 'photos', `${name}.jpg`), past, past)
    writeFileSync(join(site, 'mediaproc'), `#!/bin/sh\nexec '${process.execPath}' '${PROGRAM}' "$@"\n`, { mode: 0o755 })
    const make = (): string =>
      execFileSync('make', ['-C', site, 'MEDIAPROC=./mediaproc'], { encoding: 'utf8' })
        .split('\n')
        .filter((line) => line.startsWith('./mediaproc'))
        .map((line) => line.split(' ').slice(0, 4).join(' '))
        .join('\n')
    expect(make()).toBe(
      [
        './mediaproc run thumb.yaml photos/one.jpg',
        './mediaproc run thumb.yaml photos/two.jpg',
        './mediaproc run web-images.yaml photos/one.jpg',
      ].join('\n'),
    )
    expect(make()).toBe('')
    const before = statSync(join(site, 'site/web/one-webp.webp')).mtimeMs
    const now = new Date()
    for (const name of readdirSync(join(site, 'site/thumbs'))) utimesSync(join(site, 'site/thumbs', name), past, past)
    for (const name of ['one', 'two']) utimesSync(join(site, 'photos', `${name}.jpg`), new Date(0), new Date(0))
    for (const name of ['thumb.yaml', 'web-images.yaml']) utimesSync(join(site, name), new Date(0), new Date(0))
    utimesSync(join(site, 'photos/two.jpg'), now, now)
    expect(make().split('\n')[0]).toBe('./mediaproc run thumb.yaml photos/two.jpg')
    expect(statSync(join(site, 'site/web/one-webp.webp')).mtimeMs).toBe(before)
  }, 60_000)

  test('each of them is run above', () => {
    expect([...ran].sort()).toEqual(
      readdirSync(READY)
        .filter((name) => name.endsWith('.yaml'))
        .sort(),
    )
  })
})
