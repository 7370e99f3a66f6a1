import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { loadMupdf } from '../../src/engines/mupdf.ts'
import * as documents from '../../src/media/pdf/document.ts'
import { useScannedCatalogue } from '../../src/tool/registry.ts'
import { complaints, makeEncryptedPdf, makePdf, pageTexts } from '../helpers/pdf.ts'
import { type ChainStep, fused, stepByStep } from '../helpers/pipeline.ts'
import { temporaryFolder } from '../helpers/tool.ts'

const openPdfFile = vi.spyOn(documents, 'openPdfFile')
const savePdf = vi.spyOn(documents, 'savePdf')

const folder = temporaryFolder()

beforeAll(useScannedCatalogue)

async function boxes(bytes: Uint8Array): Promise<unknown[]> {
  const mupdf = await loadMupdf()
  const pdf = new mupdf.PDFDocument(bytes)
  const found = Array.from({ length: pdf.countPages() }, (_, index) => {
    const page = pdf.findPage(index)
    return {
      bounds: pdf.loadPage(index).getBounds(),
      rotate: page.getInheritable('Rotate').isNull() ? 0 : page.getInheritable('Rotate').asNumber(),
    }
  })
  pdf.destroy()
  return found
}

const STEPS: ChainStep[] = [
  ['pdf/rotate-pdf', { angle: 90, range: '2' }],
  ['pdf/watermark-pdf', { text: 'DRAFT %p of %P', position: 'br', fontSize: 10, rotation: 0 }],
  ['pdf/rotate-pdf', { angle: 180, range: '3' }],
]

describe('a chain of PDF steps', () => {
  test('opens and saves once, with the same pages', async () => {
    const input = join(folder, 'three.pdf')
    writeFileSync(
      input,
      await makePdf({
        texts: ['one', 'two', 'three'],
        sizes: [
          [200, 300],
          [400, 250],
        ],
      }),
    )
    openPdfFile.mockClear()
    savePdf.mockClear()
    const { paths } = await fused(STEPS, folder, input)
    expect(openPdfFile).toHaveBeenCalledTimes(1)
    expect(savePdf).toHaveBeenCalledTimes(1)
    const [one, many] = [paths[0]!, await stepByStep(STEPS, folder, input)].map((path) => readFileSync(path))
    expect(await pageTexts(one!)).toEqual(await pageTexts(many!))
    expect((await pageTexts(one!))[1]).toContain('DRAFT 2 of 3')
    expect(await boxes(one!)).toEqual(await boxes(many!))
    expect(await complaints(one!)).toEqual([])
  })

  test("a step's password protects the result, regardless of later steps", async () => {
    const input = join(folder, 'open.pdf')
    writeFileSync(input, await makePdf({ texts: ['secret'] }))
    const { paths } = await fused(
      [
        ['pdf/protect-pdf', { userPassword: 'geheim' }],
        ['pdf/watermark-pdf', { text: 'COPY' }],
      ],
      folder,
      input,
    )
    const bytes = readFileSync(paths[0]!)
    const mupdf = await loadMupdf()
    expect(new mupdf.PDFDocument(bytes).needsPassword()).toBe(true)
    expect((await pageTexts(bytes, 'geheim'))[0]).toContain('COPY')
  })

  test('removes protection only with its password, also after another step', async () => {
    const input = join(folder, 'restricted.pdf')
    writeFileSync(input, await makeEncryptedPdf('', 'owner', { texts: ['restricted'] }))
    const chain = (password: string): ChainStep[] => [
      ['pdf/rotate-pdf', { angle: 90 }],
      ['pdf/unlock-pdf', { password }],
    ]
    await expect(fused(chain('wrong'), folder, input)).rejects.toMatchObject({
      code: 'WRONG_PASSWORD',
      message: expect.stringMatching(/^step 2 \(pdf\/unlock-pdf\): /),
    })
    const { paths } = await fused(chain('owner'), folder, input)
    const mupdf = await loadMupdf()
    const pdf = new mupdf.PDFDocument(readFileSync(paths[0]!))
    expect(pdf.getTrailer().get('Encrypt').isNull()).toBe(true)
    expect(pdf.findPage(0).get('Rotate').asNumber()).toBe(90)
  })
})
