import { expect, test, vi } from 'vitest'
import { loadMupdf, mupdf, takeMupdfMessages, withMupdfErrors } from '../../src/engines/mupdf.ts'
import { MediaprocError } from '../../src/errors.ts'

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
