import { expect, test } from 'vitest'
import { checkPdf, copyEncryption, describePdf, linearize, qpdf, runQpdf } from '../../src/engines/qpdf.ts'
import { complaints, makeEncryptedPdf, makePdf, pageTexts } from '../helpers/pdf.ts'

test('a valid file passes the check without a message', async () => {
  expect(await checkPdf(await makePdf({ pages: 2 }))).toEqual({ ok: true, warnings: false, messages: [] })
})

test('a cut file fails the check, and our own exit code is unchanged', async () => {
  const before = process.exitCode
  const bytes = await makePdf()
  const check = await checkPdf(bytes.subarray(0, bytes.length - 60))
  expect(check.ok).toBe(false)
  expect(check.messages.join()).toContain('startxref')
  expect(process.exitCode).toBe(before)
})

test('descriptions of many files, one of them cut, are each of their own', async () => {
  const documents = await Promise.all([1, 2, 3].map((pages) => makePdf({ pages })))
  const count = async (bytes: Uint8Array) => (await describePdf(bytes, '')).match(/"\/Type": "\/Page"/g)?.length
  for (let round = 0; round < 100; round++) {
    const pages = (round % 3) + 1
    const document = documents[pages - 1] ?? new Uint8Array()
    expect(await count(document)).toBe(pages)
    if (round === 50)
      await expect(count(document.subarray(0, -60))).rejects.toMatchObject({
        code: 'PROCESSING_FAILED',
        detail: expect.stringContaining('startxref'),
      })
  }
  expect(await Promise.all(documents.map(count))).toEqual([1, 2, 3])
})

test('linearize orders a file for the web', async () => {
  const bytes = await linearize(await makePdf({ texts: ['one', 'two'] }))
  expect(Buffer.from(bytes.subarray(0, 1024)).toString('latin1')).toContain('/Linearized')
  const { stdout } = await runQpdf(['--check', 'a.pdf'], { 'a.pdf': bytes })
  expect(stdout).toContain('File is linearized')
  expect(await complaints(bytes)).toEqual([])
  expect(await pageTexts(bytes)).toEqual(['one', 'two'])
})

test('linearize keeps the encryption if the password is given', async () => {
  const bytes = await linearize(await makeEncryptedPdf('user,"1', 'owner'), 'user,"1')
  expect((await runQpdf(['--password=user,"1', '--is-encrypted', 'a.pdf'], { 'a.pdf': bytes })).exitCode).toBe(0)
  expect(await complaints(bytes, 'user,"1')).toEqual([])
  expect((await checkPdf(bytes, 'wrong')).ok).toBe(false)
})

test('copyEncryption copies both passwords', async () => {
  const bytes = await copyEncryption(await makePdf({ texts: ['new'] }), await makeEncryptedPdf('', '@owner'))
  const { stdout } = await runQpdf(['--show-encryption', '--password=@owner', 'a.pdf'], { 'a.pdf': bytes })
  expect(stdout).toContain('Supplied password is owner password')
  expect(await pageTexts(bytes)).toEqual(['new'])
})

test("a file that is not a PDF is PROCESSING_FAILED with qpdf's message as detail", async () => {
  await expect(linearize(Buffer.from('%PDF-1.7 nothing'))).rejects.toMatchObject({
    code: 'PROCESSING_FAILED',
    detail: expect.stringContaining('exit code 2'),
  })
})

test('the probe returns the version', async () => {
  expect(await qpdf.probe()).toMatchObject({ available: true, version: '12.2.0', source: 'package' })
})
