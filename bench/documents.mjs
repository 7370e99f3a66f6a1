// npm run bench:documents [-- NAME…] [--save]: PDFs and tables of realistic size, compared with established programs.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { availableParallelism, cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { makeReport, makeTable } from './document-inputs.mjs'
import { has, race, versionOf } from './measure.mjs'
import { saveBlock } from './save.mjs'
import { median, ratios, withSpread } from './statistics.mjs'

const folder = mkdtempSync(join(tmpdir(), 'mediaproc-bench-'))
const at = (name) => join(folder, name)
const ours = (...args) => [
  'node',
  fileURLToPath(new URL('../bin/mediaproc.js', import.meta.url)),
  ...args,
  '--force',
  '-q',
]
const rival = (...command) => (has(command[0]) ? command : undefined)
const python = (code, ...paths) => rival('python3', '-c', code, ...paths)

const wanted = process.argv.slice(2).filter((argument) => !argument.startsWith('--'))
const rounds = Number(process.env.BENCH_ROUNDS) || 3
const ROWS = 1_000_000

const twenty = () => Array.from({ length: 20 }, (_, index) => at(`part-${index}.pdf`))
const folders = ['ours', 'qpdf', 'poppler', 'mutool', 'pictures', 'pictures-2', 'sheets']

const TO_JSON = `import csv, json, sys
with open(sys.argv[1], newline='') as source, open(sys.argv[2], 'w') as out:
    out.write('[')
    for number, row in enumerate(csv.DictReader(source)):
        out.write((',' if number else '') + json.dumps(row, indent=2, ensure_ascii=False))
    out.write(']')`
const TO_CSV = `import csv, json, sys
with open(sys.argv[1]) as source, open(sys.argv[2], 'w', newline='') as out:
    rows = json.load(source)
    writer = csv.DictWriter(out, rows[0].keys())
    writer.writeheader()
    writer.writerows(rows)`

const office = (format, input) =>
  rival(
    'soffice',
    '--headless',
    `-env:UserInstallation=file://${at('profile')}`,
    '--convert-to',
    format,
    '--outdir',
    at('sheets'),
    input,
  )

const cases = {
  'merge 20 files': () => ({
    mediaproc: ours('pdf', 'merge-pdf', ...twenty(), '-o', at('m1.pdf')),
    qpdf: rival('qpdf', '--empty', '--pages', ...twenty(), '--', at('m2.pdf')),
    'poppler (pdfunite)': rival('pdfunite', ...twenty(), at('m3.pdf')),
    mutool: rival('mutool', 'merge', '-o', at('m4.pdf'), ...twenty()),
  }),
  'split 500 pages': () => ({
    mediaproc: ours('pdf', 'split-pdf', at('long.pdf'), '--mode', 'every', '--every-n', '1', '-o', at('ours')),
    qpdf: rival('qpdf', '--split-pages', at('long.pdf'), join(at('qpdf'), 'page-%d.pdf')),
    'poppler (pdfseparate)': rival('pdfseparate', at('long.pdf'), join(at('poppler'), 'page-%d.pdf')),
  }),
  'compress 10 photographs': () => ({
    mediaproc: ours('pdf', 'compress-pdf', at('photos.pdf'), '--quality', '50', '-o', at('c1.pdf')),
    Ghostscript: rival(
      'gs',
      '-q',
      '-sDEVICE=pdfwrite',
      '-dPDFSETTINGS=/printer',
      '-dBATCH',
      '-dNOPAUSE',
      `-sOutputFile=${at('c2.pdf')}`,
      at('photos.pdf'),
    ),
  }),
  'render 50 pages': () => ({
    mediaproc: ours('pdf', 'pdf-to-image', at('middle.pdf'), '--dpi', '100', '-o', at('pictures')),
    'poppler (pdftoppm)': rival('pdftoppm', '-png', '-r', '100', at('middle.pdf'), join(at('pictures-2'), 'page')),
    mutool: rival('mutool', 'draw', '-r', '100', '-o', join(at('mutool'), 'page-%d.png'), at('middle.pdf')),
  }),
  'text of 500 pages': () => ({
    mediaproc: ours('pdf', 'pdf-to-text', at('long.pdf'), '-o', at('t1.txt')),
    'poppler (pdftotext)': rival('pdftotext', at('long.pdf'), at('t2.txt')),
    mutool: rival('mutool', 'draw', '-F', 'txt', '-o', at('t3.txt'), at('long.pdf')),
  }),
  'a million rows, CSV to JSON': () => ({
    mediaproc: ours('files', 'csv-json', at('rows.csv'), '-o', at('rows.json')),
    'python csv, json': python(TO_JSON, at('rows.csv'), at('rows-2.json')),
  }),
  'a million rows, JSON to CSV': () => ({
    mediaproc: ours('files', 'csv-json', at('rows.json'), '-o', at('back.csv')),
    'python csv, json': python(TO_CSV, at('rows.json'), at('back-2.csv')),
  }),
  'a million rows, CSV to XLSX': () => ({
    mediaproc: ours('files', 'csv-excel', at('rows.csv'), '-o', at('rows.xlsx')),
    LibreOffice: office('xlsx', at('rows.csv')),
  }),
  'a million rows, XLSX to CSV': () => ({
    mediaproc: ours('files', 'csv-excel', at('rows.xlsx'), '-o', at('sheet.csv')),
    LibreOffice: office('csv', at('rows.xlsx')),
  }),
}

/** These take tens of seconds, LibreOffice minutes, so their variance is relatively small. */
const ONCE = /^a million rows/

async function makeInputs() {
  for (const name of folders) mkdirSync(at(name))
  for (const path of twenty()) await makeReport(path, { pages: 25, photos: 1 })
  await makeReport(at('long.pdf'), { pages: 500 })
  await makeReport(at('middle.pdf'), { pages: 50, photos: 5 })
  await makeReport(at('photos.pdf'), { pages: 10, photos: 10 })
  await makeTable(at('rows.csv'), ROWS)
}

const machine = () =>
  [
    `${cpus()[0].model}, ${availableParallelism()} cores, Node ${process.version}; load at the beginning ${loadavg()[0].toFixed(1)}`,
    has('qpdf') && versionOf('qpdf'),
    has('pdftotext') && versionOf('pdftotext', ['-v']),
    has('gs') && `Ghostscript ${versionOf('gs')}`,
    has('python3') && versionOf('python3'),
    has('soffice') && versionOf('soffice'),
  ].filter(Boolean)

const lines = machine()
const table = ['| work | contender | ms | mediaproc / contender | peak MiB |', '|---|---|---|---|---|']
try {
  await makeInputs()
  for (const line of [...lines, ...table]) console.log(line)
  for (const [name, contenders] of Object.entries(cases)) {
    if (wanted.length > 0 && !wanted.includes(name)) continue
    const results = await race(contenders(), ONCE.test(name) ? 1 : rounds, { warmUp: !ONCE.test(name) })
    for (const [who, { ms, peak }] of Object.entries(results)) {
      const ratio = who === 'mediaproc' ? '' : median(ratios(results.mediaproc.ms, ms)).toFixed(2)
      table.push(`| ${name} | ${who} | ${withSpread(ms)} | ${ratio} | ${peak > 0 ? peak.toFixed(0) : ''} |`)
      console.log(table.at(-1))
    }
  }
  if (process.argv.includes('--save'))
    saveBlock('documents', [...lines.map((line) => `- ${line}`), '', ...table].join('\n'))
} finally {
  rmSync(folder, { recursive: true, force: true })
}
