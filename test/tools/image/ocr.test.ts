import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import sharp from 'sharp'
import { afterEach, expect, test, vi } from 'vitest'
import ocr from '../../../tools/image/text/ocr.ts'
import { readBars } from '../../helpers/ocr.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()

readBars(folder)
afterEach(() => vi.unstubAllEnvs())

type Bar = readonly [colour: 'yellow' | 'cyan', left: number, top: number, width: number, height: number]

async function picture(name: string, width: number, height: number, bars: readonly Bar[]): Promise<string> {
  const rects = bars.map(([fill, x, y, w, h]) => `<rect x="${x}" y="${y}" width="${w}" height="${h}" fill="${fill}"/>`)
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">${rects.join('')}</svg>`
  const path = join(folder, name)
  writeFileSync(path, await sharp(Buffer.from(svg)).flatten({ background: '#fff' }).png().toBuffer())
  return path
}

const PAGE: readonly Bar[] = [
  ['yellow', 100, 100, 200, 24],
  ['cyan', 500, 100, 200, 24],
  ['cyan', 100, 200, 400, 24],
]

test('finds lines, reads them in order, and returns their positions', async () => {
  const path = await picture('page.png', 800, 740, PAGE)
  const { names, paths, report, warnings } = await run(ocr, folder, [path], { enhance: false })
  expect(names).toEqual(['page_ocr.txt'])
  expect(readFileSync(paths[0]!, 'utf8')).toBe('a\tb\nb\n')
  expect(warnings).toEqual([])
  const { blocks, ...facts } = report as { blocks: { text: string; line: number; bbox: Record<string, number> }[] }
  expect(facts).toEqual({
    text: 'a\tb\nb',
    engine: 'paddleocr',
    requestedQuality: 'balanced',
    actualQuality: 'balanced',
    device: 'cpu',
    provider: 'CPUExecutionProvider',
    degraded: false,
    runtimeVersion: expect.stringMatching(/^\d/),
    modelVersion: 'ppocrv4-rec-mobile',
    language: 'auto',
    warnings: [],
  })
  expect(blocks.map(({ text, line }) => [text, line])).toEqual([
    ['a', 0],
    ['b', 0],
    ['b', 1],
  ])
  // 200 x 24, grown by 200 × 24 × 1.6 / 448 = 17.
  const { x, y, w, h } = blocks[0]!.bbox as { x: number; y: number; w: number; h: number }
  for (const [is, wanted] of [
    [x, 83],
    [y, 83],
    [w, 234],
    [h, 58],
  ] as const)
    expect(Math.abs(is - wanted)).toBeLessThanOrEqual(2)
})

test('reads a picture larger than a tile without a seam, and a blank one has no text', async () => {
  // The bar crosses the border of two tiles.
  const large = await picture('large.png', 2000, 400, [['yellow', 800, 100, 400, 40]])
  const { report } = await run(ocr, folder, [large], { enhance: false })
  expect(report).toMatchObject({ text: 'a', blocks: [{ text: 'a', line: 0 }] })
  const blank = await run(ocr, folder, [await picture('blank.png', 200, 100, [])])
  expect(blank.report).toMatchObject({ text: '', blocks: [] })
  expect(readFileSync(blank.paths[0]!, 'utf8')).toBe('')
})

test('names the install command for a missing engine', async () => {
  const path = await picture('small.png', 200, 100, [])
  const missing = { code: 'FEATURE_NOT_INSTALLED', hint: /mediaproc models install ocr/ }
  const wanted = { ...missing, hint: expect.stringMatching(missing.hint) }
  for (const settings of [{ quality: 'best' }, { language: 'ko' }])
    await expect(run(ocr, folder, [path], settings)).rejects.toMatchObject(wanted)
  vi.stubEnv('PATH', folder)
  vi.stubEnv('MEDIAPROC_TESSERACT', '')
  await expect(run(ocr, folder, [path], { quality: 'fast' })).rejects.toMatchObject(wanted)
})

test('an invalid model: falls back to another engine if available, with a note', async () => {
  // A program that behaves like Tesseract: it reads one word, which contains its arguments.
  const program = join(folder, 'tesseract-here')
  const row = '5\\t1\\t1\\t1\\t1\\t1\\t10\\t20\\t60\\t30\\t96\\t'
  const script = [
    '#!/bin/sh',
    'case "$*" in',
    '*--version*) echo "tesseract 5.9.0" ;;',
    '*--list-langs*) printf \'List of available languages in "/nowhere/" (2):\\neng\\ndeu\\n\' ;;',
    `*) printf '${row}%s\\n' "$(echo "$*" | sed 's/.*-l \\([^ ]*\\) .*/read-\\1/')" ;;`,
    'esac',
  ]
  writeFileSync(program, script.join('\n'))
  chmodSync(program, 0o755)
  vi.stubEnv('MEDIAPROC_TESSERACT', program)
  const path = await picture('word.png', 1200, 1200, [])
  const { report } = await run(ocr, folder, [path], { engine: 'tesseract' })
  expect(report).toMatchObject({
    text: 'read-eng+deu',
    engine: 'tesseract',
    requestedQuality: 'fast',
    actualQuality: 'fast',
    degraded: false,
    modelVersion: 'tesseract-5.9.0',
    language: 'en+de',
    blocks: [{ text: 'read-eng+deu', confidence: 0.96, bbox: { x: 10, y: 20, w: 60, h: 30 }, line: 0 }],
  })
  expect((await run(ocr, folder, [path], { quality: 'fast', language: 'de' })).report.text).toBe('read-deu')
  const korean = run(ocr, folder, [path], { quality: 'fast', language: 'ko' })
  await expect(korean).rejects.toMatchObject({ hint: expect.stringContaining('models install tesseract-kor') })
  // The dictionary has more characters than the model has classes.
  const page = await picture('again.png', 800, 740, PAGE)
  writeFileSync(join(folder, 'ppocrv4-rec-mobile', 'ppocr_keys_v1.txt'), 'a\nb\nc\nd\n')
  const lesser = await run(ocr, folder, [page], { enhance: false })
  expect(lesser.report).toMatchObject({
    engine: 'tesseract',
    degraded: true,
    requestedQuality: 'balanced',
    actualQuality: 'fast',
  })
  expect(lesser.report.warnings).toEqual(lesser.warnings)
  expect(lesser.warnings[0]).toMatch(/^Read with quality fast, as the models failed: .*4 classes/)
})
