import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { ghostscript, runGhostscript } from '../../../src/engines/ghostscript/ghostscript.ts'
import { complaints, makePdf, pageTexts } from '../../helpers/pdf.ts'
import { temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()

const TO_PDF = ['-sDEVICE=pdfwrite', '-sOutputFile=out.pdf']
/** A PostScript program that never ends. */
const ENDLESS = Buffer.from('%!PS\n{ } loop\n')

afterEach(() => {
  vi.unstubAllEnvs()
})

const installed = (await ghostscript.probe()).source === 'path'

describe.each([
  { name: 'WebAssembly', bundledOnly: true, skip: false },
  { name: 'installed program', bundledOnly: false, skip: !installed },
])('Ghostscript, $name', ({ bundledOnly, skip }) => {
  test.skipIf(skip)('writes a PDF with the same text, and returns only its own output', async () => {
    const pdf = await makePdf({ texts: ['first', 'second'] })
    const files = await runGhostscript([...TO_PDF, 'in.pdf'], { 'in.pdf': pdf }, { bundledOnly })
    expect([...files.keys()]).toEqual(['out.pdf'])
    expect(await pageTexts(files.get('out.pdf')!)).toEqual(['first', 'second'])
    expect(await complaints(files.get('out.pdf')!)).toEqual([])
  })

  test.skipIf(skip)('writes one file per page if a number is requested', async () => {
    const pdf = await makePdf({ pages: 3 })
    const args = ['-sDEVICE=pnggray', '-r72', '-sOutputFile=page-%d.png', 'in.pdf']
    const files = await runGhostscript(args, { 'in.pdf': pdf }, { bundledOnly })
    expect([...files.keys()].sort()).toEqual(['page-1.png', 'page-2.png', 'page-3.png'])
    const png = Buffer.from(files.get('page-2.png')!)
    expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([200, 300])
  })

  test.skipIf(skip)('reads a second file named by the program', async () => {
    const program = Buffer.from(
      '%!PS\n(data.txt) (r) file 20 string readline pop (%stdout) (w) file exch writestring showpage',
    )
    const files = await runGhostscript(
      [...TO_PDF, 'in.ps'],
      { 'in.ps': program, 'data.txt': Buffer.from('hello\n') },
      { bundledOnly },
    )
    expect([...files.keys()]).toEqual(['out.pdf'])
  })

  test.skipIf(skip)('cannot read other files', async () => {
    const program = Buffer.from('%!PS\n(/etc/passwd) (r) file closefile showpage')
    await expect(runGhostscript([...TO_PDF, 'in.ps'], { 'in.ps': program }, { bundledOnly })).rejects.toMatchObject({
      code: 'PROCESSING_FAILED',
    })
  })

  test.skipIf(skip)('a program error is PROCESSING_FAILED with its message as detail', async () => {
    const program = Buffer.from('%!PS\nnosuchoperator\n')
    const failure = runGhostscript([...TO_PDF, 'in.ps'], { 'in.ps': program }, { bundledOnly })
    await expect(failure).rejects.toMatchObject({ code: 'PROCESSING_FAILED' })
    await expect(failure).rejects.toMatchObject({ detail: expect.stringContaining('nosuchoperator') })
  })

  test.skipIf(skip)('stops at the time limit', async () => {
    const options = { bundledOnly, timeoutMs: 500 }
    await expect(runGhostscript([...TO_PDF, 'in.ps'], { 'in.ps': ENDLESS }, options)).rejects.toMatchObject({
      code: 'TIMEOUT',
    })
  })

  test.skipIf(skip)('stops on abort, and the main thread stays free meanwhile', async () => {
    const controller = new AbortController()
    let ticks = 0
    const timer = setInterval(() => {
      ticks++
      if (ticks === 20) controller.abort()
    }, 10)
    const options = { bundledOnly, signal: controller.signal }
    await expect(runGhostscript([...TO_PDF, 'in.ps'], { 'in.ps': ENDLESS }, options)).rejects.toMatchObject({
      code: 'CANCELED',
    })
    clearInterval(timer)
    expect(ticks).toBeGreaterThanOrEqual(20)
  })
})

test('does not start if already aborted', async () => {
  await expect(runGhostscript([], {}, { signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'CANCELED' })
})

test('uses the bundled program if none is installed', async () => {
  vi.stubEnv('PATH', '')
  expect(await ghostscript.probe()).toMatchObject({
    available: true,
    source: 'package',
    path: '@okathira/ghostpdl-wasm',
  })
})

test('reports a configured program that does not exist', async () => {
  vi.stubEnv('MEDIAPROC_GHOSTSCRIPT', '/nowhere/gs')
  expect(await ghostscript.probe()).toMatchObject({ available: false, warning: expect.stringContaining('/nowhere/gs') })
})

test('falls back to the bundled program if the installed one reads nothing and exits with 0', async () => {
  const path = join(folder, 'gs')
  const lines = ['#!/bin/sh', 'case "$*" in *--version*) echo 10.00.0; exit 0;; esac', 'echo empty > out.pdf']
  writeFileSync(path, [...lines, `echo "   **** Error: Couldn't initialise file." >&2`, ''].join('\n'), { mode: 0o755 })
  vi.stubEnv('MEDIAPROC_GHOSTSCRIPT', path)
  const files = await runGhostscript([...TO_PDF, 'in.pdf'], { 'in.pdf': await makePdf({ texts: ['All here'] }) })
  expect(await pageTexts(files.get('out.pdf')!)).toEqual(['All here'])
})
