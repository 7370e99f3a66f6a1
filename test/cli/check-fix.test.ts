import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import { exifBlock, jpegWithExif } from '../helpers/exif.ts'
import { namesIn, useBuiltScene } from '../helpers/program.ts'

const here = useBuiltScene()

/** A noisy picture with a position, 200 x 100 pixels. */
async function photo(name: string): Promise<void> {
  const noise = { type: 'gaussian', mean: 128, sigma: 60 } as const
  const image = sharp({ create: { width: 200, height: 100, channels: 3, background: '#888', noise } })
  const jpeg = await image.jpeg({ quality: 95 }).toBuffer()
  writeFileSync(here.at(name), jpegWithExif(jpeg, exifBlock()))
}

test('all fixes of a file in one run, beside it; the result is checked, and the original unchanged', async () => {
  await photo('photo.jpg')
  const before = readFileSync(here.at('photo.jpg'))
  const limits = ['--max-width', '100', '--max-height', '30', '--no-gps', '--formats', 'webp', '--max-bytes', '2kB']
  const ran = await here.run(['check', 'photo.jpg', ...limits, '--fix'])
  expect(ran.code).toBe(0)
  expect(ran.stdout.split('\n')[0]).toBe('photo.jpg → photo_fixed.webp')
  expect(ran.stdout.match(/^ {2}fixed /gm)).toHaveLength(5)
  expect(ran.stderr).toBe('mediaproc: 1 file checked: 1 file fixed\n')
  expect(readFileSync(here.at('photo.jpg')).equals(before)).toBe(true)
  const fixed = readFileSync(here.at('photo_fixed.webp'))
  expect(fixed.length).toBeLessThanOrEqual(2000)
  expect(await sharp(fixed).metadata()).toMatchObject({ width: 60, height: 30, format: 'webp' })
  expect(fixed.includes('SECRET-PLACE')).toBe(false)
  expect((await here.run(['check', 'photo_fixed.webp', ...limits])).code).toBe(0)
  // An existing file is replaced only with --force.
  const again = await here.run(['check', 'photo.jpg', ...limits, '--fix'])
  expect(again).toMatchObject({
    code: 1,
    stdout: expect.stringContaining('not fixed: photo_fixed.webp is already there'),
  })
  expect((await here.run(['check', 'photo.jpg', ...limits, '--fix', '--force'])).code).toBe(0)
  expect(namesIn(here.path)).toEqual(['a.jpg', 'photo.jpg', 'photo_fixed.webp'])
})

test('what is left is reported: limits without a fix, and those that removing content would meet', async () => {
  await photo('photo.jpg')
  const limits = ['--min-width', '300', '--no-gps']
  const { code, stdout } = await here.run(['check', 'photo.jpg', ...limits, '--fix', '-d', 'out', '--json'])
  expect(code).toBe(1)
  const { files } = JSON.parse(stdout)
  expect(files[0]).toMatchObject({
    ok: false,
    findings: [{ limit: 'minWidth', actual: 200, expected: 300 }],
    fixed: { output: 'out/photo_fixed.jpg', findings: [{ limit: 'gps' }] },
  })
  expect(namesIn(here.at('out'))).toEqual(['photo_fixed.jpg'])
})

test('files without findings are not written, and several steps of a rule run in their order', async () => {
  copyFileSync(here.at('a.jpg'), here.at('ok.jpg'))
  await photo('wide.jpg')
  writeFileSync(
    here.at('rules.yaml'),
    '- { name: web, maxWidth: 50, fix: [{ image/resize: { width: 50 } }, { image/convert: { format: png } }] }\n',
  )
  const shown = await here.run(['check', 'rules.yaml', 'ok.jpg', 'wide.jpg'])
  expect(shown.stdout).toContain('fix: mediaproc check rules.yaml --fix -- wide.jpg\n')
  expect((await here.run(['check', 'rules.yaml', '--fix', '--', 'ok.jpg', 'wide.jpg'])).code).toBe(0)
  expect(namesIn(here.path)).toEqual(['a.jpg', 'ok.jpg', 'rules.yaml', 'wide.jpg', 'wide_fixed.png'])
  expect(await here.widthOf('wide_fixed.png')).toBe(50)
})
