import { existsSync, readdirSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { describe, expect, test, vi } from 'vitest'
import { runQpdf } from '../../../src/engines/qpdf.ts'
import { openPdf, savePdf } from '../../../src/media/pdf/document.ts'
import { extractPageTexts, extractText } from '../../../src/media/pdf/structure/text.ts'
import { complaints, makeEncryptedPdf, makePdf, noisePng, pageTexts } from '../../helpers/pdf.ts'

const CORPUS = '/work/shared/corpus/documents'
const latin1 = (bytes: Uint8Array) => Buffer.from(bytes).toString('latin1')
const bytesOf = (text: string) => Buffer.from(text, 'latin1')

/** A hand-written file without a cross-reference table. */
const withPages = (pages: string) =>
  bytesOf(
    `%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj${pages}endobj\n` +
      '3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 100 100]>>endobj\ntrailer<</Root 1 0 R/Size 4>>\nstartxref\n0\n%%EOF',
  )

async function encryptionOf(bytes: Uint8Array, password: string): Promise<string> {
  return (await runQpdf(['--show-encryption', `--password=${password}`, 'a.pdf'], { 'a.pdf': bytes })).stdout
}

describe('opening', () => {
  test('opens a valid document, from memory and from a path', async () => {
    const bytes = await makePdf({ texts: ['one', 'two'] })
    const folder = await mkdtemp(join(tmpdir(), 'mediaproc-test-'))
    await writeFile(join(folder, 'a.pdf'), bytes)
    for (const input of [bytes, join(folder, 'a.pdf')]) {
      const document = await openPdf(input)
      expect(document.pageCount).toBe(2)
      expect(extractText(document)).toBe('one\ntwo')
      document.close()
      document.close()
    }
    await rm(folder, { recursive: true })
  })

  test.each([
    ['a text', 'hello', 'is not a PDF'],
    ['an unfinished mark', '%PDF', 'is not a PDF'],
    ['no objects', '%PDF-1.7\nnothing at all', 'is damaged: nothing in it can be read'],
    ['a cut start', '%PDF-1.7\n1 0 obj\n<</Type /Catalog', 'is damaged'],
  ])('%s is INVALID_FILE', async (_name, text, sentence) => {
    const failure = openPdf(bytesOf(text), { name: 'x.pdf' })
    await expect(failure).rejects.toMatchObject({ code: 'INVALID_FILE' })
    await expect(failure).rejects.toThrow(`x.pdf ${sentence}`)
  })

  test('no bytes are EMPTY_FILE, a missing file is FILE_NOT_FOUND', async () => {
    await expect(openPdf(new Uint8Array())).rejects.toMatchObject({ code: 'EMPTY_FILE' })
    await expect(openPdf('/nowhere/a.pdf')).rejects.toMatchObject({ code: 'FILE_NOT_FOUND' })
  })

  test('refuses bytes before the header, unless allowed', async () => {
    const bytes = Buffer.concat([Buffer.from('junk\n'), await makePdf()])
    await expect(openPdf(bytes)).rejects.toMatchObject({ code: 'INVALID_FILE' })
    const document = await openPdf(bytes, { headerWithin: 1024 })
    expect(document.pageCount).toBe(1)
    document.close()
  })

  test('refuses a cut file with a hint to repair, and repairs it on request', async () => {
    const bytes = await makePdf({ texts: ['kept'] })
    const cut = bytes.subarray(0, latin1(bytes).lastIndexOf('startxref'))
    await expect(openPdf(cut)).rejects.toMatchObject({
      code: 'INVALID_FILE',
      message: 'The PDF is damaged: its end is missing',
      hint: expect.stringContaining('repair-pdf'),
    })
    const document = await openPdf(cut, { repair: true })
    const saved = await document.save()
    document.close()
    expect(await complaints(saved)).toEqual([])
    expect(await pageTexts(saved)).toEqual(['kept'])
  })

  test('accepts a single wrong cross-reference offset, as qpdf does', async () => {
    const text = latin1(await makePdf({ texts: ['all here'] })).replace(/startxref\n\d+/, 'startxref\n7')
    const document = await openPdf(bytesOf(text))
    expect(extractPageTexts(document)).toEqual(['all here'])
    document.close()
  })

  test('refuses a page without its content', async () => {
    const text = latin1(await makePdf({ pages: 2 }))
    const broken = text
      .replace(/startxref\n\d+/, 'startxref\n7')
      .replace(/\/Contents (\[ ?)?\d+ 0 R/, '/Contents $199 0 R')
    expect(broken).toContain('99 0 R')
    await expect(openPdf(bytesOf(broken))).rejects.toThrow(/content of page 1 is missing/)
  })

  test.each([
    ['two thousand million pages', '<</Type/Pages/Kids[3 0 R]/Count 2000000000>>'],
    ['less than no pages', '<</Type/Pages/Kids[3 0 R]/Count -5>>'],
    ['more pages than there are', '<</Type/Pages/Kids[3 0 R]/Count 5>>'],
    ['a tree that bites its tail', '<</Type/Pages/Kids[2 0 R]/Count 1>>'],
    ['no pages', '<</Type/Pages/Kids[]/Count 0>>'],
  ])('%s: INVALID_FILE', async (_name, pages) => {
    await expect(openPdf(withPages(pages))).rejects.toMatchObject({ code: 'INVALID_FILE' })
  })

  test('the limit on pages, from the options and from the environment', async () => {
    const bytes = await makePdf({ pages: 3 })
    await expect(openPdf(bytes, { maxPages: 2 })).rejects.toMatchObject({
      code: 'LIMIT_EXCEEDED',
      message: 'The PDF has 3 pages, the limit is 2',
    })
    vi.stubEnv('MAX_PDF_PAGES', '2')
    await expect(openPdf(bytes)).rejects.toMatchObject({ code: 'LIMIT_EXCEEDED' })
    ;(await openPdf(bytes, { repair: true })).close()
    ;(await openPdf(bytes, { maxPages: 0 })).close()
    vi.unstubAllEnvs()
  })
})

describe('passwords', () => {
  test('requires and checks an open password', async () => {
    const bytes = await makeEncryptedPdf('user', 'owner', { texts: ['secret'] })
    await expect(openPdf(bytes)).rejects.toMatchObject({ code: 'PASSWORD_PROTECTED' })
    await expect(openPdf(bytes, { password: 'wrong' })).rejects.toMatchObject({ code: 'WRONG_PASSWORD' })
    await expect(openPdf(bytes, { password: '' })).rejects.toMatchObject({ code: 'WRONG_PASSWORD' })
    for (const password of ['user', 'owner']) {
      const document = await openPdf(bytes, { password })
      expect(extractText(document)).toBe('secret')
      expect(inspect(document)).not.toContain(password)
      document.close()
    }
    const locked = await openPdf(bytes, { requireUnlocked: false })
    expect(locked.isEncrypted).toBe(true)
    locked.close()
  })

  test('an owner password alone does not lock, and is kept in the saved file', async () => {
    const document = await openPdf(await makeEncryptedPdf('', 'owner'))
    const saved = await document.save()
    document.close()
    expect(await encryptionOf(saved, 'owner')).toContain('Supplied password is owner password')
    expect(await complaints(saved)).toEqual([])
  })

  test('the file keeps its encryption, loses it, or gets another', async () => {
    const bytes = await makeEncryptedPdf('user', 'owner', { texts: ['secret'] })
    const document = await openPdf(bytes, { password: 'user' })
    const kept = await document.save()
    document.target.encryption = { userPassword: 'nëw, "x"', ownerPassword: '-o=1' }
    const changed = await document.save()
    document.target.encryption = 'none'
    const plain = await document.save()
    document.close()
    expect(await pageTexts(kept, 'user')).toEqual(['secret'])
    expect(await encryptionOf(kept, 'owner')).toContain('owner password')
    expect(await encryptionOf(changed, 'nëw, "x"')).toMatch(
      /R = 6[\s\S]*Supplied password is user password[\s\S]*AESv3/,
    )
    expect(await encryptionOf(changed, '-o=1')).toContain('Supplied password is owner password')
    expect(await complaints(changed, '-o=1')).toEqual([])
    expect(latin1(plain)).not.toContain('/Encrypt')
    expect(await pageTexts(plain)).toEqual(['secret'])
  })

  test('linearized and encrypted at once', async () => {
    const document = await openPdf(await makePdf({ texts: ['x'] }))
    document.target.linearize = true
    document.target.encryption = { userPassword: 'a', ownerPassword: 'b' }
    const bytes = await document.save()
    document.close()
    const { stdout } = await runQpdf(['--password=a', '--check', 'a.pdf'], { 'a.pdf': bytes })
    expect(stdout).toContain('File is linearized')
    expect(await pageTexts(bytes, 'b')).toEqual(['x'])
  })

  test('ignores a password for a file without one', async () => {
    const document = await openPdf(await makePdf(), { password: 'anything' })
    expect(document.isEncrypted).toBe(false)
    document.close()
  })
})

describe('saving', () => {
  test('is reproducible to the byte and keeps the first half of the ID', async () => {
    const source = latin1(await makePdf({ pages: 2 }))
    const named = source.replace(
      '/Root',
      '/ID [<00112233445566778899AABBCCDDEEFF> <FFEEDDCCBBAA99887766554433221100>]\n/Root',
    )
    const saved: string[] = []
    for (let round = 0; round < 2; round++) {
      const document = await openPdf(bytesOf(named))
      saved.push(latin1(await document.save()))
      document.close()
    }
    expect(saved[0]).toBe(saved[1])
    expect(saved[0]!.toUpperCase()).toContain('<00112233445566778899AABBCCDDEEFF>')
  })

  test('removes unreferenced objects', async () => {
    const document = await openPdf(await makePdf({ pages: 1 }))
    document.pdf.addStream(noisePng(80, 80), {})
    const bytes = await document.save()
    document.close()
    expect(bytes.length).toBeLessThan(2000)
    expect(await complaints(bytes)).toEqual([])
  })

  test('compress merges equal pictures', async () => {
    const options = { pages: 3, images: [40, 40] as [number, number] }
    const sizes: number[] = []
    for (const compress of [false, true]) {
      const first = await openPdf(await makePdf(options))
      // The same picture again, as another object.
      const pictures = first.pdf.findPage(0).get('Resources', 'XObject')
      pictures.forEach((picture) => {
        const copy = first.pdf.addRawStream(picture.readRawStream(), picture.resolve())
        first.pdf.findPage(1).get('Resources', 'XObject').put('Twin', copy)
      })
      first.target.compress = compress
      const bytes = await first.save()
      first.close()
      expect(await complaints(bytes)).toEqual([])
      sizes.push(bytes.length)
    }
    expect(sizes[0]! - sizes[1]!).toBeGreaterThan(4000)
  })

  test('savePdf writes the file', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'mediaproc-test-'))
    const document = await openPdf(await makePdf({ texts: ['on disk'] }))
    await savePdf(document, join(folder, 'out.pdf'))
    document.close()
    expect(await pageTexts(await readFile(join(folder, 'out.pdf')))).toEqual(['on disk'])
    await rm(folder, { recursive: true })
  })
})

