/**
 * The commands on the pages of tools, as pasted one after the other in one folder. The outputs of image tools match the
 * reviewed pictures in docs/tools/media. `npm run generate` recreates those; check changes before committing.
 */
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import sharp from 'sharp'
import { beforeAll, expect, test } from 'vitest'
import { outputPictures, shownText } from '../../src/generate/docs/run-example.ts'
import { pastedLines } from '../../src/generate/docs/tool-page.ts'
import { openMediaFile } from '../../src/media/file.ts'
import { bundlesOf } from '../../src/tool/bundles.ts'
import { findEntry } from '../../src/tool/registry.ts'
import { page, ROOT, readResults, usePastedLines } from './pasted.ts'
import { likeness } from './perceptual.ts'

const results = readResults()
const all = [...pastedLines(results)]
/** Every section has its file, so that several workers share them; no example needs the output of another section. */
export type PastedSection = 'image' | 'video' | 'audio' | 'pdf' | 'files'

/** Other versions of libvips and its codecs differ by a little: of 256 bits, and of 255. */
const ALIKE = { bits: 16, colour: 16 }

/** The pictures look as reviewed. */
async function expectReviewed(media: ReadonlyMap<string, Buffer>): Promise<void> {
  for (const [file, picture] of media) {
    const golden = new URL(`docs/tools/media/${file}`, ROOT)
    expect(existsSync(golden), `${file}: run npm run generate`).toBe(true)
    const stored = readFileSync(golden)
    const { width, height } = await sharp(stored).metadata()
    const found = await likeness(stored, picture)
    expect([file, found.width, found.height]).toEqual([file, width, height])
    expect(found.bits, `${file} looks different`).toBeLessThanOrEqual(ALIKE.bits)
    expect(found.colour, `${file} has other colours`).toBeLessThanOrEqual(ALIKE.colour)
  }
}

/** The outputs that a page names exist and are not empty, texts are readable, and pictures look as reviewed. */
async function expectOutputs(folder: string, name: string, number: number, line: string): Promise<void> {
  const { files, set = '' } = results[name]![number - 1]!
  const [, directory = ''] = / -d (\S+)$/.exec(line) ?? []
  const outputs = await Promise.all(files.map((file) => openMediaFile(join(folder, directory, set, file), file)))
  for (const { path } of outputs) expect(statSync(path).size, path).toBeGreaterThan(0)
  // The bytes of a spreadsheet are nothing for a page.
  const text = (await shownText(outputs)) ?? []
  expect(text.filter((one) => /\p{Cc}|\ufffd/u.test(one.replaceAll('\t', '')))).toEqual([])
  const media = new Map<string, Buffer>()
  if (!name.startsWith('image/')) return
  await outputPictures(outputs, media, `${name.replace('/', '-')}-${number}`)
  await expectReviewed(media)
}

/** Tests the pages of these sections, in sequence in one folder. */
export function testPastedPages(...sections: PastedSection[]): void {
  const shell = usePastedLines('here')
  let folder: string
  beforeAll(async () => {
    folder = await shell.samples()
  }, 180_000)
  const own = all.filter(([name]) => sections.some((section) => name.startsWith(`${section}/`)))

  test.each(own)('%s', { timeout: 300_000 }, async (name, lines) => {
    const text = page(`docs/tools/${name}.md`)
    const shown = [...text.matchAll(/^```sh\n(.*)\n```$/gm)].map(([, line]) => line)
    expect(shown).toEqual(lines)
    const [section, id = ''] = name.split('/')
    const entry = findEntry(id, section)
    for (const [index, line] of lines.entries()) {
      const warnings = bundlesOf(entry).length > 0 ? undefined : results[name]![index]!.warnings
      const stdout = await shell.expectDone(line, folder, warnings)
      if (stdout === undefined) continue
      if (entry.output.kind === 'report') expect(stdout.trim(), line).not.toBe('')
      else expect(results[name]![index]!.files.length).toBeGreaterThan(0)
      await expectOutputs(folder, name, index + 1, line)
    }
  })
}
