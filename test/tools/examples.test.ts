/**
 * Every example of every tool runs, and the outputs of image tools match the reviewed pictures
 * in docs/tools/media. `npm run generate` recreates them; check changes before committing.
 */
import { existsSync, symlinkSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import sharp from 'sharp'
import { beforeAll, describe, expect, test } from 'vitest'
import { MediaprocError } from '../../src/errors.ts'
import { runExample } from '../../src/generate/docs/run-example.ts'
import { bundlesOf } from '../../src/tool/bundles.ts'
import { useScannedCatalogue } from '../../src/tool/registry.ts'
import { likeness } from '../helpers/perceptual.ts'
import { documentationSamples } from '../helpers/shared-samples.ts'
import { temporaryFolder } from '../helpers/tool.ts'

/** Of 256 bits and of 255: other versions of libvips and its codecs differ by a little. */
const ALIKE = { bits: 16, colour: 16 }

const folder = temporaryFolder()
const golden = (name: string): URL => new URL(`../../docs/tools/media/${name}`, import.meta.url)

beforeAll(async () => symlinkSync(await documentationSamples(), join(folder, 'samples')))

const entries = (await useScannedCatalogue()).filter((entry) => !entry.base)

describe.each(entries.map((entry) => [`${entry.section}/${entry.id}`, entry] as const))('%s', (_name, entry) => {
  test.for(entry.examples.map((example, index) => [example.title, index] as const))(
    'example: %s',
    // Networks and Tesseract take half a minute on two quiet cores.
    { timeout: 180_000 },
    async ([, index], { skip }) => {
      const media = new Map<string, Buffer>()
      const result = await runExample(entry, index + 1, folder, media).catch((error: unknown) => {
        if (error instanceof MediaprocError && error.code === 'ENGINE_UNAVAILABLE') return error.message
        if (error instanceof MediaprocError && error.code === 'FEATURE_NOT_INSTALLED') return undefined
        throw error
      })
      // Its weights are not part of the package: test/models/weights runs installable ones.
      if (!result) return expect(bundlesOf(entry)).not.toEqual([])
      if (typeof result === 'string') return skip(result)
      const { files, report, after, text = [] } = result
      // The bytes of a spreadsheet are nothing for a page.
      expect(text.filter((line) => /\p{Cc}|\ufffd/u.test(line.replaceAll('\t', '')))).toEqual([])
      if (entry.output.kind === 'report') expect(Object.keys(report as object).length).toBeGreaterThan(0)
      else expect(files.length).toBeGreaterThan(0)
      for (const file of files)
        expect((await stat(join(folder, `${entry.section}-${entry.id}-${index + 1}`, file))).size).toBeGreaterThan(0)
      if (entry.section !== 'image') return
      for (const { file } of after) {
        expect(existsSync(golden(file)), `${file}: run npm run generate`).toBe(true)
        const stored = await readFile(golden(file))
        const { width, height } = await sharp(stored).metadata()
        const found = await likeness(stored, media.get(file)!)
        expect([file, found.width, found.height]).toEqual([file, width, height])
        expect(found.bits, `${file} looks different`).toBeLessThanOrEqual(ALIKE.bits)
        expect(found.colour, `${file} has other colours`).toBeLessThanOrEqual(ALIKE.colour)
      }
    },
  )
})
