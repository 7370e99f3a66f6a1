import { statSync, writeFileSync } from 'node:fs'
import sharp from 'sharp'
import { beforeAll, describe, expect, test } from 'vitest'
import { run as runTool } from '../../src/index.ts'
import { useScannedCatalogue } from '../../src/tool/registry.ts'
import { buildProgram, namesIn, useScene } from '../helpers/program.ts'

beforeAll(async () => {
  buildProgram()
  await useScannedCatalogue()
}, 180_000)
const here = useScene()
const { at, run } = here

/** A photo that cannot reach 200 bytes at any quality. */
async function photo(): Promise<void> {
  const noise = {
    create: {
      width: 300,
      height: 300,
      channels: 3 as const,
      background: '#808080',
      noise: { type: 'gaussian' as const, mean: 128, sigma: 60 },
    },
  }
  await sharp(noise).jpeg({ quality: 95 }).toFile(at('photo.jpg'))
}
const tooSmall = ['image', 'compress', 'photo.jpg', '--mode', 'targetSize', '--target-size-kb', '0.2']

describe('a missed target size', () => {
  test('warns on standard error, and writes the smallest possible file', async () => {
    await photo()
    const { code, stdout, stderr } = await run(tooSmall)
    expect([code, stdout]).toEqual([0, 'photo_compress.jpg\n'])
    expect(stderr).toMatch(/photo_compress\.jpg has [\d.]+ kB, more than the 0\.2 kB asked for/)
    expect(statSync(at('photo_compress.jpg')).size).toBeGreaterThan(200)
    const record = JSON.parse((await run([...tooSmall, '--json', '--force'])).stdout)
    expect(record.warnings).toEqual([expect.stringContaining('asked for')])
  })

  test('fails with --strict and leaves no file', async () => {
    await photo()
    const { code, stdout, stderr } = await run([...tooSmall, '--strict'])
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toContain('REFUSED_BY_STRICT')
    expect(stderr).toContain('asked for')
    expect(namesIn(here.path)).toEqual(['a.jpg', 'photo.jpg'])
  })

  test('fails with --strict in a pipeline, too', async () => {
    await photo()
    writeFileSync(at('small.yaml'), '- image/compress: { mode: targetSize, targetSizeKb: 0.2 }\n')
    expect((await run(['run', 'small.yaml', 'photo.jpg'])).code).toBe(0)
    const strict = await run(['run', 'small.yaml', 'photo.jpg', '--strict', '--force'])
    expect([strict.code, strict.stdout]).toEqual([1, ''])
    expect(strict.stderr).toContain('REFUSED_BY_STRICT')
  })
})

test('--strict accepts lossless results', async () => {
  expect(await run(['image', 'resize', 'a.jpg', '--width', '5', '--strict'])).toMatchObject({ code: 0 })
})

test('is available in the library', async () => {
  await photo()
  const settings = { mode: 'targetSize', targetSizeKb: 0.2 } as const
  const { warnings } = await runTool('image/compress', at('photo.jpg'), settings)
  expect(warnings).toEqual([{ message: expect.stringContaining('asked for'), isAdvice: false }])
  const strict = runTool('image/compress', at('photo.jpg'), settings, { strict: true, force: true })
  await expect(strict).rejects.toMatchObject({ code: 'REFUSED_BY_STRICT' })
})
