import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import { openPdf } from '../../../src/media/pdf/document.ts'
import { renderPage } from '../../../src/media/pdf/page/render.ts'
import signPdf from '../../../tools/pdf/security/sign-pdf.ts'
import { writePdf } from '../../helpers/bad-pdf.ts'
import { complaints, makePdf } from '../../helpers/pdf.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()

/** Red on the left, blue on the right, the upper half of both semi-transparent. */
async function picture(): Promise<string> {
  const pixels = Buffer.alloc(8 * 8 * 4)
  for (let at = 0; at < 64; at++) pixels.set([at % 8 < 4 ? 255 : 0, 0, at % 8 < 4 ? 0 : 255, at < 32 ? 0 : 255], at * 4)
  const path = join(folder, 'sig.png')
  await sharp(pixels, { raw: { width: 8, height: 8, channels: 4 } })
    .png()
    .toFile(path)
  return path
}

test.each([0, 90, 180, 270])(
  'on a cropped page rotated by %i the picture is at its position, upright',
  async (rotation) => {
    const source = writePdf(
      folder,
      'page.pdf',
      await makePdf({ pages: 2, texts: [' '], rotations: [0, rotation], cropBoxes: [[10, 20, 190, 260]] }),
    )
    const placements = [{ sig: 0, page: 1, x: 0.5, y: 0.25, w: 0.4, h: 0.5 }]
    const { paths, names } = await run(
      signPdf,
      folder,
      [source],
      { placements },
      { secondary: { sig0: await picture() } },
    )
    expect(names).toEqual(['page_signed.pdf'])
    const bytes = readFileSync(paths[0]!)
    expect(await complaints(bytes)).toEqual([])
    const document = await openPdf(bytes)
    const { width, height, data } = await renderPage(document, 2, { dpi: 72 })
    const first = await renderPage(document, 1, { dpi: 72 })
    document.close()
    const at = (x: number, y: number) => [
      ...data.subarray((Math.round(y * height) * width + Math.round(x * width)) * 3).subarray(0, 3),
    ]
    const [red, blue, white] = [
      [255, 0, 0],
      [0, 0, 255],
      [255, 255, 255],
    ]
    expect(at(0.6, 0.7)).toEqual(red)
    expect(at(0.8, 0.7)).toEqual(blue)
    // Semi-transparent above, and nothing outside the box.
    for (const [x, y] of [
      [0.6, 0.35],
      [0.47, 0.7],
      [0.93, 0.7],
      [0.6, 0.78],
    ] as const)
      expect(at(x, y)).toEqual(white)
    expect(first.data.every((value) => value === 255)).toBe(true)
  },
)

test('pictures may extend beyond the page, and later ones cover earlier ones', async () => {
  const source = writePdf(folder, 'page.pdf', await makePdf({ texts: [' '] }))
  const other = join(folder, 'green.jpg')
  writeFileSync(
    other,
    await sharp({ create: { width: 9, height: 9, channels: 3, background: '#00ff00' } })
      .jpeg()
      .toBuffer(),
  )
  const placements = [
    { sig: 0, page: 0, x: -1, y: -1, w: 3, h: 3 },
    { sig: 3, page: 0, x: 0, y: 0, w: 0.5, h: 1 },
    { sig: 3, page: 0, x: 0, y: 0, w: 0, h: 0 },
  ]
  const secondary = { sig0: await picture(), sig3: other }
  const { paths } = await run(signPdf, folder, [source], { placements }, { secondary })
  const document = await openPdf(readFileSync(paths[0]!))
  const { width, data } = await renderPage(document, 1, { dpi: 72 })
  document.close()
  const [red, green] = [...data.subarray((290 * width + 10) * 3)]
  expect(green! - red!).toBeGreaterThan(200)
  expect([...data.subarray((290 * width + 190) * 3).subarray(0, 3)]).toEqual([0, 0, 255])
})

test.each([
  [{ placements: [{ sig: 1, page: 0, x: 0, y: 0, w: 1, h: 1 }] }, 'INVALID_SETTINGS'],
  [{ placements: [{ sig: 0, page: 1, x: 0, y: 0, w: 1, h: 1 }] }, 'TARGET_UNREACHABLE'],
  [{ placements: [{ sig: 0, page: 0, x: 3, y: 0, w: 1, h: 1 }] }, 'INVALID_SETTINGS'],
  [{ placements: [] }, 'INVALID_SETTINGS'],
])('refused: %j', async (settings, code) => {
  const source = writePdf(folder, 'page.pdf', await makePdf())
  const secondary = { sig0: await picture() }
  await expect(run(signPdf, folder, [source], settings, { secondary })).rejects.toMatchObject({ code })
})

test('an SVG is not a signature', async () => {
  const path = join(folder, 'a.svg')
  writeFileSync(path, '<svg xmlns="http://www.w3.org/2000/svg" width="4" height="4"/>')
  const settings = { placements: [{ sig: 0, page: 0, x: 0, y: 0, w: 1, h: 1 }] }
  const source = writePdf(folder, 'page.pdf', await makePdf())
  await expect(run(signPdf, folder, [source], settings, { secondary: { sig0: path } })).rejects.toMatchObject({
    code: 'UNSUPPORTED_FILE_TYPE',
  })
})
