import { readFileSync } from 'node:fs'
import { afterEach, expect, test, vi } from 'vitest'
import { runQpdf } from '../../../src/engines/qpdf.ts'
import linearizePdf from '../../../tools/pdf/optimize/linearize-pdf.ts'
import { writePdf } from '../../helpers/bad-pdf.ts'
import { makeEncryptedPdf, makePdf, pageTexts } from '../../helpers/pdf.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()
afterEach(() => void vi.useRealTimers())

async function linearized(path: string): Promise<string> {
  const { paths, names } = await run(linearizePdf, folder, [path])
  expect(names[0]).toMatch(/_linearized\.pdf$/)
  const { stdout } = await runQpdf(['--check-linearization', 'a.pdf'], { 'a.pdf': readFileSync(paths[0]!) })
  expect(stdout).toContain('no linearization errors')
  return paths[0]!
}

test('the result is ordered for the web, also when repeated', async () => {
  const once = await linearized(writePdf(folder, 'a.pdf', await makePdf({ pages: 3, images: [20, 20] })))
  expect(await pageTexts(readFileSync(await linearized(once)))).toEqual(['Page 1', 'Page 2', 'Page 3'])
})

test('keeps encryption without an open password', async () => {
  const bytes = readFileSync(await linearized(writePdf(folder, 'b.pdf', await makeEncryptedPdf('', 'owner'))))
  expect((await runQpdf(['--is-encrypted', 'a.pdf'], { 'a.pdf': bytes })).exitCode).toBe(0)
})

test('the bytes are the same a day later', async () => {
  const path = writePdf(folder, 'c.pdf', await makePdf({ pages: 2 }))
  const one = readFileSync(await linearized(path))
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 86_400_000 })
  expect(readFileSync(await linearized(path)).equals(one)).toBe(true)
})
