import { existsSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { programFolder } from '../../src/engines/libreoffice/installation.ts'
import { findLibreOffice } from '../../src/engines/libreoffice/libreoffice.ts'
import { writeProfile } from '../../src/engines/libreoffice/profile.ts'
import { runProgram } from '../../src/engines/process/process.ts'
import { temporaryFolder } from '../helpers/tool.ts'

const folder = temporaryFolder()
const fresh = (): string => mkdtempSync(join(folder, 'profile-'))

/** What `soffice` starts. Its exit code asks for another start, which `soffice` then makes. */
const installed = await findLibreOffice()
const program = installed && join(await programFolder(installed.path), 'soffice.bin')

test('the extensions of a fresh profile are marked as those of the build', async () => {
  const installation = fresh()
  const [main, link] = [join(installation, 'program'), join(installation, 'soffice')]
  mkdirSync(main)
  writeFileSync(join(main, 'soffice'), '')
  writeFileSync(join(main, 'versionrc'), '[Version]\nAllLanguages=en-US\nbuildid=40(Build:2)\n')
  symlinkSync(join(main, 'soffice'), link)
  const profile = await writeProfile(fresh(), link)
  expect(readFileSync(join(profile.folder, 'user', 'extensions', 'buildid'), 'utf8')).toBe('40(Build:2)')
})

test('an installation that cannot be inspected gets a profile without marks', async () => {
  const profile = await writeProfile(fresh(), join(fresh(), 'wrapper'))
  expect(existsSync(join(profile.folder, 'user', 'registrymodifications.xcu'))).toBe(true)
  expect(existsSync(join(profile.folder, 'user', 'extensions'))).toBe(false)
})

test.runIf(program && existsSync(program))(
  'LibreOffice needs one start, and draws no test pictures, with a fresh profile',
  async () => {
    const place = fresh()
    const profile = await writeProfile(place, installed!.path)
    writeFileSync(join(place, 'in.txt'), 'one line')
    const args = [`-env:UserInstallation=${pathToFileURL(profile.folder).href}`, '--headless', '--convert-to', 'pdf']
    const { exitCode } = await runProgram(program!, [...args, '--outdir', place, join(place, 'in.txt')], {
      what: 'LibreOffice',
      // 81 asks for a second start.
      allowExit: [0, 81],
      environment: { HOME: place, TMPDIR: place },
    })
    expect(exitCode).toBe(0)
    expect(readFileSync(join(place, 'in.pdf'), 'latin1').slice(0, 5)).toBe('%PDF-')
    expect(existsSync(join(profile.folder, 'user', 'GraphicsRenderTests.log'))).toBe(false)
  },
)
