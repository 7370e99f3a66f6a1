import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import sharp from 'sharp'
import { beforeAll, describe, expect, test } from 'vitest'
import { infoOf } from '../helpers/av.ts'
import { complaints, pageTexts } from '../helpers/pdf.ts'
import { buildProgram, namesIn, PROGRAM, type Ran, runProgram } from '../helpers/program.ts'
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

async function run(name: string, inputs: string[], environment: Record<string, string> = {}): Promise<Ran> {
  ran.add(`${name}.yaml`)
  const done = await runProgram(['run', `ready/${name}.yaml`, ...inputs], { cwd: folder, environment })
  expect(done.stderr.replace(/^.*: warning: .*\n/gm, '')).toBe('')
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
    const without = await runProgram(['run', 'ready/scans.yaml', 'report.pdf'], { cwd: folder })
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
