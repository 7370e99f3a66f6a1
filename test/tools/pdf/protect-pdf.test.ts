import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { runQpdf } from '../../../src/engines/qpdf.ts'
import { openPdf } from '../../../src/media/pdf/document.ts'
import protectPdf from '../../../tools/pdf/security/protect-pdf.ts'
import unlockPdf from '../../../tools/pdf/security/unlock-pdf.ts'
import { badPdfs, writePdf } from '../../helpers/bad-pdf.ts'
import { complaints, makeEncryptedPdf, makePdf, pageTexts } from '../../helpers/pdf.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()
const plain = async () => writePdf(folder, 'plain.pdf', await makePdf({ texts: ['Secret words'] }))

const opens = async (bytes: Uint8Array, password?: string) =>
  openPdf(bytes, password === undefined ? {} : { password }).then(
    (document) => {
      document.close()
      return 'open'
    },
    (error) => error.code as string,
  )

describe('protect', () => {
  test('AES-256; the owner password is the same by default', async () => {
    const { paths, names } = await run(protectPdf, folder, [await plain()], { userPassword: 'sésame 1' })
    expect(names).toEqual(['plain_protected.pdf'])
    const bytes = readFileSync(paths[0]!)
    expect(await opens(bytes)).toBe('PASSWORD_PROTECTED')
    expect(await opens(bytes, 'wrong')).toBe('WRONG_PASSWORD')
    expect(await pageTexts(bytes, 'sésame 1')).toEqual(['Secret words'])
    expect(await complaints(bytes, 'sésame 1')).toEqual([])
    expect(bytes.includes('Secret words')).toBe(false)
    expect(bytes.toString('latin1')).toMatch(/\/V 5\b/)
    expect(bytes.toString('latin1')).toMatch(/\/R 6\b/)
  })

  test('two passwords: both open', async () => {
    const settings = { userPassword: 'user', ownerPassword: 'owner' }
    const bytes = readFileSync((await run(protectPdf, folder, [await plain()], settings)).paths[0]!)
    expect([await opens(bytes, 'user'), await opens(bytes, 'owner')]).toEqual(['open', 'open'])
  })

  const BOTH = { userPassword: 'user', ownerPassword: 'owner' }

  /** Operations that qpdf reports as forbidden with the user password. */
  async function forbidden(settings: Record<string, unknown>): Promise<string[]> {
    const bytes = readFileSync((await run(protectPdf, folder, [await plain()], settings)).paths[0]!)
    const { stdout } = await runQpdf(['--password=user', '--show-encryption', 'a.pdf'], { 'a.pdf': bytes })
    expect(stdout).toContain('extract for accessibility: allowed')
    return [...stdout.matchAll(/^(.+): not allowed$/gm)].map(([, what]) => what!)
  }

  test.each([
    [{ printing: 'low' }, ['print high resolution']],
    [{ printing: 'none' }, ['print low resolution', 'print high resolution']],
    [{ copying: false }, ['extract for any purpose']],
    [{ modifying: false }, ['modify other', 'modify anything']],
    [{ annotating: false }, ['modify annotations', 'modify anything']],
    [{ assembling: false }, ['modify document assembly', 'modify anything']],
    [{ annotating: false, formFilling: false }, ['modify forms', 'modify annotations', 'modify anything']],
  ])('%o is what the file forbids', async (permissions, expected) => {
    expect(await forbidden({ ...BOTH, ...permissions })).toEqual(expected)
  })

  test('without permissions nothing is forbidden, and a note says so for a second password', async () => {
    expect(await forbidden(BOTH)).toEqual([])
    const { warnings } = await run(protectPdf, folder, [await plain()], BOTH, { strict: true })
    expect(warnings).toEqual([
      'The owner password restricts nothing: set copying, modifying, … to false, or printing to none',
    ])
    expect((await run(protectPdf, folder, [await plain()], { userPassword: 'user' })).warnings).toEqual([])
  })

  test.each([
    [{ userPassword: 'user', copying: false }, 'Restrictions need an ownerPassword'],
    [{ userPassword: 'user', ownerPassword: 'user', printing: 'low' }, 'Restrictions need an ownerPassword'],
    [{ ...BOTH, formFilling: false }, 'formFilling=false needs annotating=false'],
  ])('%o cannot be set', async (settings, message) => {
    await expect(run(protectPdf, folder, [await plain()], settings)).rejects.toMatchObject({
      code: 'INVALID_SETTINGS',
      message: expect.stringContaining(message),
    })
  })

  test('the longest passwords open in another program, too', async () => {
    const long = 'ä'.repeat(200)
    const bytes = readFileSync((await run(protectPdf, folder, [await plain()], { userPassword: long })).paths[0]!)
    expect(await opens(bytes, long)).toBe('open')
    expect(await complaints(bytes, long)).toEqual([])
  })

  test('refused, and no message contains a password', async () => {
    for (const settings of [
      {},
      { userPassword: '' },
      { userPassword: 'geheim'.repeat(50) },
      { userPassword: 'geheim', ownerPassword: '' },
    ]) {
      const error = await run(protectPdf, folder, [await plain()], settings).catch((thrown) => thrown)
      expect(error.code).toBe('INVALID_SETTINGS')
      expect(JSON.stringify(error) + error.message + error.detail).not.toContain('geheim')
    }
    for (const { path, code } of await badPdfs(folder))
      await expect(run(protectPdf, folder, [path], { userPassword: 'x' }), path).rejects.toMatchObject({ code })
  })
})

describe('unlock', () => {
  test.each(['user', 'owner'])('with the %s password', async (password) => {
    const locked = writePdf(folder, 'locked.pdf', await makeEncryptedPdf('user', 'owner', { texts: ['Free'] }))
    const { paths, names } = await run(unlockPdf, folder, [locked], { password })
    expect(names).toEqual(['locked_unlocked.pdf'])
    const bytes = readFileSync(paths[0]!)
    expect(await pageTexts(bytes)).toEqual(['Free'])
    expect(bytes.includes('/Encrypt')).toBe(false)
    expect(await complaints(bytes)).toEqual([])
  })

  test('a wrong password; an unnecessary one', async () => {
    const locked = writePdf(folder, 'locked.pdf', await makeEncryptedPdf('user', 'owner'))
    const error = await run(unlockPdf, folder, [locked], { password: 'geheim' }).catch((thrown) => thrown)
    expect([error.code, error.status]).toEqual(['WRONG_PASSWORD', 400])
    expect(error.message).toBe('The password for locked.pdf is wrong')
    const { paths } = await run(unlockPdf, folder, [await plain()], { password: 'any' })
    expect(await pageTexts(readFileSync(paths[0]!))).toEqual(['Secret words'])
  })

  test('invalid input is refused with its code', async () => {
    for (const { path, code } of (await badPdfs(folder)).filter((bad) => bad.code !== 'PASSWORD_PROTECTED'))
      await expect(run(unlockPdf, folder, [path], { password: 'x' }), path).rejects.toMatchObject({ code })
    await expect(run(unlockPdf, folder, [await plain()])).rejects.toMatchObject({ code: 'INVALID_SETTINGS' })
  })
})