test('reads a file above 64 MB in pieces, and saves it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'mediaproc-test-'))
  const path = join(folder, 'large.pdf')
  const small = await openPdf(await makePdf({ texts: ['large'] }))
  small.pdf
    .findPage(0)
    .get('Resources')
    .put('Properties', { Ballast: small.pdf.addStream(Buffer.alloc(65 << 20, 1), {}) })
  await writeFile(path, small.pdf.saveToBuffer('').asUint8Array())
  small.close()
  const document = await openPdf(path)
  expect(extractText(document)).toBe('large')
  const saved = await document.save()
  document.close()
  expect(saved.length).toBeLessThan(200_000)
  expect(await pageTexts(saved)).toEqual(['large'])
  await rm(folder, { recursive: true })
})

test.skipIf(!existsSync(CORPUS))(
  'real files keep their text and get a valid structure',
  async () => {
    for (const name of readdirSync(CORPUS).filter((file) => file.endsWith('.pdf') && !file.includes('password'))) {
      const document = await openPdf(join(CORPUS, name))
      const before = extractPageTexts(document)
      const saved = await document.save()
      document.close()
      const again = await openPdf(saved)
      expect(extractPageTexts(again), name).toEqual(before)
      again.close()
      expect(await complaints(saved), name).toEqual([])
    }
  },
  60_000,
)
