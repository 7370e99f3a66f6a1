import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeEncryptedPdf, makePdf } from './pdf.ts'

/** Files that PDF tools refuse when opening, with their codes. */
export async function badPdfs(folder: string): Promise<Array<{ path: string; code: string }>> {
  const whole = await makePdf({ pages: 3 })
  const rows: Array<[name: string, content: string | Uint8Array, code: string]> = [
    ['empty.pdf', '', 'EMPTY_FILE'],
    ['text.pdf', 'not a PDF at all\n', 'INVALID_FILE'],
    ['cut.pdf', whole.subarray(0, Math.floor(whole.length * 0.6)), 'INVALID_FILE'],
    ['locked.pdf', await makeEncryptedPdf('user', 'owner'), 'PASSWORD_PROTECTED'],
  ]
  return rows.map(([name, content, code]) => {
    const path = join(folder, name)
    writeFileSync(path, content)
    return { path, code }
  })
}

/** Writes a PDF into the folder and returns its path. */
export function writePdf(folder: string, name: string, bytes: Uint8Array): string {
  const path = join(folder, name)
  writeFileSync(path, bytes)
  return path
}
