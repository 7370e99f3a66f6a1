/** A machine without onnxruntime, as after `npm install mediaproc` without it: messages name the missing part, with its size. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { planInstall } from '../../src/models/install/install.ts'
import { findBundle } from '../../src/models/manifest.ts'
import type { Tool } from '../../src/tool/contract.ts'
import { readableSize } from '../../src/wording.ts'
import removeBackground from '../../tools/image/background/remove-background.ts'
import smartCrop from '../../tools/image/geometry/smart-crop.ts'
import blurFaces from '../../tools/image/people/blur-faces.ts'
import passportPhoto from '../../tools/image/people/passport-photo.ts'
import enhanceFaces from '../../tools/image/restore/enhance-faces.ts'
import redEyeRemoval from '../../tools/image/restore/red-eye-removal.ts'
import upscale from '../../tools/image/restore/upscale.ts'
import { plain } from '../helpers/picture.ts'
import { run, temporaryFolder } from '../helpers/tool.ts'

vi.mock('../../src/engines/library.ts', async (original) => {
  const library = await original<typeof import('../../src/engines/library.ts')>()
  return {
    ...library,
    packageFolder: (name: string, entry?: string) =>
      name === 'onnxruntime-node' ? undefined : library.packageFolder(name, entry),
  }
})

const folder = temporaryFolder()
const store = join(folder, 'empty')
const picture = join(folder, 'a.png')

beforeEach(async () => {
  vi.stubEnv('MEDIAPROC_MODELS', store)
  writeFileSync(picture, await plain(64, 48, '#884422').png().toBuffer())
})
afterEach(() => vi.unstubAllEnvs())

/** The downloads of an install of these models into the empty store. */
const fetchedFor = async (...models: string[]): Promise<string> =>
  readableSize((await planInstall([{ tier: 'standard', models }], store)).bytes)

test.each<[string, Tool, object]>([
  ['blur-faces', blurFaces, {}],
  ['red-eye-removal', redEyeRemoval, {}],
  ['smart-crop', smartCrop, { mode: 'face' }],
])('%s, whose models are shipped, only requires the runtime', async (_name, tool, settings) => {
  const size = await fetchedFor('onnxruntime')
  await expect(run(tool, folder, [picture], { ...settings })).rejects.toMatchObject({
    code: 'FEATURE_NOT_INSTALLED',
    message: 'This needs onnxruntime, which runs the models and is not installed',
    hint: `Install it (${size}) with: mediaproc models install onnxruntime`,
    fields: { estimatedSize: size },
  })
})

test('upscale falls back to resampling and names only the runtime', async () => {
  const { report, warnings } = await run(upscale, folder, [picture])
  expect(report).toMatchObject({ width: 128, height: 96, method: 'lanczos' })
  expect(warnings).toEqual([
    `Enlarged by resampling: onnxruntime, which runs the models, is not installed (${await fetchedFor('onnxruntime')}: mediaproc models install onnxruntime)`,
  ])
})

test.each<[string, Tool, object, string]>([
  ['remove-background', removeBackground, {}, 'background-removal'],
  ['enhance-faces', enhanceFaces, {}, 'upscale-enhance'],
  ['passport-photo', passportPhoto, { countryCode: 'US' }, 'background-removal'],
])('%s, whose models are missing too, names their bundle; the size includes the runtime', async (...row) => {
  const [, tool, settings, bundle] = row
  const { light, standard } = findBundle(bundle)!
  const [full, least] = [await fetchedFor(...standard), await fetchedFor(...light)]
  await expect(run(tool, folder, [picture], { ...settings })).rejects.toMatchObject({
    code: 'FEATURE_NOT_INSTALLED',
    message: `This needs the models ${bundle}, which are not installed`,
    hint: `Install them with: mediaproc models install ${bundle} (${full} to download; with --tier light ${least})`,
  })
  // The runtime is downloaded with the models.
  const { missing } = await planInstall([{ bundle, tier: 'light', models: light }], store)
  expect(missing.map(({ id }) => id)).toContain('onnxruntime')
})
