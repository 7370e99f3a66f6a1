import { readFile } from 'node:fs/promises'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import favicon from '../../../tools/image/convert/favicon.ts'
import { at, plain, put, quarters, readPixels, readRgba } from '../../helpers/picture.ts'
import { type Outcome, run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()
const SIDES = {
  'favicon-16x16.png': 16,
  'favicon-32x32.png': 32,
  'favicon-48x48.png': 48,
  'apple-touch-icon.png': 180,
  'android-chrome-192x192.png': 192,
  'android-chrome-512x512.png': 512,
}

const source = async () => put(folder, 'logo.png', await quarters(60, 40))
const pathOf = ({ names, paths }: Outcome, name: string) => paths[names.indexOf(name)]!
const textOf = (outcome: Outcome, name: string) => readFile(pathOf(outcome, name), 'utf8')

test('the whole set', async () => {
  const outcome = await run(favicon, folder, [await source()], {})
  expect(outcome.set).toBe('favicons')
  expect([...outcome.names].sort()).toEqual(
    [...Object.keys(SIDES), 'favicon.ico', 'favicon-snippet.html', 'manifest.json'].sort(),
  )
  for (const [name, side] of Object.entries(SIDES)) {
    const pixels = await readRgba(pathOf(outcome, name))
    expect(pixels).toMatchObject({ width: side, height: side })
    expect(at(pixels, 1, 1)).toEqual([255, 0, 0])
    expect(at(pixels, side - 2, 1)).toEqual([0, 255, 0])
    expect(at(pixels, 1, side - 2)).toEqual([0, 0, 255])
  }
})

test('favicon.ico holds 16, 32, 48 and 256 as PNG', async () => {
  const ico = await readFile(pathOf(await run(favicon, folder, [await source()], {}), 'favicon.ico'))
  expect([ico.readUInt16LE(0), ico.readUInt16LE(2), ico.readUInt16LE(4)]).toEqual([0, 1, 4])
  for (const [index, side] of [16, 32, 48, 256].entries()) {
    const entry = 6 + index * 16
    expect([ico[entry], ico[entry + 1]]).toEqual([side % 256, side % 256])
    const [size, offset] = [ico.readUInt32LE(entry + 8), ico.readUInt32LE(entry + 12)]
    const pixels = await readRgba(ico.subarray(offset, offset + size))
    expect(pixels).toMatchObject({ width: side, height: side })
    expect(at(pixels, side - 2, 1)).toEqual([0, 255, 0])
  }
})

test('manifest and snippet name existing files', async () => {
  const outcome = await run(favicon, folder, [await source()], { themeColor: '#1e3a8a', sizes: [16, 180, 512] })
  expect([...outcome.names].sort()).toEqual([
    'android-chrome-512x512.png',
    'apple-touch-icon.png',
    'favicon-16x16.png',
    'favicon-snippet.html',
    'favicon.ico',
    'manifest.json',
  ])
  expect(JSON.parse(await textOf(outcome, 'manifest.json'))).toEqual({
    name: 'logo',
    short_name: 'logo',
    icons: [{ src: '/android-chrome-512x512.png', sizes: '512x512', type: 'image/png' }],
    theme_color: '#1e3a8a',
    background_color: '#1e3a8a',
    display: 'standalone',
  })
  const snippet = await textOf(outcome, 'favicon-snippet.html')
  expect([...snippet.matchAll(/href="\/([^"]+)"/g)].map(([, name]) => name)).toEqual([
    'favicon-16x16.png',
    'apple-touch-icon.png',
    'manifest.json',
  ])
})

describe('drawing', () => {
  const big = async (settings: Record<string, unknown>, input?: string) =>
    readRgba(pathOf(await run(favicon, folder, [input ?? (await source())], settings), 'android-chrome-512x512.png'))

  test('padding is transparent, or has the colour', async () => {
    const clear = await big({ padding: 10 })
    expect(at(clear, 49, 256)[3]).toBe(0)
    expect(at(clear, 54, 60)).toEqual([255, 0, 0])
    const coloured = await big({ padding: 10, backgroundColor: '#102030' })
    expect(at(coloured, 49, 256)).toEqual([16, 32, 48])
  })

  test('the colour is behind transparent parts', async () => {
    const ghost = await put(folder, 'ghost.png', plain(30, 30, '#00000000').png())
    expect(at(await big({ backgroundColor: '#102030' }, ghost), 200, 200)).toEqual([16, 32, 48])
    expect(at(await big({}, ghost), 200, 200)[3]).toBe(0)
  })

  test('round: transparent corners, also on a background colour', async () => {
    const round = await big({ borderRadius: 50, backgroundColor: '#102030', padding: 5 })
    expect(at(round, 3, 3)[3]).toBe(0)
    expect(at(round, 256, 2)).toEqual([16, 32, 48])
    expect(at(round, 250, 250)).toEqual([255, 0, 0])
  })

  test('draws an SVG large enough', async () => {
    const svg =
      '<svg xmlns="http://www.w3.org/2000/svg" width="24" height="24"><rect width="12" height="24" fill="#f00"/><rect x="12" width="12" height="24" fill="#00f"/></svg>'
    const pixels = await big({}, await put(folder, 'mark.svg', Buffer.from(svg)))
    expect(at(pixels, 200, 256)).toEqual([255, 0, 0])
    expect(at(pixels, 300, 256)).toEqual([0, 0, 255])
  })
})

describe('several', () => {
  test('a folder for each, numbers equal names, lists unreadable ones', async () => {
    const one = await source()
    const other = await put(folder, 'logo.jpg', plain(20, 20, '#00ff00').jpeg())
    const broken = await put(folder, 'broken.png', (await sharp(one).png().toBuffer()).subarray(0, 50))
    const outcome = await run(favicon, folder, [one, other, broken], { sizes: [32] })
    expect([...outcome.names].sort()).toEqual(
      [
        ...['favicon-32x32.png', 'favicon-snippet.html', 'favicon.ico', 'manifest.json'].flatMap((name) => [
          `logo-2/${name}`,
          `logo/${name}`,
        ]),
        'skipped-files.txt',
      ].sort(),
    )
    expect(await textOf(outcome, 'skipped-files.txt')).toContain('broken.png')
    expect(outcome.warnings.join()).toContain('broken.png')
    expect(at(await readPixels(pathOf(outcome, 'logo-2/favicon-32x32.png')), 5, 5)[1]).toBeGreaterThan(250)
  })

  test('no readable file is an error', async () => {
    const broken = await put(folder, 'broken.png', Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'))
    await expect(run(favicon, folder, [broken, broken], {})).rejects.toMatchObject({ code: 'INVALID_FILE' })
    await expect(run(favicon, folder, [broken], {})).rejects.toMatchObject({ code: 'INVALID_FILE' })
  })
})
