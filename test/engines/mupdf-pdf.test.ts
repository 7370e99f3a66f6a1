import { setTimeout } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { Shade } from 'mupdf'
import { expect, test, vi } from 'vitest'
import {
  borrowShade,
  loadMupdf,
  mupdf,
  takeMupdfMessages,
  withMupdfErrors,
  withoutSurprise,
} from '../../src/engines/mupdf.ts'
import { MediaprocError } from '../../src/errors.ts'
import { rawPdf, stream } from '../helpers/raw-pdf.ts'

test('the probe returns the version', async () => {
  expect(await mupdf.probe()).toEqual({ available: true, version: '1.28.1', path: 'mupdf', source: 'package' })
})

test("keeps the library's messages for the detail and prints none", async () => {
  const printed = vi.spyOn(console, 'error')
  const library = await loadMupdf()
  const open = () => library.PDFDocument.openDocument(Buffer.from('%PDF-1.7\nnothing'), 'application/pdf')
  let caught: unknown
  try {
    withMupdfErrors('INVALID_FILE', 'It is damaged', open)
  } catch (error) {
    caught = error
  }
  expect(caught).toBeInstanceOf(MediaprocError)
  expect(caught).toMatchObject({ code: 'INVALID_FILE', message: 'It is damaged' })
  expect((caught as MediaprocError).detail).toContain('no objects found')
  expect((caught as MediaprocError).detail).toContain('repair')
  expect(takeMupdfMessages()).toBe('')
  expect(printed).not.toHaveBeenCalled()
})

test('passes on MediaprocErrors', () => {
  const error = new MediaprocError('LIMIT_EXCEEDED')
  expect(() =>
    withMupdfErrors('PROCESSING_FAILED', 'other', () => {
      throw error
    }),
  ).toThrow(error)
})

test('an entry of a missing object is a damaged document, and an error of ours stays one', async () => {
  const { PDFDocument } = await loadMupdf()
  const pdf = new PDFDocument()
  const thrown = (work: () => unknown): unknown => {
    try {
      work()
    } catch (error) {
      return error
    }
    return undefined
  }
  const missing = pdf.getTrailer().get('Nothing')
  for (const work of [() => missing.get('Entry'), () => missing.put('Entry', 1), () => missing.readStream()])
    expect(withoutSurprise(thrown(work), 'a.pdf')).toMatchObject({ code: 'PROCESSING_FAILED' })
  const own = thrown(() => (undefined as unknown as { name: string }).name)
  expect(withoutSurprise(own, 'a.pdf')).toBe(own)
  pdf.destroy()
})

test('a shading that a device received is not released when it is collected', async () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const library = await loadMupdf()
  const shades = library.Shade as unknown as { _drop: unknown; _finalizer: unknown }
  const { _drop, _finalizer } = shades
  const release = vi.fn()
  Object.assign(shades, { _drop: release, _finalizer: undefined })
  const shading =
    '/Shading << /S1 << /ShadingType 2 /ColorSpace /DeviceGray /Coords [0 0 300 0] /Function << /FunctionType 2 /Domain [0 1] /C0 [0] /C1 [1] /N 1 >> >> >>'
  const objects = {
    1: '<< /Type /Catalog /Pages 2 0 R >>',
    2: '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    3: `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 200] /Contents 4 0 R /Resources << ${shading} >> >>`,
    4: stream('/S1 sh'),
  }
  const page = library.PDFDocument.openDocument(rawPdf(objects), 'application/pdf').loadPage(0)
  const draw = async (take: (shade: Shade) => Shade): Promise<void> => {
    const device = new library.Device({ fillShade: (shade) => void expect(take(shade).getBounds()).toHaveLength(4) })
    page.run(device, library.Matrix.identity)
    device.close()
    device.destroy()
    // Finalizers run between tasks.
    for (let round = 0; round < 5; round++) await setTimeout(1, collect())
  }
  await draw(borrowShade)
  expect(release).not.toHaveBeenCalled()
  await draw((shade) => shade)
  // Without it the library would.
  expect(release).toHaveBeenCalledOnce()
  Object.assign(shades, { _drop, _finalizer })
})
