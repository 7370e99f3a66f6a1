import { readFileSync, writeFileSync } from 'node:fs'
import { basename, extname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { structureFault, verifyStructure } from '../../../src/media/verify/verify.ts'
import { zipFiles } from '../../../src/media/zip.ts'
import convertImage from '../../../tools/image/convert/convert.ts'
import { makeAudio, makeVideo } from '../../helpers/av.ts'
import { makePdf } from '../../helpers/pdf.ts'
import { fromSamples, photo, put } from '../../helpers/picture.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()

/** A file like `path` without its last `missing` bytes. */
function shortened(path: string, missing: number): string {
  const bytes = readFileSync(path)
  const cut = join(folder, `cut-${missing}-${basename(path)}`)
  writeFileSync(cut, bytes.subarray(0, bytes.length - missing))
  return cut
}

/** A complete file has no fault; without its last bytes, and without its second half, it has one. */
function expectEndIsChecked(path: string, missing = 40): void {
  const name = basename(path)
  const { length } = readFileSync(path)
  expect(structureFault(path, name)).toBeUndefined()
  for (const one of [missing, Math.floor(length / 2) | 1])
    expect.soft(structureFault(shortened(path, one), name), `${name} without ${one} bytes`).toBeTypeOf('string')
}

describe('pictures', () => {
  const formats = ['jpg', 'png', 'webp', 'avif', 'gif', 'tiff', 'bmp', 'ico', 'qoi', 'jp2', 'heic']
  test.each(formats)('%s', async (format) => {
    const input = await put(folder, `of-${format}.png`, fromSamples(photo(61, 47, 4)).png())
    const { paths } = await run(convertImage, folder, [input], { format })
    expectEndIsChecked(paths[0]!)
  })

  test('SVG, with a comment behind its end', async () => {
    const path = join(folder, 'a.svg')
    writeFileSync(
      path,
      `<svg xmlns="http://www.w3.org/2000/svg"><g id="${'x'.repeat(5000)}"></g></svg>\n<!-- made by hand -->\n`,
    )
    expectEndIsChecked(path, 45)
  })

  test('a JPEG and a PNG with bytes after their end are complete', async () => {
    for (const format of ['jpeg', 'png'] as const) {
      const bytes = await fromSamples(photo(20, 20)).toFormat(format).toBuffer()
      const path = join(folder, `trailed.${format}`)
      writeFileSync(path, Buffer.concat([bytes, Buffer.from('a video of three seconds')]))
      expect(structureFault(path, basename(path))).toBeUndefined()
    }
  })
})

describe('video', () => {
  test.each(['mp4', 'mov', 'mkv', 'webm', 'avi', 'flv', 'ts', 'm2ts', 'wmv', 'ogv', '3gp'])('%s', async (extension) => {
    expectEndIsChecked(await makeVideo({ seconds: 1, audio: true, extension }))
  })
})

describe('audio', () => {
  test.each(['mp3', 'wav', 'flac', 'm4a', 'ogg', 'opus', 'aiff', 'wma'])('%s', async (extension) => {
    const path = await makeAudio({ seconds: 1, extension })
    // FLAC states its samples and not its bytes: a failed write leaves an incomplete header.
    if (extension !== 'flac') return expectEndIsChecked(path)
    expect(structureFault(path, 'a.flac')).toBeUndefined()
    const bytes = readFileSync(path)
    bytes.fill(0, 22, 26)
    const unfinished = join(folder, 'unfinished.flac')
    writeFileSync(unfinished, bytes)
    expect(structureFault(unfinished, 'a.flac')).toMatch(/was not finished/)
  })
})

describe('documents', () => {
  test('PDF', async () => {
    const path = join(folder, 'a.pdf')
    writeFileSync(path, await makePdf())
    expectEndIsChecked(path)
  })

  test('ZIP, and ZIP-based office files', async () => {
    const member = join(folder, 'member.txt')
    writeFileSync(member, 'text '.repeat(2000))
    for (const extension of ['zip', 'docx', 'xlsx', 'odt', 'epub']) {
      const path = join(folder, `a.${extension}`)
      await zipFiles([{ name: 'member.txt', path: member }], path)
      expectEndIsChecked(path)
    }
  })

  test.each([
    ['json', '{"a": [1, 2, 3]}\n', 3],
    ['xml', '<a><b/></a>\n', 2],
    ['rtf', '{\\rtf1 Text}\n', 2],
  ])('%s', (extension, text, missing) => {
    const path = join(folder, `short.${extension}`)
    writeFileSync(path, text)
    expectEndIsChecked(path, missing)
  })

  test('text may be empty', () => {
    for (const extension of ['txt', 'csv', 'srt', 'md']) {
      const path = join(folder, `empty.${extension}`)
      writeFileSync(path, '')
      expect(structureFault(path, basename(path))).toBeUndefined()
    }
  })
})

describe('a file with a fault', () => {
  test('is a failure that names the file and the fault', async () => {
    const path = shortened(await put(folder, 'photo.png', fromSamples(photo(40, 40)).png()), 20)
    expect(() => verifyStructure(path, 'result.png', [])).toThrowError(
      expect.objectContaining({
        code: 'PROCESSING_FAILED',
        message: 'The result result.png ends too early, so it was not kept',
      }),
    )
    const jpeg = `${path}.jpg`
    writeFileSync(jpeg, readFileSync(path))
    expect(() => verifyStructure(jpeg, 'result.jpg', [])).toThrow('does not start like a JPEG file')
  })

  test('an input that was already truncated stays so if its bytes are kept', async () => {
    const path = shortened(await put(folder, 'kept.png', fromSamples(photo(40, 40)).png()), 20)
    expect(() => verifyStructure(path, 'kept.png', [{ path, name: 'kept.png' }])).not.toThrow()
    expect(extname(path)).toBe('.png')
  })
})
