import { openPdf } from '../../../../src/media/pdf/document.ts'
import { extractPageTexts } from '../../../../src/media/pdf/structure/text.ts'
import type { Job } from '../../../../src/tool/contract.ts'
import { counted, listed } from '../../../../src/wording.ts'
import { sheetRows, sheetsOf } from './sheet-rows.ts'

/** Longer printouts are not searched: reading a page takes about 5 ms. */
const MAX_PAGES = 200

/** At most this many rows of a sheet are compared. */
const MAX_ROWS = 20_000

/** Words of letters only: numbers and dates are printed in their cell's format. */
const WORD = /(?<![\p{L}\p{N}_])\p{L}{4,}(?![\p{L}\p{N}_])/gu

/** Up to this number of words missing from the printout are searched for in parts: hidden sheets have many. */
const MAX_MISSING = 200

/** The shortest part of a word that counts as a cut-off word. */
const MIN_PART = 3

/**
 * Warns about cells whose text is cut off in print, as LibreOffice does when the next cell is not empty, and about
 * numbers printed as ###.
 */
export async function warnOfCutCells(job: Job, path: string, name: string): Promise<void> {
  const printed = await printedText(path)
  if (printed === undefined) return
  if (/#{3,}/.test(printed))
    job.warn(`${name} has cells that are too narrow for their numbers, which are printed as ###`)
  const joined = printed.replace(/[^\p{L}]+/gu, '')
  // LibreOffice may read files that our reader cannot: then nothing is compared.
  const words = await wordsOf(job).catch(() => new Set<string>())
  job.signal.throwIfAborted()
  const missing = [...words].filter((word) => !joined.includes(word)).slice(0, MAX_MISSING)
  const runs = [...new Set(printed.match(/\p{L}+/gu))].filter((run) => !words.has(run))
  const cut = missing.filter((word) => {
    // The start of a cut-off word is printed, often followed by the next cell; a hidden word is not printed at all.
    const start = word.slice(0, Math.max(MIN_PART, Math.ceil(word.length / 2)))
    return runs.some((run) => run.startsWith(start))
  })
  if (cut.length === 0) return
  job.warn(
    `${name} has ${counted(cut.length, 'word')} in cells that are too narrow, and cut off in print: ${listed(cut.slice(0, 5))}. Make the columns wider`,
  )
}

async function printedText(path: string): Promise<string | undefined> {
  const document = await openPdf(path, { maxPages: 0 })
  try {
    return document.pageCount > MAX_PAGES ? undefined : extractPageTexts(document).join('\n').normalize('NFKC')
  } finally {
    document.close()
  }
}

async function wordsOf(job: Job): Promise<Set<string>> {
  const file = job.inputs[0]
  const words = new Set<string>()
  // LibreOffice computes formulas that have no cached result.
  const quiet: Job = { ...job, warn: () => {}, progress: () => {} }
  const sheets = await sheetsOf(file)
  for (const [index, { isEmpty }] of sheets.entries()) {
    if (isEmpty) continue
    let rows = 0
    for await (const batch of sheetRows(quiet, file, index + 1)) {
      for (const row of batch)
        for (const cell of row) for (const word of cell.normalize('NFKC').match(WORD) ?? []) words.add(word)
      rows += batch.length
      if (rows > MAX_ROWS) break
    }
  }
  return words
}
