// npm run bench:pdf-memory [-- MEGABYTES] [--save]: peak memory of PDF tools for a file of scans (300 MB by default).
// The limit is the file size plus 250 MB; tools that only rotate, mark or encrypt pages stay below 250 MB for any size.
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { PDFDocument } from 'pdf-lib'
import sharp from 'sharp'
import { once } from './measure.mjs'
import { saveBlock } from './save.mjs'

const megabytes = Number(process.argv.slice(2).find((argument) => /^\d+$/.test(argument)) ?? 300)
const folder = mkdtempSync(join(tmpdir(), 'mediaproc-bench-'))
const scans = join(folder, 'scans.pdf')
const program = fileURLToPath(new URL('../bin/mediaproc.js', import.meta.url))

/** Pages of noise, A4 at 300 dpi; a comment makes each JPEG unique. */
async function makeScans() {
  const noise = { type: 'gaussian', mean: 128, sigma: 40 }
  const page = await sharp({ create: { width: 2480, height: 3508, channels: 3, noise } })
    .jpeg({ quality: 80 })
    .toBuffer()
  const document = await PDFDocument.create()
  for (let number = 0; number * page.length < megabytes * 1e6; number += 1) {
    const text = Buffer.from(`page ${number}`)
    const comment = Buffer.concat([Buffer.from([0xff, 0xfe, 0, text.length + 2]), text])
    const image = await document.embedJpg(Buffer.concat([page.subarray(0, 2), comment, page.subarray(2)]))
    document.addPage([595, 842]).drawImage(image, { x: 0, y: 0, width: 595, height: 842 })
  }
  await writeFile(scans, await document.save({ useObjectStreams: false }))
}

const cases = {
  'rotate-pdf': ['--angle', '90'],
  'watermark-pdf': ['--text', 'DRAFT'],
  'protect-pdf': ['--user-password', 'secret'],
  'linearize-pdf': [],
  'remove-pages': ['--pages', '1'],
  'organize-pdf': ['--order', 'z-1'],
}

const table = ['| tool | file MB | peak MB | seconds |', '|---|---|---|---|']
try {
  await makeScans()
  const size = statSync(scans).size / 1e6
  for (const line of table) console.log(line)
  for (const [tool, settings] of Object.entries(cases)) {
    const output = join(folder, 'out.pdf')
    const command = ['node', program, 'pdf', tool, scans, ...settings, '-o', output, '--force', '-q']
    const { ms, peak } = await once(command)
    table.push(`| ${tool} | ${size.toFixed(0)} | ${(peak * 1.048576).toFixed(0)} | ${(ms / 1000).toFixed(1)} |`)
    console.log(table.at(-1))
  }
  if (process.argv.includes('--save')) saveBlock('pdf-memory', table.join('\n'))
} finally {
  rmSync(folder, { recursive: true, force: true })
}
